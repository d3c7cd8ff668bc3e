"""Whether an answer was cut off, and what of it: by its stop signal, else by evidence.

Evidence (PROVIDERS 3.5): arguments that do not end, as many tokens as the cap, an open code fence.
"""

from __future__ import annotations

import json

from baodai.recovery import Answer, Cut
from baodai.recovery.fences import open_fence
from baodai.stops import Stop, stop_of


def cut_of(answer: Answer, cap: int | None) -> Cut:
    """What was cut off of an answer that might take `cap` tokens (`None`: not known)."""
    stop = stop_of(answer.reason)
    if stop is Stop.OVERFLOW:
        return Cut.OVERFLOW
    if not answer.reason:
        return Cut.BROKEN
    if stop is Stop.CUT:
        return _what(answer)
    return Cut.NOT if stop in {Stop.REFUSED, Stop.FAILED} else _evident(answer, cap)


def _evident(answer: Answer, cap: int | None) -> Cut:
    """What the answer itself shows, where the signal says that it is whole."""
    full = cap is not None and answer.output >= cap > 0
    if answer.calls:
        # All of the cap was used: even calls that parse may be cut, or more may have followed.
        lost = full or any(_unended(call.arguments) for call in answer.calls)
        # A short answer with broken JSON is a mistake of the model, not a cut.
        return Cut.CALL if lost and (full or not answer.output) else Cut.NOT
    opened = not answer.output and open_fence(answer.text) is not None
    return Cut.TEXT if answer.text and (full or opened) else Cut.NOT


def _what(answer: Answer) -> Cut:
    if answer.calls:
        return Cut.CALL
    if answer.text.strip():
        return Cut.TEXT
    return Cut.THINKING if answer.thinking.strip() else Cut.OVERFLOW


def _unended(arguments: str) -> bool:
    """Whether JSON stops before its end; what is merely wrong does not count."""
    try:
        json.loads(arguments or "{}")
    except json.JSONDecodeError as error:
        return error.pos >= len(arguments.rstrip()) - 1 or "Unterminated" in error.msg
    return False
