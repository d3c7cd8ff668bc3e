"""Decisions: what the user settled, in their own words, and whether a text still says it.

Owns the types; `detect` finds them, `supersession` settles which are live, `presence` judges
whether a text still holds one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What sort of thing was settled."""

    CHOICE = "choice"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"
    REQUIREMENT = "requirement"
    CONVENTION = "convention"
    CORRECTION = "correction"


class State(StrEnum):
    """Whether it still holds."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing the user settled.

    `id` is a hash of the canonical form (stable over runs and compactions), `tier` 2 explicit or 1
    softer, `polarity` +1 or -1, `object` the thing decided about, `values` bound numbers and
    identifiers in canonical form, `quote` the user's words verbatim, `accepted` the option they
    picked where the words alone do not say it ("B." -> the text of option B).
    """

    id: str
    kind: Kind
    polarity: int
    object: str
    quote: str
    turn: int
    message_id: str
    line: int
    language: str
    values: tuple[str, ...] = ()
    scope: str = ""
    tier: int = 2
    accepted: str = ""
    state: State = State.LIVE
    superseded_by: str = ""
    against: str = ""
    because: str = ""
