"""What a model sees of a file, read without baodai's codecs, so that the yardstick is its own.

Chat messages in any container, and Claude Code sessions from the last compaction on.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson


def documents(path: Path) -> list[object]:
    """The parsed lines of a file, or its one document."""
    data = path.read_bytes()
    parsed: list[object] = []
    for line in data.splitlines():
        try:
            parsed.append(orjson.loads(line))
        except orjson.JSONDecodeError:
            if line.strip() in {b"{", b"["}:
                return [orjson.loads(data)]
    return parsed


def visible(parsed: list[object]) -> list[str]:
    """Every string of the messages in them that a model sees."""
    start = 0
    for i, record in enumerate(parsed):
        if isinstance(record, dict) and record.get("subtype") == "compact_boundary":
            start = i
    return [text for record in parsed[start:] for text in _record(record) if text]


_CONTAINERS = ("request", "response", "body", "value", "messages", "choices", "input", "history")


def _record(record: object) -> Iterator[str]:
    if isinstance(record, list):
        for item in record:
            yield from _record(item)
    elif isinstance(record, dict) and not (record.get("isSidechain") or record.get("isMeta")):
        if isinstance(record.get("message"), dict):
            yield from _record(record["message"])
        elif "role" in record:
            yield from _message(record)
        else:
            yield from _container(record)


def _message(message: dict[str, Any]) -> Iterator[str]:
    yield from _content(message.get("content"))
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield from (str(function.get("name") or ""), str(function.get("arguments") or ""))


def _container(record: dict[str, Any]) -> Iterator[str]:
    yield from _content(record.get("system"))
    if record.get("tools"):
        yield orjson.dumps(record["tools"]).decode()
    for key in _CONTAINERS:
        yield from _record(record.get(key))
    # A log's last exchange holds the earlier ones.
    exchanges = record.get("exchanges")
    yield from _record(exchanges[-1] if isinstance(exchanges, list) and exchanges else None)


def _content(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for block in content:
            yield from _block(block)


def _block(block: object) -> Iterator[str]:
    if isinstance(block, str):
        yield block
    elif isinstance(block, dict):
        for key in ("text", "thinking", "name"):
            if isinstance(block.get(key), str):
                yield str(block[key])
        if isinstance(block.get("input"), dict):
            yield orjson.dumps(block["input"]).decode()
        yield from _content(block.get("content"))
