"""Digest of all other tools: name, key arguments; of JSON its telling fields, else its lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import (
    distinct,
    ends,
    failures,
    one_line,
    said,
    size_of,
    standing_out,
)
from baodai.digests._telling import telling_lines
from baodai.jsonl import loads
from baodai.model import ToolCall, ToolResult
from baodai.tools import arguments_of

_KEYS = [
    "status",
    "state",
    "error",
    "errors",
    "message",
    "result",
    "reason",
    "code",
    "id",
    "name",
    "title",
    "url",
    "count",
    "total",
    "ok",
    "success",
    "amount",
    "price",
    "number",
    "summary",
    "description",
]
_FIELDS = 10


@dataclass(frozen=True, slots=True)
class OtherDigest:
    """Reads MCP tools, APIs and everything unknown."""

    name: str = "other"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """Key fields of JSON, else telling lines and those unlike the others, else first and last."""
        text = result.text
        value = _json(text)
        told = list(_fields(value)) if value is not None else _lines(text)
        failed = result.is_error or (isinstance(value, Mapping) and bool(value.get("error")))
        return Outcome(
            kind="other",
            tool=call.name if call is not None else result.name,
            action="called",
            target=_arguments(call),
            status=Status.FAILED if failed else Status.OK,
            conclusions=distinct(told, _FIELDS),
            errors=failures(text, 2) if failed else (),
            size=size_of(result),
        )


def _lines(text: str) -> list[str]:
    shown = ends(text)
    told = [one_line(line, 240) for line in telling_lines(shown)]
    apart = [one_line(line, 240) for line in standing_out(text)]
    if told or apart:
        return [*told[::-1], *apart]
    lines = list(said(shown))
    if sum(map(len, lines)) <= 400:
        return [one_line(line, 240) for line in lines]
    return [one_line(line, 200) for line in (lines[0], lines[-1])]


def _json(text: str) -> object:
    if text[:1] not in {"{", "["} or len(text) > 2_000_000:
        return None
    try:
        return loads(text.encode("utf-8", "replace"))
    except ValueError:
        return None


def _fields(value: object, name: str = "") -> Iterator[str]:
    """Key fields first, other short ones behind them, lists by their length."""
    match value:
        case dict():
            ranked = sorted(value, key=lambda k: _KEYS.index(k) if k in _KEYS else len(_KEYS))
            for key in ranked[: _FIELDS * 2]:
                yield from _fields(value[key], f"{name}.{key}" if name else str(key))
        case list():
            yield f"{name or 'list'}: {len(value)} items"
            for item in value[:2]:
                yield from _fields(item, name)
        case str() | int() | float() | bool():
            said_ = one_line(str(value), 160)
            if said_:
                yield f"{name}: {said_}" if name else said_
        case _:
            return


def _arguments(call: ToolCall | None) -> str:
    """The short arguments, as `key=value`."""
    if call is None:
        return ""
    pairs = (
        f"{key}={one_line(str(value), 80)}"
        for key, value in arguments_of(call).items()
        if isinstance(value, str | int | float)
    )
    return one_line(", ".join(pairs), 300)


DIGEST = OtherDigest()
