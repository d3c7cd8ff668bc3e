"""Codex CLI rollouts: Responses items in an envelope, beside a mirror of events for the screen.

The model's history is the items, begun anew at each `compacted` record with the history that
replaces it, less the turns that were rolled back. Older rollouts hold the items bare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._codex_history import History
from baodai.formats._codex_write import encode_rollout
from baodai.formats._items import is_item, opens_rollout
from baodai.formats._layouts import at
from baodai.formats._told import Around, assembled
from baodai.jsonl import Record
from baodai.model import Conversation

_ENVELOPES = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"}
)


@dataclass(frozen=True, slots=True)
class CodexRollout:
    """The codec of Codex's session files."""

    name: str = "codex-rollout"
    title: str = "Codex CLI sessions (rollouts)"
    carrier: str = "an appended compacted record whose replacement_history is the new context"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of the envelope; an old rollout begins with a bare header before bare items."""
        values = [record.value for record in head if isinstance(record.value, dict)]
        if any(_enveloped(value) for value in values):
            return 0.97
        return 0.95 if values and opens_rollout(values[0]) and any(map(is_item, values)) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The one conversation of a session."""
        history = History()
        raws: list[bytes] = []
        for index, record in enumerate(records):
            raws.append(record.raw)
            history.take(index, record.number, record.value)
        if not raws or not (history.known or history.aside):
            return
        messages, aside = history.finished()
        around = Around(
            model=history.model,
            project=history.project,
            unknown=history.unknown,
            aside=aside,
            user_carrier=False,
        )
        yield assembled(self.name, history.session or source, raws, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the session with its edits."""
        yield from encode_rollout(conversation)


def _enveloped(value: Mapping[str, object]) -> bool:
    return (
        value.get("type") in _ENVELOPES
        and isinstance(at(value, ("payload",)), dict)
        and "timestamp" in value
    )


FORMAT = CodexRollout()
