"""tau-bench results: a list of tasks, each with its conversation as chat messages.

Tool schemas are not in the file, and ids of calls repeat inside a conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._dialect import Place
from baodai.formats._slices import Slice, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import encode_units
from baodai.formats.openai_chat import OpenAIChat
from baodai.jsonl import Record
from baodai.model import Conversation, Message

_DIALECT = OpenAIChat()


@dataclass(frozen=True, slots=True)
class TauBench:
    """The codec of tau-bench's historical trajectories."""

    name: str = "tau-bench"
    title: str = "tau-bench results: tasks with their conversations"
    carrier: str = "a system message right after the system prompt"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where tasks with a `traj` show."""
        return 0.97 if any(_is_task(_first(record.value)) for record in head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The tasks, one conversation each."""
        for part in slices(records, [()], _is_task):
            messages = list(_messages(part))
            yield assembled(self.name, f"{source}:{part.line}", part.records, messages, Around())

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of a task with its edits."""
        yield from encode_units(_DIALECT, conversation)


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _is_task(value: object) -> bool:
    return isinstance(value, Mapping) and "task_id" in value and isinstance(value.get("traj"), list)


def _messages(part: Slice) -> Iterator[Message]:
    traj = part.value.get("traj") if isinstance(part.value, Mapping) else None
    for i, value in enumerate(traj if isinstance(traj, list) else ()):
        if isinstance(value, Mapping):
            place = Place(f"{part.line}.{i}", part.index, part.line, ("traj", i))
            yield _DIALECT.read(value, place)


FORMAT = TauBench()
