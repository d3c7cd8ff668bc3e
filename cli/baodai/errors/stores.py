"""Ledger and memory (BD5xx)."""

from __future__ import annotations

from baodai.errors.base import BaodaiError


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
    """The ledger file is damaged, no DuckDB file at all, or the database of another program.

    Everything in it can be built again from the transcripts: move the file away and run again.
    """

    code = "BD502"
    status = 2

    def __init__(self, path: str, why: str = "") -> None:
        hint = "move it away and run again; it is built anew from the transcripts"
        said = f": {why}" if why else ""
        super().__init__(f"{path} is no ledger that can be read{said}", where=path, hint=hint)


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


class ReportError(BaodaiError):
    """DuckDB refused a report, most often because a parameter has the wrong type.

    The `.sql` file of a report runs as it is in the duckdb shell, where its parameters are
    variables (`SET VARIABLE "limit" = 5;`): the quickest way to see what it makes of one.
    """

    code = "BD506"
    status = 2

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"report {name} failed: {why}", hint="check the values of its parameters")


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
