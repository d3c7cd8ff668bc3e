"""Kimi CLI contexts: chat messages a line, with records of its own for prompt, usage and marks.

There is no public file; the shape is that of the program. Its wire.jsonl is a log for the screen
and holds no context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._dialect import Place
from baodai.formats._layouts import at, is_message
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Plain, encode_units
from baodai.formats.openai_chat import OpenAIChat
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Role, Text, Thinking, Usage, Voice

_DIALECT = OpenAIChat()
_PROMPT, _USAGE = "_system_prompt", "_usage"


@dataclass(frozen=True, slots=True)
class KimiCli(Plain):
    """The codec of Kimi CLI's context files."""

    name: str = "kimi-cli"
    title: str = "Kimi CLI contexts (context.jsonl)"
    carrier: str = "a system message after the system prompt"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of roles that begin with an underscore, and of parts named `think`."""
        roles = (at(record.value, ("role",)) for record in head)
        own = any(isinstance(role, str) and role.startswith("_") for role in roles)
        return 0.97 if own or any(_thinks(record.value) for record in head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a file."""
        raws: list[bytes] = []
        messages: list[Message] = []
        unknown: dict[str, int] = {}
        for index, record in enumerate(records):
            raws.append(record.raw)
            value = record.value
            role = at(value, ("role",))
            if role == _USAGE:
                _counted(messages, at(value, ("token_count",)))
            elif role == _PROMPT and isinstance(at(value, ("content",)), str):
                block = Text(str(at(value, ("content",))), Voice.HARNESS, path=("content",))
                place = Message(str(record.number), Role.SYSTEM, (block,), record.number, index)
                messages.append(place)
            elif isinstance(value, Mapping) and is_message(value):
                messages.append(_read(value, index, record.number))
            elif isinstance(value, Mapping) and not str(role).startswith("_"):
                unknown[str(role)] = unknown.get(str(role), 0) + 1
        if messages:
            yield assembled(self.name, source, raws, messages, Around(unknown=unknown))

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the context with its edits."""
        yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a chat message."""
        return _DIALECT.changes(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new chat message."""
        return _DIALECT.fresh(message, near)


def _thinks(value: object) -> bool:
    content = at(value, ("content",))
    parts = content if isinstance(content, list) else []
    return any(at(part, ("type",)) == "think" for part in parts)


def _read(value: Mapping[str, object], index: int, line: int) -> Message:
    """A chat message; parts that think are reasoning."""
    read = _DIALECT.read(value, Place(str(line), index, line, ()))
    content = value.get("content")
    blocks = list(read.blocks)
    for i, part in enumerate(content if isinstance(content, list) else ()):
        if at(part, ("type",)) != "think":
            continue
        text, sealed = at(part, ("think",)), at(part, ("encrypted",))
        at_ = next(k for k, b in enumerate(blocks) if b.path == ("content", i))
        signature = sealed if isinstance(sealed, str) else ""
        blocks[at_] = Thinking(str(text or ""), signature, ("content", i))
    return replace(read, blocks=tuple(blocks))


def _counted(messages: list[Message], tokens: object) -> None:
    """The size of the context after the last answer, as the program was told."""
    if not isinstance(tokens, int):
        return
    for i in range(len(messages) - 1, -1, -1):
        if messages[i].role is Role.ASSISTANT:
            messages[i] = replace(messages[i], usage=Usage(input=tokens))
            return


FORMAT = KimiCli()
