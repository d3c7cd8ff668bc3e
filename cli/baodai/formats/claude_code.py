"""Claude Code: session files, and the stream that `--output-format stream-json` prints.

There is no official schema; what is known is from real files. The reading of a session (branches,
compactions, copies) is in the `_claude_*` modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._claude_compose import composed_session
from baodai.formats._claude_rows import SYNTHETIC, Kind, Row, row_of, text_at
from baodai.formats._claude_view import view
from baodai.formats._claude_write import MEASURE, SESSION, STREAM, encode_session
from baodai.formats._layouts import at
from baodai.formats.source import Source
from baodai.jsonl import Record
from baodai.model import Conversation, Measure, Origin

_SURE = 0.97
_OWN = frozenset({"file-history-snapshot", "queue-operation"})
_TURNS = frozenset({"user", "assistant", "system", "result"})


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """The codec of Claude Code's sessions."""

    name: str = "claude-code"
    alone: bool = True
    ending: str = ".jsonl"
    title: str = "Claude Code sessions, and what its stream-json output prints"
    carrier: str = (
        "an appended compact_boundary and its summary record; a marked user line in stream-json"
    )

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where the envelope shows; Qwen Code and iFlow share it, but not all of it."""
        values = [record.value for record in head if isinstance(record.value, dict)]
        if any(_foreign(value) for value in values):
            return 0.0
        return max(map(_score, values), default=0.0)

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a file; side chains and left branches are carried through."""
        rows: list[Row] = []
        raws: list[bytes] = []
        values: list[object] = []
        hints: list[tuple[str, str]] = []
        for index, record in enumerate(records):
            raws.append(record.raw)
            values.append(record.value)
            rows.append(row_of(index, record.number, record.value))
            if record.problem is not None and record.problem.lost:
                hints.append(("unreadable", f"line {record.number}: {record.problem.text}"))
        if not raws:
            return
        seen = view(rows)
        container = STREAM if any(map(_streamed, rows)) else SESSION
        hints.extend(seen.hints)
        origin = Origin(
            self.name,
            container,
            tuple(raws),
            seen.messages,
            seen.unknown,
            tuple(hints),
            seen.aside,
            tuple(values),
        )
        yield Conversation(
            id=_first(rows, "sessionId", "session_id") or source,
            messages=seen.messages,
            origin=origin,
            rules="anthropic",
            model=_model(rows),
            project=_first(rows, "cwd"),
            first_turn=seen.first_turn,
            measure=_measure(rows),
            keeps_measure=container == SESSION,
        )

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation with its edits."""
        yield from encode_session(conversation)

    def compose(self, source: Source) -> Iterator[object]:
        """The records of a session that says what the source says."""
        yield from composed_session(source)


def _measure(rows: Sequence[Row]) -> Measure | None:
    """The measure that the last compaction of ours kept."""
    for row in reversed(rows):
        for member in ("compactMetadata", "microcompactMetadata"):
            match at(row.whole, (member, MEASURE)):
                case {
                    "factor": float() | int() as factor,
                    "overhead": int() as overhead,
                    "error": float() | int() as error,
                    "fitted": bool() as fitted,
                }:
                    return Measure(float(factor), overhead, float(error), fitted)
    return None


def _foreign(value: dict[str, object]) -> bool:
    """Qwen Code's messages have parts; iFlow's sessions are named by the word."""
    message = value.get("message")
    parts = isinstance(message, dict) and "parts" in message
    return parts or text_at(value, "sessionId").startswith("session-")


def _score(value: dict[str, object]) -> float:
    kind = text_at(value, "type")
    if kind in _OWN or (kind == "summary" and "leafUuid" in value):
        return _SURE
    session = "sessionId" in value
    if session and ("parentUuid" in value or ("uuid" in value and "message" in value)):
        return _SURE
    if kind in _TURNS and "session_id" in value and {"message", "subtype"} & set(value):
        return _SURE
    return 0.6 if kind in _TURNS and "message" in value and "uuid" in value else 0.0


def _streamed(row: Row) -> bool:
    return "session_id" in row.whole and "sessionId" not in row.whole


def _first(rows: Iterable[Row], *keys: str) -> str:
    return next((name for row in rows for key in keys if (name := text_at(row.whole, key))), "")


def _model(rows: Sequence[Row]) -> str:
    """The last model that answered on the main thread; a stream names it at its start too."""
    answers = (r for r in reversed(rows) if r.kind is Kind.ASSISTANT and not r.side)
    named = (text_at(row.body, "model") for row in answers)
    return next((n for n in named if n and n != SYNTHETIC), "") or _first(rows, "model")


FORMAT = ClaudeCode()
