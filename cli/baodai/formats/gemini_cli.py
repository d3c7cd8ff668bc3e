"""Gemini CLI sessions: one object, or a log of changes to one.

A record holds an answer with its calls and their results. In the log a message that comes again
replaces the one of its id, `$set.messages` replaces all, `$rewindTo` takes back from an id on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._copies import Copy, hide
from baodai.formats._gemini_read import Recording
from baodai.formats._layouts import at
from baodai.formats._parts import put_response
from baodai.formats._sheet import Changes, Sheet
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units, folds, values_after
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path, Role, ToolCall


@dataclass(frozen=True, slots=True)
class GeminiCli(Plain):
    """The codec of Gemini CLI's chat recordings."""

    name: str = "gemini-cli"
    title: str = "Gemini CLI sessions: one object, or a log of changes"
    carrier: str = "a marked first user message; in a log, a $set of all messages"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of a session with a project's hash, and of the log's changes."""
        values = [record.value for record in head if isinstance(record.value, Mapping)]
        known = any({"sessionId", "projectHash"} <= value.keys() for value in values)
        changes = any("$set" in value or "$rewindTo" in value for value in values)
        return 0.97 if known or changes else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a session."""
        recording = Recording()
        raws: list[bytes] = []
        for index, record in enumerate(records):
            raws.append(record.raw)
            recording.take(index, record.number, record.value)
        messages = list(recording.messages())
        if not messages and not recording.named:
            return
        around = Around(
            rules="google",
            project=recording.project,
            unknown=recording.unknown,
            aside=tuple(recording.aside),
            user_carrier=True,
        )
        yield assembled(self.name, recording.named or source, raws, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold of a log is appended as the log's own `$set`."""
        in_log = any(m.path[:1] != ("messages",) for m in conversation.origin.messages)
        if not (in_log and folds(conversation)):
            yield from encode_units(self, conversation)
            return
        sheet = Sheet(conversation.origin.records)
        sheet.insert(len(sheet), {"$set": {"messages": values_after(self, conversation)}})
        yield from sheet.lines()

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message, its calls or its results."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message; it takes its time from its neighbour."""
        stamp = at(near, ("timestamp",))
        kind = "gemini" if message.role is Role.ASSISTANT else "user"
        said: object = message.text if kind == "gemini" else [{"text": message.text}]
        return {
            "id": f"baodai-{message.id}",
            "timestamp": stamp if isinstance(stamp, str) else "1970-01-01T00:00:00.000Z",
            "type": kind,
            "content": said,
        }

    def mend(self, desk: Desk) -> None:
        """Hide what the screen shows of results, and earlier versions of edited messages."""
        hide(desk, _copies(desk.before))
        edited = {old.id.partition(":")[0]: old.record for old, _ in desk.edited}
        for index in range(len(desk.sheet)):
            ident = desk.sheet.at(index, ("id",))
            if isinstance(ident, str) and ident in edited and edited[ident] != index:
                desk.sheet.gone.add(index)


def _copies(messages: Sequence[Message]) -> Iterator[Copy]:
    for message in messages:
        for result in message.results:
            place: Path = (*result.path[:-1], "resultDisplay")
            yield Copy(result.call_id, message.record, place)
        if message.role is Role.USER:
            yield Copy(message.id, message.record, (*message.path, "displayContent"))


def _put_args(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "args"))


_SHAPE = replace(Shape(_put_args), put=put_response)

FORMAT = GeminiCli()
