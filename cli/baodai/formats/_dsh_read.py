"""Reads the harness's events into the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from baodai.formats._blocks import parts_of
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.jsonl import Record, dumps
from baodai.model import (
    Block,
    Message,
    Opaque,
    Path,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)

_KNOWN = (
    "session", "assistant/", "tool/", "turn/", "step/", "request/", "approval/", "command/",
    "permission/", "sandbox/", "bash/", "agent/", "text-chunks", "reasoning-chunks",
    "tool-call-chunks", "compaction/",
)  # fmt: skip
_LATEST = 1 << 43
"""Milliseconds past which a number is no time."""

Place = tuple[int, int]
"""A record's index, and its line."""


@dataclass(slots=True)
class Log:
    """What is read of a log. The surface is what the model reads, by the numbers of its events.

    An event says itself how it changes the surface: it is appended, or stands in the place of
    others. The events of a compaction tell about it and change nothing.
    """

    surface: list[tuple[int, Message]] = field(default_factory=list)
    aside: list[Message] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    system: Message | None = None
    tools: str = ""
    model: str = ""

    @property
    def messages(self) -> list[Message]:
        """The context: the system prompt of the last request, then the surface."""
        first = [] if self.system is None else [self.system]
        return [*first, *(m for _, m in self.surface if m.blocks)]

    def put(self, seq: int, message: Message, op: object) -> None:
        """Bring an event onto the surface."""
        span = span_of(op)
        found = [i for i, (number, _) in enumerate(self.surface) if number in span]
        if not found:
            self.surface.append((seq, message))
            return
        self._leave(self.surface[found[0] : found[-1] + 1])
        self.surface[found[0] : found[-1] + 1] = [(seq, message)]

    def shadow(self, value: object, place: Place) -> None:
        """A summary that no message of its own carries stands for what it names."""
        listed = at(value, ("data", "shadowedSeqs"))
        seqs = set(listed) if isinstance(listed, list) else set()
        self._leave([node for node in self.surface if node[0] in seqs])
        index, line = place
        text = str(at(value, ("data", "summary")) or "")
        block = Text(text, Voice.HARNESS, path=("data", "summary"))
        summary = Message(f"{line}.s", Role.USER, (block,), line, index, is_summary=True)
        kept = [node for node in self.surface if node[0] not in seqs]
        self.surface = [(number_at(value, "seq"), summary), *kept]

    def _leave(self, nodes: Sequence[tuple[int, Message]]) -> None:
        self.aside.extend(replace(m, blocks=()) for _, m in nodes if m.usage is not None)


def read_events(records: Sequence[Record]) -> Log:
    """The context of a session, and what is told around it."""
    log = Log()
    # Where no event says how it changes the surface, all of them are on it.
    marked = any(isinstance(r.value, Mapping) and "surfaceOp" in r.value for r in records)
    for index, record in enumerate(records):
        value = record.value
        if not isinstance(value, Mapping):
            continue
        kind, place = str(value.get("type")), (index, record.number)
        _header(log, kind, value, place)
        alone = not isinstance(at(value, ("data", "compactionId")), str)
        if kind == "compaction/summary" and alone:
            log.shadow(value, place)
            continue
        message = _message(kind, value, place, log.model)
        if message is None:
            log.unknown.update(() if kind.startswith(_KNOWN) else (kind,))
        elif "surfaceOp" in value or not marked:
            log.put(number_at(value, "seq"), message, value.get("surfaceOp"))
    return log


def _header(log: Log, kind: str, value: object, place: Place) -> None:
    """What a request's header says; the last one holds."""
    named = at(value, ("data", "header", "config", "model")) or at(value, ("data", "model"))
    log.model = named if isinstance(named, str) else log.model
    if kind != "request/header":
        return
    system, tools = (at(value, ("data", "header", key)) for key in ("system", "tools"))
    if isinstance(tools, list) and tools:
        log.tools = dumps(tools).decode()
    if isinstance(system, str) and system:
        index, line = place
        block = Text(system, Voice.HARNESS, path=("data", "header", "system"))
        log.system = Message(str(line), Role.SYSTEM, (block,), line, index)


def span_of(op: object) -> tuple[int, ...]:
    """The numbers of the first and the last event that one replaces; versions name them apart."""
    if at(op, ("op",)) != "replace":
        return ()
    ends = ((at(op, (key,)), at(op, (f"{key}Seq",))) for key in ("start", "end"))
    found = (a if isinstance(a, int) else b for a, b in ends)
    return tuple(number for number in found if isinstance(number, int))


