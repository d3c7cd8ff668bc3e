"""Which letters a pattern cannot do without, so that most patterns need not be tried on a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module

_MOST = 3
"""Letters of a key."""

Node = tuple[object, object]


def needed(pattern: str) -> frozenset[str] | None:
    """Strings of 1-3 letters of which at least one is in every text that fits; `None`: unknown."""
    parser = import_module("re._parser")
    try:
        tree = parser.parse(pattern, re.IGNORECASE)
    except re.error:
        return None
    return _of(list(tree))


def _of(nodes: Sequence[Node]) -> frozenset[str] | None:
    """The best of what the nodes of a sequence need, each for itself."""
    best: frozenset[str] | None = None
    run = ""
    for op, value in [*nodes, (None, None)]:
        if str(op) == "LITERAL":
            run += chr(_int(value)).lower()
            continue
        if run:
            best = _better(best, frozenset([run[:_MOST]]))
            run = ""
        best = _better(best, _node(str(op), value))
    return best


def _node(op: str, value: object) -> frozenset[str] | None:
    """What one node needs."""
    if op == "SUBPATTERN" and isinstance(value, tuple):
        return _of(list(value[-1]))
    if op in {"MAX_REPEAT", "MIN_REPEAT"} and isinstance(value, tuple) and value[0] > 0:
        return _of(list(value[2]))
    if op == "BRANCH" and isinstance(value, tuple):
        return _all([_of(list(branch)) for branch in value[1]])
    if op == "IN" and isinstance(value, list):
        letters = [v for o, v in value if str(o) == "LITERAL"]
        if len(letters) == len(value):
            return frozenset(chr(_int(v)).lower() for v in letters)
    return None


def _all(found: Sequence[frozenset[str] | None]) -> frozenset[str] | None:
    keys: set[str] = set()
    for one in found:
        if one is None:
            return None
        keys |= one
    return frozenset(keys)


def _better(a: frozenset[str] | None, b: frozenset[str] | None) -> frozenset[str] | None:
    """The one that rules out more texts: longer keys, then fewer."""
    if a is None or b is None:
        return a or b
    return min(a, b, key=lambda keys: (-min(map(len, keys)), len(keys), sorted(keys)))


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0
