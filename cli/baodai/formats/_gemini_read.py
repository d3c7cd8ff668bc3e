"""Reads Gemini CLI's recordings: replays the log, takes messages with their calls apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._parts import read_part, response_parts
from baodai.jsonl import dumps
from baodai.model import (
    Block,
    Message,
    Path,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)

_SHOWN = frozenset({"info", "error", "warning"})
"""Messages for the screen; the model reads none of them."""

Spot = tuple[int, int, Path]
"""A record's index, its line, and where in it a message stands."""


class Recording:
    """The messages as the log leaves them."""

    def __init__(self) -> None:
        self.named = self.project = ""
        self.unknown: Counter[str] = Counter()
        self.aside: list[Message] = []
        self._held: dict[str, tuple[Spot, Mapping[str, object]]] = {}

    def take(self, index: int, line: int, value: object) -> None:
        """One record: a session, a message, or a change."""
        if not isinstance(value, Mapping):
            return
        back = value.get("$rewindTo")
        if isinstance(back, str):
            self._rewind(back)
            return
        if isinstance(value.get("id"), str) and "type" in value:
            self._message((index, line, ()), value)
            return
        patch, path = (at(value, ("$set",)), ("$set",)) if "$set" in value else (value, ())
        self._about(patch)
        messages = at(patch, ("messages",))
        if isinstance(messages, list):
            self._gone(list(self._held))
            for i, message in enumerate(messages):
                if isinstance(message, Mapping):
                    self._message((index, line, (*path, "messages", i)), message)

    def messages(self) -> Iterator[Message]:
        """The messages that the model reads, answers and results apart."""
        for ident, (spot, value) in self._held.items():
            kind = str(value.get("type"))
            if kind == "user":
                yield _user(ident, spot, value)
            elif kind == "gemini":
                yield from _answer(ident, spot, value)
            elif kind not in _SHOWN:
                self.unknown[kind] += 1

    def _message(self, spot: Spot, value: Mapping[str, object]) -> None:
        ident = str(value.get("id") or f"{spot[1]}.{len(self._held)}")
        self._held[ident] = (spot, value)

    def _rewind(self, ident: str) -> None:
        """From that message on all is taken back; one that is not there clears everything."""
        order = list(self._held)
        self._gone(order[order.index(ident) :] if ident in self._held else order)

    def _gone(self, idents: list[str]) -> None:
        for ident in idents:
            spot, value = self._held.pop(ident)
            answered = [m for m in _answer(ident, spot, value) if m.usage is not None]
            self.aside.extend(replace(m, blocks=()) for m in answered)

    def _about(self, value: object) -> None:
        ident = at(value, ("sessionId",))
        self.named = ident if isinstance(ident, str) else self.named
        folder = at(value, ("directories", 0))
        self.project = folder if isinstance(folder, str) else self.project


def _place(ident: str, spot: Spot, role: Role, blocks: tuple[Block, ...]) -> Message:
    return Message(ident, role, blocks, spot[1], spot[0], spot[2])


def _user(ident: str, spot: Spot, value: Mapping[str, object]) -> Message:
    blocks = tuple(_content(value.get("content"), (*spot[2], "content"), Role.USER))
    return replace(_place(ident, spot, Role.USER, blocks), timestamp=_word(value, "timestamp"))


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    if isinstance(content, str):
        if content:
            spoken = role is Role.USER
            yield user_text(content, path) if spoken else Text(content, Voice.MODEL, path=path)
        return
    listed = isinstance(content, list)
    for i, part in enumerate(content if isinstance(content, list) else [content]):
        block = read_part(part, (*path, i) if listed else path, role)
        if block is not None:
            yield block


def _answer(ident: str, spot: Spot, value: Mapping[str, object]) -> Iterator[Message]:
    """An answer, and the results that stand in its record."""
    path = spot[2]
    thoughts = value.get("thoughts")
    blocks: list[Block] = []
    for i, thought in enumerate(thoughts if isinstance(thoughts, list) else ()):
        said = [_word(thought, "subject"), _word(thought, "description")]
        blocks.append(Thinking("\n".join(filter(None, said)), "", (*path, "thoughts", i)))
    blocks.extend(_content(value.get("content"), (*path, "content"), Role.ASSISTANT))
    results: list[ToolResult] = []
    calls = value.get("toolCalls")
    for i, call in enumerate(calls if isinstance(calls, list) else ()):
        here = (*path, "toolCalls", i)
        call_id = _word(call, "id") or f"{ident}.{i}"
        arguments = dumps(at(call, ("args",)) or {}).decode()
        blocks.append(ToolCall(call_id, _word(call, "name"), arguments, path=here))
        result = _result(call, call_id, here)
        if result is not None:
            results.append(result)
    yield replace(
        _place(ident, spot, Role.ASSISTANT, tuple(blocks)),
        model=_word(value, "model"),
        usage=_usage(value.get("tokens")),
        timestamp=_word(value, "timestamp"),
    )
    if results:
        yield _place(f"{ident}:r", spot, Role.TOOL, tuple(results))


def _result(call: object, call_id: str, path: Path) -> ToolResult | None:
    """The result of a call: its function responses; none while it runs."""
    found = at(call, ("result",))
    parts: list[Text] = []
    failed = at(call, ("status",)) in {"error", "cancelled"}
    for i, item in enumerate(found if isinstance(found, list) else ()):
        place = (*path, "result", i, "functionResponse", "response")
        texts, error = response_parts(at(item, ("functionResponse", "response")), place)
        parts.extend(texts)
        failed = failed or error
        if isinstance(at(item, ("text",)), str):
            text = str(at(item, ("text",)))
            parts.append(Text(text, Voice.TOOL, path=(*path, "result", i, "text")))
    if found is None:
        return None
    name = _word(call, "name")
    return with_spoken(ToolResult(call_id, tuple(parts), failed, name, (*path, "result")))


def _usage(tokens: object) -> Usage | None:
    """The input has the cached tokens in it; thoughts are paid as output."""
    if not isinstance(tokens, Mapping):
        return None
    number = {key: value for key, value in tokens.items() if isinstance(value, int)}
    thoughts = number.get("thoughts", 0)
    output = number.get("output", 0) + thoughts
    prompt = number.get("input", 0) + number.get("tool", 0)
    return Usage(prompt, output, number.get("cached", 0), 0, thoughts)


def _word(value: object, key: str) -> str:
    found = at(value, (key,))
    return found if isinstance(found, str) else ""
