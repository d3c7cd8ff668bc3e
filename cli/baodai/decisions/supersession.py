"""Which decisions still hold: later ones on the same thing override, permissions withdraw.

A different scope is no override, near-duplicates stay distinct, and what was said twice is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from baodai.decisions import Decision, Kind, State
from baodai.decisions.lexicon import lexicon
from baodai.decisions.keys import keys_of
from baodai.decisions.values import values_of

_SCOPE = re.compile(
    r"\b(?:in|for|on) (?:the )?(tests?|prod(?:uction)?|staging|dev(?:elopment)?|ci|docs?|frontend|backend|local(?:ly)?|mobile|web)\b"
    r"|(测试|生产|开发|线上|本地|前端|后端|文档|预发)(?:环境|里|中|用|库)?",
    re.IGNORECASE,
)
_ELLIPTICAL = 60
_SAME = 0.34


def resolve(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """The decisions in order with `state` and `superseded_by` settled; repeated ones once."""
    found: list[Decision] = []
    keys: list[frozenset[str]] = []
    seen: dict[str, int] = {}
    for decision in decisions:
        folded = " ".join(decision.quote.lower().split())
        if folded in seen and found[seen[folded]].state is State.LIVE and len(folded) > 12:
            continue
        mine = keys_of(f"{decision.quote} {decision.accepted}")
        _override(found, keys, decision, mine)
        seen[folded] = len(found)
        found.append(replace(decision, scope=scope_of(decision.quote)))
        keys.append(mine)
    return tuple(found)


def scope_of(text: str) -> str:
    named = _SCOPE.search(text)
    return (named.group(1) or named.group(2)).lower() if named else ""


def _override(
    found: list[Decision], keys: list[frozenset[str]], new: Decision, mine: frozenset[str]
) -> None:
    """Mark what `new` overrides, newest first."""
    look = lexicon(han=True).look(new.quote)
    overrides = look.find("override", new.quote) is not None
    permits = look.find("permit", new.quote) is not None
    if not (overrides or permits):
        return
    scope = scope_of(new.quote)
    for i in range(len(found) - 1, -1, -1):
        old = found[i]
        if (
            old.state is not State.LIVE
            or old.scope != scope
            or not _replaces(old, new, keys[i], mine)
        ):
            continue
        state = State.WITHDRAWN if permits and not overrides else State.SUPERSEDED
        found[i] = replace(old, state=state, superseded_by=new.id)
        return


def _replaces(old: Decision, new: Decision, theirs: frozenset[str], mine: frozenset[str]) -> bool:
    """Whether the two speak of one thing: shared keys, or an ellipsis right after a choice."""
    if old.tier < 2 or (old.kind is Kind.CORRECTION and old.turn == new.turn):
        return False
    values = set(old.values) | set(values_of(new.quote))
    shared = (theirs & mine) - values
    if shared and len(shared) >= _SAME * min(len(theirs - values) or 1, len(mine - values) or 1):
        return True
    short = len(new.quote) <= _ELLIPTICAL and new.turn - old.turn <= 3
    return short and not (mine - values - theirs) and bool(set(new.values)) and bool(old.values)
