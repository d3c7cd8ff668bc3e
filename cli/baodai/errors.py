"""Every error a user can meet: a stable code, an exit status, one sentence, one hint.

The docstring of a class is the long story that `baodai explain BDnnn` prints. Codes are never
reused. Families: BD1xx input, BD2xx configuration and names, BD3xx pipeline, BD4xx model and
provider, BD5xx stores, BD6xx recovery.
"""

from __future__ import annotations

from typing import ClassVar


class BaodaiError(Exception):
    """Base of all errors a user can meet.

    `what` is the sentence (lower case, no full stop, names the thing), `where` the place
    (`path:line`), `hint` the next step.
    """

    code: ClassVar[str] = "BD000"
    status: ClassVar[int] = 70
    level: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint


class EditConflictError(BaodaiError):
    """A layer proposed an edit that cannot be applied.

    Two edits name the same message, or one names a message that is not in the conversation. This
    is a fault of baodai, never of the input; please report it with the command you ran.
    """

    code = "BD390"
    status = 70

    def __init__(self, message_id: str, why: str) -> None:
        super().__init__(f"cannot edit message {message_id!r}: {why}")
