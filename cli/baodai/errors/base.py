"""The base of all errors: what each must say."""

from __future__ import annotations

from typing import ClassVar


class BaodaiError(Exception):
    """Base of all errors a user can meet.

    `what` is the sentence (lower case, no full stop, names the thing), `where` the place
    (`path:line`), `hint` the next step. `status_when` tells when the exit status is that.
    """

    code: ClassVar[str] = "BD000"
    status: ClassVar[int] = 70
    status_when: ClassVar[str] = ""
    level: ClassVar[str] = "error"

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint
