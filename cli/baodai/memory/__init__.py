"""Long-term memory: facts the user said, kept across conversations.

Owns the types and the protocol; `sqlite` is the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from baodai.edits import Fact


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored fact. Times are ISO 8601 from the transcript, empty where it has none.

    `status` is "live", "superseded" or "withdrawn"; `scope` the project folder it belongs to, empty
    for the user's own facts.
    """

    id: str
    kind: str
    text: str
    quote: str
    source: str
    line: int
    language: str
    scope: str
    first_seen: str
    last_seen: str
    times_seen: int
    status: str
    superseded_by: str = ""


class MemoryStore(Protocol):
    """Where facts are kept."""

    def put(self, facts: Sequence[Fact], *, source: str, scope: str) -> int:
        """Store facts, idempotently; the number of rows that are new."""
        ...

    def search(self, query: str, limit: int, *, scope: str) -> Sequence[Memory]:
        """The live memories that bear on `query`, best first."""
        ...
