"""Writes new messages into a harness log, and takes others off its surface.

The harness finds an event by its number, so lines only come at the end: a new message stands in the
place of those it replaces by its `surfaceOp`, as the harness's own compactions do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baodai.formats._dsh_read import number_at, span_of
from baodai.formats._layouts import at
from baodai.formats._links import fresh_uuid
from baodai.formats._writing import Desk, Scribe
from baodai.model import Message, Role

_NAMES_CHANGED = 3
"""The version of the format that calls the ends of a span `startSeq` and `endSeq`."""


def surface(scribe: Scribe, desk: Desk) -> None:
    """Bring the surface to what the conversation says."""
    _Surface(scribe, desk).write()


class _Surface:
    def __init__(self, scribe: Scribe, desk: Desk) -> None:
        self._scribe = scribe
        self._desk = desk
        self._nodes = [m for m in desk.before if self._kind(m.record) != "request/header"]
        self._last = max(map(self._end, range(len(desk.sheet))), default=-1)
        self._time = max(self._number(i, "time") for i in range(len(desk.sheet)))
        version = next(
            (self._number(i, "version") for i, _ in self._records() if self._kind(i) == "session"),
            0,
        )
        ends = ("startSeq", "endSeq") if version >= _NAMES_CHANGED else ("start", "end")
        self._ends = ends

    def write(self) -> None:
        """Go through what shall be, gap by gap between the messages that stay."""
        places = {m.id: i for i, m in enumerate(self._nodes)}
        known = {m.id for m in self._desk.before}
        fresh: list[Message] = []
        done = 0
        for message in self._desk.conversation.messages:
            if message.id in places:
                place = places[message.id]
                self._gap(fresh, self._nodes[done:place], self._nodes[place])
                fresh, done = [], place + 1
            elif message.id not in known:
                fresh.append(message)
        self._gap(fresh, self._nodes[done:], None)

    def _gap(
        self, fresh: Sequence[Message], gone: Sequence[Message], follower: Message | None
    ) -> None:
        if fresh and len(gone) >= len(fresh):
            # The first, which is the summary where there is one, stands for most of them.
            first = len(gone) - len(fresh) + 1
            spans = [gone[:first], *([one] for one in gone[first:])]
            for message, span in zip(fresh, spans, strict=True):
                self._replace(message, span)
            return
        for message in gone:
            if not span_of(self._desk.sheet.at(message.record, ("surfaceOp",))):
                self._desk.sheet.remove(message.record, ("surfaceOp",))
        for message in fresh:
            if follower is None:
                self._append(self._event(message, gone), "append", [])
            else:
                near = self._desk.sheet.value(follower.record)
                self._desk.sheet.insert(follower.record, self._scribe.fresh(message, near))

    def _replace(self, message: Message, span: Sequence[Message]) -> None:
        seqs = [self._number(m.record, "seq") for m in span]
        event = self._event(message, span)
        op: dict[str, object] = {"op": "replace"}
        op |= dict(zip(self._ends, (seqs[0], seqs[-1]), strict=True))
        if not message.is_summary:
            self._append(event, op, seqs)
            return
        ident = fresh_uuid(message, self._desk.sheet.value(span[-1].record))
        told: dict[str, object] = {"compactionId": ident, "turn": None}
        start = self._append({"type": "compaction/start", "data": told}, None, [])
        summary: dict[str, object] = {
            "compactionId": ident,
            "summary": [{"type": "text", "text": message.text}],
            "shadowedRange": {"start": seqs[0], "end": seqs[-1]},
            "shadowedSeqs": seqs,
            "shadowedTokenCount": 0,
        }
        about = self._append({"type": "compaction/summary", "data": summary}, None, [])
        source = {"kind": "plugin", "plugin": "compact", "compactionId": ident}
        data = event["data"]
        event["data"] = {**(data if isinstance(data, dict) else {}), "source": source}
        self._append(event, op, [start, about, *seqs])
        self._append({"type": "compaction/end", "data": told}, None, [])

    def _event(self, message: Message, span: Sequence[Message]) -> dict[str, object]:
        """A message as an event; an answer belongs to the step of what it stands for."""
        near = self._desk.sheet.value((span or self._desk.before)[-1].record)
        event = self._scribe.fresh(message, near)
        made = dict(event) if isinstance(event, Mapping) else {}
        if message.role is Role.ASSISTANT and not message.is_summary:
            step = {key: at(near, ("data", key)) for key in ("turn", "step")}
            data = made["data"]
            made["data"] = {
                **{key: found for key, found in step.items() if found is not None},
                **(data if isinstance(data, dict) else {}),
            }
        return made

    def _append(self, event: Mapping[str, object], op: object, sources: Sequence[int]) -> int:
        self._last += 1
        line: dict[str, object] = {"type": event["type"], "seq": self._last, "time": self._time}
        line["data"] = event["data"]
        if sources:
            line["sourceEventSeqs"] = list(sources)
        if op is not None:
            line["surfaceOp"] = op
        self._desk.sheet.insert(len(self._desk.sheet), line)
        return self._last

    def _records(self) -> list[tuple[int, object]]:
        return [(i, self._desk.sheet.value(i)) for i in range(len(self._desk.sheet))]

    def _kind(self, index: int) -> object:
        return self._desk.sheet.at(index, ("type",))

    def _number(self, index: int, key: str) -> int:
        return number_at(self._desk.sheet.value(index), key)

    def _end(self, index: int) -> int:
        """The last number a line takes: packed chunks are many events in one."""
        packed = self._number(index, "seq0")
        count = at(self._desk.sheet.value(index), ("data", "dt"))
        more = len(count) if isinstance(count, list) else 0
        return packed + more if packed >= 0 else self._number(index, "seq")
