"""OpenTelemetry GenAI: messages in the attributes of spans, often as JSON inside a string.

Each span repeats what was said before; the one with the longest input is the conversation. Older
conventions index the attributes, or hold each message as a string of its own (Monocle).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._layouts import at
from baodai.formats._otel_read import Found, changes_of, found_in, fresh_value
from baodai.formats._sheet import Changes
from baodai.formats._slices import slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units, untouched
from baodai.jsonl import Record, dumps, loads, splice
from baodai.model import Conversation, Message, Path, Role


@dataclass(frozen=True, slots=True)
class OTelGenAI(Plain):
    """The codec of spans that hold conversations."""

    name: str = "otel-genai"
    title: str = "OpenTelemetry GenAI spans"
    carrier: str = "a system message in front of the input's messages"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where a span holds messages."""
        return 0.96 if any(_longest(record.value) is not None for record in head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversation of a trace."""
        for part in slices(records, [], lambda value: _longest(value) is not None):
            found = _longest(part.value)
            if found is None:
                continue
            messages = list(found.messages(part))
            aside = [
                Message(f"e{i}", Role.ASSISTANT, (), usage=u) for i, u in enumerate(found.paid)
            ]
            model = found.model
            around = Around(
                tools=dumps(found.tools).decode() if found.tools else "",
                model=model,
                aside=tuple(aside),
            )
            ident = f"{source}:{part.line}" if part.number else source
            yield assembled(self.name, ident, part.records, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the trace with its edits; lists inside strings are edited as lists."""
        held = sorted(_strings(conversation))
        if not held or untouched(conversation):
            yield from encode_units(self, conversation)
            return
        records = list(conversation.origin.records)
        for record, place in held:
            listed = loads(str(at(loads(records[record]), place)).encode())
            records[record] = splice(records[record], {place: listed})
        origin = replace(conversation.origin, records=tuple(records))
        lifted = b"".join(encode_units(self, replace(conversation, origin=origin)))
        for raw in lifted.splitlines(keepends=True):
            yield _lowered(raw, [place for _, place in held])

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message."""
        return changes_of(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new message in the convention of its neighbour."""
        return fresh_value(message, near)

    def mend(self, desk: Desk) -> None:
        """Spans that repeat what was edited are emptied of it."""
        needles = [r.text[:80] for old, _ in desk.edited for r in old.results if r.text.strip()]
        needles += [old.text[:80] for old, now in desk.edited if now is None and old.text.strip()]
        edited = any(True for _ in desk.edited)
        records = {m.record for m in desk.before}
        for record in records:
            live = {m.path[:1] for m in desk.before if m.record == record}
            value = desk.sheet.value(record)
            for i, span in enumerate(value if isinstance(value, list) else ()):
                if (i,) in live or not edited:
                    continue
                if found_in(span, (i,)) is not None or any(n in _text(span) for n in needles):
                    for key in ("events", "attributes"):
                        if at(span, (key,)):
                            desk.sheet.put(record, (i, key), [] if key == "events" else {})


def _strings(conversation: Conversation) -> set[tuple[int, Path]]:
    """Records and places of strings that hold a list of messages."""
    values = {
        m.record: loads(conversation.origin.records[m.record])
        for m in conversation.messages
        if m.record >= 0
    }
    found = ((m.record, m.path[:-1]) for m in conversation.origin.messages if m.path)
    return {(r, p) for r, p in found if r in values and isinstance(at(values[r], p), str)}


def _lowered(raw: bytes, places: Sequence[Path]) -> bytes:
    """The record with its lists of messages as strings again."""
    value = loads(raw) if raw.strip() else None
    lists = {p: found for p in places if isinstance(found := at(value, p), list)}
    return splice(raw, {p: dumps(found).decode() for p, found in lists.items()}) if lists else raw


def _text(span: object) -> str:
    """All that a span says, strings inside strings read."""
    return dumps(span).decode().replace("\\", "")


def _longest(value: object) -> Found | None:
    """The span with the most messages among those of a record."""
    spans = value if isinstance(value, list) else [value]
    if not all(isinstance(span, Mapping) for span in spans):
        return None
    base = isinstance(value, list)
    found = [f for i, s in enumerate(spans) if (f := found_in(s, (i,) if base else ()))]
    if not found:
        return None
    best = max(found, key=lambda f: (len(f.places), f.start))
    best.paid.extend(f.usage for f in found if f is not best and f.usage is not None)
    return best


FORMAT = OTelGenAI()
