"""Long string values in the arguments of a call are shortened; the arguments stay valid JSON."""

from __future__ import annotations

from baodai.jsonl.values import dumps, loads
from baodai.tokens import surely_within
from baodai.truncation import Count, CutContext
from baodai.truncation.json import shortened

_STEPS = (400, 200, 120, 60)
_ITEMS = 1_000_000
"""Lists are parameters (paths, ranges): their elements stay, only long strings in them go."""


def shorten_arguments(arguments: str, limit: int, count: Count, context: CutContext) -> str:
    """The arguments in about `limit` tokens: long strings cut, all else as it was.

    Text that is not JSON comes out unchanged; so does what is short enough.
    """
    if surely_within(arguments, limit) or count(arguments) <= limit:
        return arguments
    try:
        value = loads(arguments.encode("utf-8", "replace"))
    except ValueError:
        return arguments
    made = arguments
    for chars in _STEPS:
        made = dumps(shortened(value, _ITEMS, chars, context)).decode()
        if count(made) <= limit:
            break
    return made if len(made) < len(arguments) else arguments
