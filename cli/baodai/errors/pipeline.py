"""Promises that a compaction cannot keep (BD3xx)."""

from __future__ import annotations

from baodai.errors.base import BaodaiError


class EditConflictError(BaodaiError):
    """A layer proposed an edit that cannot be applied.

    Two edits name the same message, or one names a message that is not in the conversation. This
    is a fault of baodai, never of the input; please report it with the command you ran.
    """

    code = "BD390"
    status = 70

    def __init__(self, message_id: str, why: str) -> None:
        super().__init__(f"cannot edit message {message_id!r}: {why}")


class GuaranteeBrokenError(BaodaiError):
    """The output of a compaction would break a promise, so nothing was written.

    The result is not valid for its API where the input was, or does not read back as planned. This
    is a fault of baodai, never of the input; please report it with the command you ran.
    """

    code = "BD391"
    status = 70

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"the output would break a guarantee: {what}", where=where)


class DoesNotFitError(BaodaiError):
    """What must stay is larger than the budget.

    System prompt, decisions, the user's last messages and the newest steps are never left out
    unasked. The message lists what takes the space. A larger `--window`, a smaller `--reserve`, or
    `--smallest`, which writes the smallest valid result all the same, helps. Nothing was written
    for this conversation.
    """

    code = "BD301"
    status = 1


class LostDecisionError(BaodaiError):
    """A live decision of the user is no longer in the output.

    baodai promises that this does not happen; please report it. The original is in the input and
    in the ledger (`baodai report decisions_lost`).
    """

    code = "BD302"
    status = 1


class NotSmallerError(BaodaiError):
    """Compacting would have made the conversation larger, so it came back unchanged.

    That happens to short conversations whose marks would weigh more than what they stand for.
    """

    code = "BD303"
    status = 0
    level = "note"
