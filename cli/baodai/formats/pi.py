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
from baodai.formats._pi_read import SHAPE, is_answer, read_message, view
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
        relink(desk, "id", "parentId")


def _said(message: Message, near: object) -> dict[str, object]:
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    said: dict[str, object] = {"role": role, "content": [{"type": "text", "text": message.text}]}
    if role == "assistant":
        usage = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0}
        said |= {"api": "baodai", "provider": "baodai", "model": "baodai", "usage": usage}
        said |= {"stopReason": "stop"}
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
    """The compaction entry, the child of the newest one."""
    last = next(
        (i for i in range(len(desk.sheet) - 1, -1, -1) if desk.sheet.value(i) is not None), 0
    )
    near = desk.sheet.value(last)
    record = len(desk.sheet) if first is None else first.record
    kept: dict[str, object] = {}
    if isinstance(at(near, ("id",)), str) and at(near, ("type",)) != "session":
        ident = None if first is None else desk.sheet.at(record, ("id",))
        kept = {"firstKeptEntryId": ident or fresh_id(summary, near)}  # its own: nothing stays
    else:
        fresh = sum(len(values) for index, values in desk.fresh.items() if index < record)
        gone = sum(index < record for index in desk.sheet.gone)
        kept = {"firstKeptEntryIndex": record - gone + fresh}
    body = {"type": "compaction", "summary": summary.text, **kept, "tokensBefore": 0}
    entry = _entry(summary, near, body)
    if "parentId" in entry:
        entry["parentId"] = at(near, ("id",))
    desk.sheet.insert(len(desk.sheet), entry)


FORMAT = Pi()