def number_at(value: object, *path: str) -> int:
    """A number at a path; -1 where there is none."""
    return _number(at(value, path))


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _time(value: object) -> str:
    """The time of an event, in milliseconds there, as ISO text."""
    stamp = at(value, ("time",))
    if not isinstance(stamp, int) or not 0 < stamp < _LATEST:
        return ""
    return datetime.fromtimestamp(stamp / 1000, UTC).isoformat(timespec="milliseconds")


def carries_summary(said: object) -> bool:
    """Whether a user message stands for what a compaction took out."""
    source = at(said, ("source",))
    return isinstance(at(source, ("compactionId",)), str) or at(source, ("plugin",)) == "compact"


def _message(kind: str, value: object, place: Place, model: str) -> Message | None:
    """The message of an event; `None` for one that the model does not read."""
    index, line = place
    data = at(value, ("data",))
    made = Message(str(line), Role.USER, (), line, index, timestamp=_time(value))
    inner = at(data, ("message",))
    base: Path = ("data", "message") if isinstance(inner, Mapping) else ("data",)
    said = inner if isinstance(inner, Mapping) else data
    content = at(said, ("content",))
    here = (*base, "content")
    if kind == "user/message":
        spoken = at(said, ("source", "kind")) in {None, "user"}
        role = Role.USER if spoken else Role.SYSTEM
        blocks = tuple(_content(content, here, role))
        return replace(made, blocks=blocks, is_summary=carries_summary(said))
    if kind == "system/message":
        return replace(made, role=Role.SYSTEM, blocks=tuple(_content(content, here, Role.SYSTEM)))
    if kind == "assistant/message":
        blocks = tuple(_content(content, here, Role.ASSISTANT))
        usage = _usage(at(data, ("usage",)))
        return replace(made, role=Role.ASSISTANT, blocks=blocks, usage=usage, model=model)
    if kind == "tool/result":
        return replace(made, role=Role.TOOL, blocks=(_result(data, said, here),))
    return None


def _content(content: object, path: Path, role: Role) -> Iterator[Block]:
    for i, item in enumerate(content if isinstance(content, list) else ()):
        here = (*path, i)
        kind, text = at(item, ("type",)), at(item, ("text",))
        if kind == "tool-call":
            call_id, name = at(item, ("id",)), at(item, ("name",))
            arguments = str(at(item, ("arguments",)) or "")
            yield ToolCall(str(call_id or ""), str(name or ""), arguments, path=here)
        elif kind == "reasoning":
            yield Thinking(str(text or ""), "", here)
        elif isinstance(text, str):
            yield _text(text, here, role)
        else:
            yield Opaque(str(kind), visible=dumps(item).decode(), path=here)


def _text(text: str, path: Path, role: Role) -> Text:
    if role is Role.USER:
        return user_text(text, path)
    voice = {Role.ASSISTANT: Voice.MODEL, Role.TOOL: Voice.TOOL}.get(role, Voice.HARNESS)
    return Text(text, voice, path=path)


def _result(data: object, said: object, path: Path) -> ToolResult:
    """A result, in a message of its own or bare."""
    inner = at(said, ("content", 0))
    if at(inner, ("type",)) == "tool-result":
        here = (*path, 0)
        call_id, failed = at(inner, ("toolCallId",)), at(inner, ("isError",)) is True
        content = at(inner, ("content",))
        parts = parts_of(tuple(_content(content, (*here, "content"), Role.TOOL)))
        return with_spoken(ToolResult(str(call_id or ""), parts, failed, path=here))
    call_id = at(data, ("callId",))
    failed = at(data, ("isError",)) is True
    parts = parts_of(tuple(_content(at(said, ("content",)), path, Role.TOOL)))
    return with_spoken(ToolResult(str(call_id or ""), parts, failed, path=path[:-1]))


def _usage(value: object) -> Usage | None:
    """The input is without the cached tokens."""
    if not isinstance(value, Mapping):
        return None
    read = _number(value.get("cacheReadTokens", 0))
    return Usage(
        _number(value.get("inputTokens", 0)) + read,
        _number(value.get("outputTokens", 0)),
        read,
        0,
        _number(value.get("reasoningTokens", 0)),
    )
