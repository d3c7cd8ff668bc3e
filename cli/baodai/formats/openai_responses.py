"""OpenAI's Responses API: items a line, lists of them, requests, responses, recorded exchanges.

What is live is the last request with all it rests on, and its answer. With `store` a history may be
on the server only: what the file does not hold is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._codex_rows import is_rollout
from baodai.formats._exchanges import Exchange, exchanges_in
from baodai.formats._item_types import is_item, is_own
from baodai.formats._items_compose import composed_items
from baodai.formats._responses_read import conversation_of, goes_on
from baodai.formats._responses_write import encode_responses
from baodai.formats.source import Source
from baodai.jsonl import Record
from baodai.model import Conversation


@dataclass(frozen=True, slots=True)
class OpenAIResponses:
    """The codec of items of the Responses API in all their containers."""

    name: str = "openai-responses"
    title: str = "OpenAI Responses: items a line, arrays, requests, responses, recorded exchanges"
    carrier: str = "a developer message before the first item that stays"
    alone: bool = False
    ending: str = ".jsonl"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where items are nobody else's; a rollout of Codex holds them too."""
        if is_rollout(head):
            return 0.0
        scores = [_score(record.value) for record in head]
        return max(scores, default=0.0)

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """Conversations: all items that are lines, or the exchanges that go on from each other."""
        held: list[Record] = []
        exchanges: list[Exchange] = []
        lines = False
        for record in records:
            found = exchanges_in(record.value, len(held), record.number)
            listed = _items_of(record.value)
            item = is_item(record.value)
            starts = bool(found or listed) and bool(exchanges or lines)
            if (starts and not goes_on(exchanges, found)) or (item and exchanges):
                yield conversation_of(self.name, source, held, exchanges)
                held, exchanges, lines = [], [], False
                found = exchanges_in(record.value, 0, record.number)
            held.append(record)
            exchanges.extend(found)
            lines = lines or item or bool(listed)
        if exchanges or lines:
            yield conversation_of(self.name, source, held, exchanges)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's part of the file, with its edits."""
        yield from encode_responses(conversation)

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says."""
        yield from composed_items(source)


def _items_of(value: object) -> list[object]:
    """The items of a list of nothing else."""
    return value if isinstance(value, list) and value and all(map(is_item, value)) else []


def _score(value: object) -> float:
    if exchanges_in(value, 0, 0):
        return 0.96
    if isinstance(value, list):
        return 0.95 if _items_of(value) and any(map(is_own, value)) else 0.0
    return 0.95 if isinstance(value, Mapping) and is_item(value) and is_own(value) else 0.0


FORMAT = OpenAIResponses()
