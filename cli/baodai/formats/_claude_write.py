"""Writes an edited Claude Code session back.

Without a new summary, records are changed, taken out (their children move to their parent) and put
in where they stand. With one, it is done as Claude Code itself compacts: what stands stays, a
boundary and the summary are appended, and the boundary names the records that stay in the context.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from baodai.formats._blocks import changed
from baodai.formats._claude_fresh import Fresh
from baodai.formats._claude_mirrors import hide
from baodai.formats._claude_queue import typed_ahead
from baodai.formats._claude_rows import Kind, Row, row_of, text_at
from baodai.formats._claude_tree import copies, repeats
from baodai.formats._claude_view import branches_left
from baodai.formats._layouts import at
from baodai.formats._sheet import Sheet
from baodai.formats._writing import untouched
from baodai.formats.anthropic_messages import SHAPE
from baodai.model import Conversation, Message, Path, Role

MEASURE = "baodai"
"""The member of a compaction record's metadata that keeps our measure."""

SESSION, STREAM = "session", "stream-json"

_LINKS = ("parentUuid", "logicalParentUuid", "sourceToolAssistantUUID")
_LISTS: tuple[Path, ...] = (
    ("compactMetadata", "preservedMessages", "uuids"),
    ("compactMetadata", "preservedMessages", "allUuids"),
)
_ANCHORS: tuple[Path, ...] = (
    ("compactMetadata", "preservedMessages", "anchorUuid"),
    ("compactMetadata", "preservedSegment", "anchorUuid"),
)
_ENDS: tuple[tuple[Path, int], ...] = (
    (("compactMetadata", "preservedSegment", "headUuid"), 0),
    (("compactMetadata", "preservedSegment", "tailUuid"), -1),
)


def encode_session(conversation: Conversation) -> Iterator[bytes]:
    """The bytes of a session or a stream with its edits."""
    origin = conversation.origin
    if untouched(conversation):
        yield from origin.records
        return
    yield from _Writer(conversation).lines()


