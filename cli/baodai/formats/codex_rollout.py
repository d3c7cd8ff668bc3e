"""Codex CLI: the rollout files of its sessions, of today and of its first versions.

The model reads the items since the last compaction; events repeat them for the screen. The log of
Codex's screen is another format and is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from baodai.formats._codex_rows import Kind, Row, is_rollout, row_of, text_at
from baodai.formats._codex_view import codex_view
from baodai.formats._codex_write import MEASURE, encode_rollout
from baodai.formats._layouts import at
from baodai.formats._told import Around, assembled
from baodai.jsonl import Record, dumps
from baodai.model import Conversation, Measure


@dataclass(frozen=True, slots=True)
class CodexRollout:
    """The codec of Codex's sessions."""

    name: str = "codex-rollout"
    title: str = "Codex CLI sessions (rollout files)"
    carrier: str = "an appended `compacted` line with the new history, the summary a user message"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where the envelope shows, or the first line and the bare items of early versions."""
        return 0.97 if is_rollout(head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a file."""
        rows: list[Row] = []
        raws: list[bytes] = []
        hints: list[tuple[str, str]] = []
        for index, record in enumerate(records):
            raws.append(record.raw)
            rows.append(row_of(index, record.number, record.value))
            if record.problem is not None and record.problem.lost:
                hints.append(("unreadable", f"line {record.number}: {record.problem.text}"))
        if not raws:
            return
        seen = codex_view(rows)
        around = Around(
            tools=_tools(rows),
            model=_last_model(rows),
            project=text_at(rows, Kind.META, "cwd") or text_at(rows, Kind.TURN, "cwd"),
            unknown=dict(seen.unknown),
            hints=(*hints, *seen.hints),
            aside=seen.aside,
            user_carrier=True,
        )
        ident = text_at(rows, Kind.META, "id", "session_id") or source
        yield assembled(self.name, ident, raws, seen.messages, around, _measure(rows))

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation with its edits."""
        yield from encode_rollout(conversation)


def _tools(rows: Sequence[Row]) -> str:
    """The schemas of tools that a client brought; Codex's own are not in the file."""
    found = (at(row.payload, ("dynamic_tools",)) for row in rows if row.kind is Kind.META)
    tools = next((value for value in found if value), None)
    return dumps(tools).decode() if tools else ""


def _last_model(rows: Sequence[Row]) -> str:
    turns = (row for row in reversed(rows) if row.kind is Kind.TURN)
    return next((m for row in turns if isinstance(m := row.payload.get("model"), str) and m), "")


def _measure(rows: Sequence[Row]) -> Measure | None:
    """The measure that the last compaction of ours kept."""
    for row in reversed(rows):
        if row.kind not in {Kind.COMPACTED, Kind.META}:
            continue
        match row.payload.get(MEASURE):
            case {
                "factor": float() | int() as factor,
                "overhead": int() as overhead,
                "error": float() | int() as error,
                "fitted": bool() as fitted,
            }:
                return Measure(float(factor), overhead, float(error), fitted)
    return None


FORMAT = CodexRollout()
