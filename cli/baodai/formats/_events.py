"""Session files that hold one message a line in an envelope: read in order, edited in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Scribe, encode_units
from baodai.jsonl import Record
from baodai.model import Conversation, Message

Read = Callable[[Mapping[str, object], int, int], "Iterable[Message] | None"]
"""The messages of a record (value, index, line): none for one that is known and says nothing to the
model, `None` for one that is not known."""


@dataclass(frozen=True, slots=True)
class Events:
    """A codec of such files; `opens` tells the records that are nobody else's.

    `folder` and `session` are the places of the project's folder and the session's id; `finish` has
    all messages at once and leaves out what the model reads no more.
    """

    name: str
    title: str
    carrier: str
    scribe: Scribe
    opens: Callable[[Mapping[str, object]], bool]
    read: Read
    folder: tuple[str, ...] = ("cwd",)
    session: tuple[str, ...] = ("id",)
    rules: str = "anthropic"
    user_carrier: bool = True
    finish: Callable[[list[Message]], list[Message]] = list

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where a record of its own shows."""
        values = (record.value for record in head if isinstance(record.value, Mapping))
        return 0.97 if any(map(self.opens, values)) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a session."""
        raws: list[bytes] = []
        messages: list[Message] = []
        unknown: Counter[str] = Counter()
        named = project = ""
        for index, record in enumerate(records):
            raws.append(record.raw)
            value = record.value
            if not isinstance(value, Mapping):
                continue
            ident, folder = at(value, self.session), at(value, self.folder)
            named = named or (ident if isinstance(ident, str) else "")
            project = project or (folder if isinstance(folder, str) else "")
            found = self.read(value, index, record.number)
            if found is None:
                unknown[str(value.get("type", "record"))] += 1
            else:
                messages.extend(m for m in found if m.blocks)
        if messages:
            around = Around(
                rules=self.rules,
                project=project,
                unknown=unknown,
                user_carrier=self.user_carrier,
            )
            yield assembled(self.name, named or source, raws, self.finish(messages), around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the session with its edits."""
        yield from encode_units(self.scribe, conversation)