class _Writer:
    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        origin = conversation.origin
        self._sheet = Sheet(origin.records, _sample(origin.records), origin.values)
        self._rows = [row_of(i, i, self._sheet.value(i)) for i in range(len(self._sheet))]
        self._old = {message.id: message for message in origin.messages}
        self._after = conversation.messages
        self._fresh = self._maker(origin.container == STREAM)
        places = {row.uuid: row.index for row in self._rows if row.uuid}
        self._places = places
        self._delivered = {typed.row.index: typed.at for typed in typed_ahead(self._rows)}

    def lines(self) -> Iterator[bytes]:
        """The bytes of the session."""
        fold = [m for m in self._after if m.id not in self._old and m.is_summary]
        kept = {message.id: message for message in self._after}
        after: dict[str, Message | None] = {
            old.id: kept[old.id] for old in self._old.values() if old.id in kept
        }
        if not fold or self._fresh.stream:
            gone = {old.id: None for old in self._old.values() if old.id not in kept}
            after |= gone
            if any(self._old[key].starts_turn for key in gone) or self._parts_a_fork():
                # A branch counts as left because of the prompt that took its place.
                self._sheet.gone.update(branches_left(self._rows))
        self._edit(after)
        if fold and not self._fresh.stream:
            self._fold(fold[0])
        else:
            self._mend()
            if self._conversation.measure is not None and not self._fresh.stream:
                # No ids: Claude Code clears the results it finds listed, and these hold digests.
                data = self._metadata() | {"compactedToolIds": []}
                record = self._fresh.shrunk(self._last_uuid(self._heirs()), data)
                self._sheet.insert(len(self._sheet), record)
        return self._sheet.lines()

    def _metadata(self) -> dict[str, object]:
        """What a record of compaction says: how large it was, how baodai measured it."""
        data: dict[str, object] = {"trigger": "auto", "preTokens": self._tokens()}
        measure = self._conversation.measure
        return data if measure is None else data | {MEASURE: asdict(measure)}

    def _parts_a_fork(self) -> bool:
        """Whether something new that is no note stands before a prompt."""
        pairs = zip(self._after, self._after[1:], strict=False)
        return any(
            new.id not in self._old
            and later.starts_turn
            and (new.role is Role.ASSISTANT or new.starts_turn)
            for new, later in pairs
        )

    def _maker(self, stream: bool) -> Fresh:
        with_id = [row for row in self._rows if row.uuid and not row.side and row.whole]
        named = [r for r in with_id if {"sessionId", "session_id"} & set(r.whole)] or with_id
        conversation = self._conversation
        last = (
            named[-1].whole
            if named
            else {"cwd": conversation.project, "sessionId": conversation.id}
        )
        stamps = [row.stamp for row in self._rows if row.stamp]
        stamps = stamps or [m.timestamp for m in conversation.messages if m.timestamp]
        ids = [row.uuid for row in with_id]
        seed = f"{conversation.id if not ids else ids[-1]}\0{len(self._rows)}"
        return Fresh(last, stamps[-1] if stamps else "", seed, conversation.model, stream)

    def _edit(self, after: Mapping[str, Message | None]) -> None:
        """Rewrite, and take out, with everything that repeats it."""
        shadows: dict[int, list[int]] = {}
        for shadow, row in (copies(self._rows) | repeats(self._rows)).items():
            shadows.setdefault(row, []).append(shadow)
        for key, now in after.items():
            old = self._old[key]
            if now is old or now == old:
                continue
            if now is not None:
                value = self._sheet.value(old.record)
                self._sheet.change(old.record, changed(old, now, value, SHAPE))
            else:
                self._take_out(old.record)
            waiting = list(shadows.get(old.record, ()))
            while waiting:
                index = waiting.pop()
                self._sheet.gone.add(index)
                waiting.extend(shadows.get(index, ()))
        hide(self._sheet, self._conversation.origin.messages, after)

    def _take_out(self, index: int) -> None:
        if self._rows[index].kind is Kind.QUEUE:
            # The operations on the queue are read in their order; an empty entry says nothing.
            self._sheet.put(index, ("content",), "")
        else:
            self._sheet.gone.add(index)

    # Without a summary: in place.

    def _mend(self) -> None:
        """Put new records in, and mend the links of those whose neighbours came or went."""
        heirs = self._heirs()
        above: dict[int, str] = {}
        fresh: list[tuple[str, str]] = []
        last = self._last_uuid(heirs)
        for i, message in enumerate(self._after):
            if message.id in self._old:
                continue
            follower = self._follower(i)
            parent = last if follower is None else self._above(follower, above, heirs)
            record = self._fresh.message(message, parent or None)
            uuid = str(record["uuid"])
            index = len(self._sheet)
            if follower is not None:
                index = self._delivered.get(follower.index, follower.index)
                above[follower.index] = uuid
                fresh.append((uuid, follower.uuid))
            else:
                last = uuid
            self._sheet.insert(index, record)
        for row in self._rows:
            if row.index not in self._sheet.gone:
                self._relink(row, heirs, above.get(row.index))
            if row.kind is Kind.BOUNDARY:
                self._relist(row, heirs, fresh)

    def _heirs(self) -> dict[str, str]:
        """For each id that is gone the nearest one above that stays, empty where none does."""
        stays = {r.uuid for r in self._rows if r.uuid and r.index not in self._sheet.gone}
        above = {r.uuid: r.parent for r in self._rows if r.uuid and r.uuid not in stays}
        heirs: dict[str, str] = {}
        for uuid in above:
            chain: dict[str, None] = {}
            place = uuid
            while place in above and place not in heirs and place not in chain:
                chain[place] = None
                place = above[place]
            heir = heirs.get(place, "" if place in chain else place)
            heirs.update(dict.fromkeys(chain, heir))
        return heirs

    def _follower(self, i: int) -> Row | None:
        """The row of the next message that stands in the file."""
        found = (self._old.get(later.id) for later in self._after[i + 1 :])
        record = next((message.record for message in found if message is not None), None)
        return None if record is None else self._rows[record]

    def _last_uuid(self, heirs: Mapping[str, str]) -> str:
        ids = [row.uuid for row in self._rows if row.uuid and not row.side]
        return heirs.get(ids[-1], ids[-1]) if ids else ""

    def _above(self, row: Row, above: Mapping[int, str], heirs: Mapping[str, str]) -> str:
        return above.get(row.index) or heirs.get(row.parent, row.parent)

    def _relink(self, row: Row, heirs: Mapping[str, str], parent: str | None) -> None:
        for key in _LINKS:
            named = text_at(row.whole, key)
            if key == "parentUuid" and parent is not None and key in row.whole:
                self._sheet.put(row.index, (key,), parent)
            elif named in heirs:
                self._sheet.put(row.index, (key,), heirs[named] or None)

    def _relist(self, row: Row, heirs: Mapping[str, str], fresh: Sequence[tuple[str, str]]) -> None:
        """A compaction that kept records names those that came and went since."""
        named = {path: at(row.whole, path) for path in _LISTS}
        for path, uuids in named.items():
            if isinstance(uuids, list):
                now = list(_renamed(uuids, heirs, fresh))
                if now != uuids:
                    self._sheet.put(row.index, path, now)
                    self._resegment(row, now)
        for path in _ANCHORS:
            anchor = at(row.whole, path)
            if isinstance(anchor, str) and anchor in heirs:
                self._sheet.put(row.index, path, heirs[anchor])

    def _resegment(self, row: Row, uuids: Sequence[object]) -> None:
        for path, position in _ENDS:
            if at(row.whole, path) is not None and uuids:
                self._sheet.put(row.index, path, uuids[position])

    # With a summary: appended.

    def _fold(self, summary: Message) -> None:
        """Append the boundary, the summary, and what no record of the file can stand for."""
        position = self._after.index(summary)
        boundary = self._fresh.uuid("boundary")
        lines, above = self._chained(self._after[:position], boundary)
        carrier = self._fresh.message(summary, above)
        anchor = str(carrier["uuid"])
        lines.append(carrier)
        kept: list[str] = []
        for message in self._after[position + 1 :]:
            parent = kept[-1] if kept else anchor
            if not self._nameable(message):
                again, parent = self._chained((message,), parent)
                lines.extend(again)
                kept.append(parent)
            else:
                kept.append(message.id)
        before = self._last_uuid({})
        record = self._fresh.boundary(boundary, before, self._metadata(), kept, anchor)
        for line in (record, *lines):
            self._sheet.insert(len(self._sheet), line)

    def _chained(self, messages: Sequence[Message], parent: str) -> tuple[list[object], str]:
        """Records of their own for messages, each the child of the one before."""
        lines: list[object] = []
        for message in messages:
            line, parent = self._again(message, parent)
            lines.append(line)
        return lines, parent

    def _nameable(self, message: Message) -> bool:
        """Whether a boundary can name the record of a message: it has a uuid of its own."""
        old = self._old.get(message.id)
        return old is not None and self._rows[old.record].uuid == message.id

    def _again(self, message: Message, parent: str) -> tuple[object, str]:
        """A record of its own for a message, a copy or a new one, and its uuid."""
        old = self._old.get(message.id)
        row = None if old is None else self._rows[old.record]
        if row is None or row.kind is Kind.QUEUE:
            record = self._fresh.message(message, parent)
            return record, str(record["uuid"])
        uuid = self._fresh.uuid(message.id)
        return self._sheet.changed(row.index, {("parentUuid",): parent, ("uuid",): uuid}), uuid

    def _tokens(self) -> int:
        """The tokens of the context, as the last answer that stands in it reported them."""
        usages = [m.usage for m in self._conversation.origin.messages if m.usage is not None]
        return usages[-1].input + usages[-1].output if usages else 0


def _sample(records: Sequence[bytes]) -> int:
    """The record whose style new ones take: the last that has an id."""
    return next((i for i in reversed(range(len(records))) if b'"uuid"' in records[i]), 0)


def _renamed(
    uuids: Sequence[object], heirs: Mapping[str, str], fresh: Sequence[tuple[str, str]]
) -> Iterator[object]:
    """A list of ids with new ones before those they precede, without those that are gone."""
    for uuid in uuids:
        yield from (new for new, before in fresh if before and before == uuid)
        if uuid not in heirs:
            yield uuid
