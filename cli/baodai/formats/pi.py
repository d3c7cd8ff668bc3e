"""pi sessions: a tree of entries (older ones a plain list) with a compaction entry of its own.

The context after a compaction is its summary, then the entries from the first one kept on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._blocks import changed
from baodai.formats._copies import Copy, hide
from baodai.formats._layouts import at
from baodai.formats._links import fresh_id, relink
from baodai.formats._pi_read import SHAPE, is_answer, read_message, record_at, view
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_folded, encode_units, folds
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Role

_EPOCH = "1970-01-01T00:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Pi(Plain):
    """The codec of pi's session files, and of a single message of one."""

    name: str = "pi"
    title: str = "pi sessions"
    carrier: str = "an appended compaction entry"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of a session header that is not another harness's, and of an answer of its own."""
        values = [record.value for record in head]
        opens = any(
            at(v, ("type",)) == "session"
            and isinstance(v, Mapping)
            and not {"createdAt", "delegationDepth"} & set(v)
            for v in values
        )
        return 0.96 if opens or (len(values) == 1 and is_answer(values[0])) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The context of the session's newest branch."""
        found = list(records)
        raws = [record.raw for record in found]
        if len(found) == 1 and is_answer(found[0].value):
            place = Message("1", Role.USER, (), found[0].number, 0)
            yield assembled(
                self.name, source, raws, [read_message(found[0].value, place, ())], Around()
            )
            return
        messages, aside, unknown = view(found)
        header = next((r.value for r in found if at(r.value, ("type",)) == "session"), None)
        folder, ident = at(header, ("cwd",)), at(header, ("id",))
        around = Around(
            rules="anthropic",
            project=folder if isinstance(folder, str) else "",
            unknown=unknown,
            aside=tuple(aside),
            user_carrier=True,
        )
        named = ident if isinstance(ident, str) else source
        yield assembled(self.name, named, raws, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold is an appended compaction entry."""
        if folds(conversation):
            yield from encode_folded(self, conversation, _append)
        else:
            yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an entry's message."""
        return changed(old, new, record, SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new entry in the place of its neighbour."""
        return _entry(message, near, {"type": "message", "message": _said(message, near)})

    def mend(self, desk: Desk) -> None:
        """Mend the links, and hide the details of results."""
        copies = (
            Copy(result.call_id, message.record, ("message", "details"))
            for message in desk.before
            for result in message.results
        )
        hide(desk, copies)
        _move_kept(desk)
        relink(desk, "id", "parentId")


def _said(message: Message, near: object) -> dict[str, object]:
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    said: dict[str, object] = {"role": role, "content": [{"type": "text", "text": message.text}]}
    if role == "assistant":
        # pi adds up the cost of every answer, so a note has one too.
        cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
        usage: dict[str, object] = dict.fromkeys(
            ("input", "output", "cacheRead", "cacheWrite", "totalTokens"), 0
        )
        for key in ("api", "provider", "model"):
            said[key] = at(near, ("message", key)) or "baodai"
        said |= {"usage": usage | {"cost": cost}, "stopReason": "stop"}
    return said | {"timestamp": at(near, ("message", "timestamp")) or 0}


def _entry(message: Message, near: object, body: Mapping[str, object]) -> dict[str, object]:
    """An entry; one of a tree has an id and a parent."""
    stamp = at(near, ("timestamp",))
    links: dict[str, object] = {}
    if isinstance(at(near, ("id",)), str):
        links = {"id": fresh_id(message, near), "parentId": at(near, ("parentId",))}
    stamped = stamp if isinstance(stamp, str) else _EPOCH
    return {"type": body["type"], **links, "timestamp": stamped, **body}


def _append(desk: Desk, summary: Message, first: Message | None) -> None:
    """The compaction entry, the child of the newest one that stays."""
    near = _newest(desk)
    kept: dict[str, object] = {}
    if isinstance(at(near, ("id",)), str) and at(near, ("type",)) != "session":
        # Its own id says that nothing stays.
        stays = None if first is None else _first_id(desk, first.record)
        kept = {"firstKeptEntryId": stays or fresh_id(summary, near)}
    else:
        record = len(desk.sheet) if first is None else first.record
        kept = {"firstKeptEntryIndex": _position(desk, record)}
    body = {"type": "compaction", "summary": summary.text, **kept, "tokensBefore": _tokens(desk)}
    entry = _entry(summary, near, body)
    if "parentId" in entry:
        entry["parentId"] = at(near, ("id",))
    desk.sheet.insert(len(desk.sheet), entry)


def _newest(desk: Desk) -> object:
    """The last entry, or the nearest one above it that stays."""
    values = [desk.sheet.value(i) for i in range(len(desk.sheet))]
    places = {at(value, ("id",)): i for i, value in enumerate(values)}
    last = next((i for i in reversed(range(len(values))) if values[i] is not None), 0)
    for _ in values:
        if last not in desk.sheet.gone:
            break
        last = places.get(at(values[last], ("parentId",)), max(last - 1, 0))
    return values[last]


def _first_id(desk: Desk, record: int) -> object:
    """The id of the first entry that stays from a record on; a new one may stand before it."""
    stay = {m.record for m in desk.before if m.record >= record and not m.is_summary}
    for index in sorted(stay | {record}):
        made = [value for i, value in enumerate(desk.fresh.get(index, ())) if i == 0]
        if made:
            return at(made[0], ("id",))
        if index not in desk.sheet.gone:
            return desk.sheet.at(index, ("id",))
    return None


def _position(desk: Desk, record: int) -> int:
    """The place that an entry has among those that stay; broken lines do not count there."""
    stay = [i for i in range(record) if i not in desk.sheet.gone]
    fresh = sum(len(values) for index, values in desk.fresh.items() if index < record)
    return sum(desk.sheet.value(i) is not None for i in stay) + fresh


def _tokens(desk: Desk) -> int:
    """The context as the last answer reported it."""
    told = [m.usage for m in desk.before if m.usage is not None]
    return told[-1].input + told[-1].output if told else 0


def _move_kept(desk: Desk) -> None:
    """A compaction that stays names the first entry it keeps anew where entries came or went."""
    summary = next((m for m in desk.before if m.is_summary), None)
    if summary is None or summary.record in desk.sheet.gone:
        return
    value = desk.sheet.value(summary.record)
    ident, index = at(value, ("firstKeptEntryId",)), at(value, ("firstKeptEntryIndex",))
    if isinstance(ident, str):
        records = range(len(desk.sheet))
        place = next((i for i in records if desk.sheet.at(i, ("id",)) == ident), None)
        now = None if place is None else _first_id(desk, place)
        if now is not None and now != ident:
            desk.sheet.put(summary.record, ("firstKeptEntryId",), now)
    elif isinstance(index, int):
        moved = _position(
            desk, record_at([desk.sheet.value(i) for i in range(len(desk.sheet))], index)
        )
        if moved != index:
            desk.sheet.put(summary.record, ("firstKeptEntryIndex",), moved)


FORMAT = Pi()
