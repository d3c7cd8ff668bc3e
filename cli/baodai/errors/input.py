"""Input that cannot be read (BD101 to BD139)."""

from __future__ import annotations

from baodai.errors.base import BaodaiError


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

    A compressed file whose end is missing (BD111) gives what was whole of it. By default such a
    line is reported with its number and carried through; with `--strict` it ends the file.
    """

    code = "BD104"
    status = 3
    status_when = " with --strict, else none"


class MendedRecordError(BaodaiError):
    """A record was read, but not as it stands: half surrogates (BD109), two on a line (BD110).

    Half of a character outside the basic plane, left by a cut inside it, is read as U+FFFD; a line
    on which two records stand is read as both. In the output such a line stays as it was unless
    something in it is edited.
    """

    code = "BD109"
    status = 0
    level = "note"


class FileTooLargeError(BaodaiError):
    """A compressed file unpacks to more than the limit, or a line is longer than its limit (BD108).

    The limits keep a small file from filling the memory: 16 GB for a file once unpacked, 512 MB for
    a line.
    """

    code = "BD107"
    status = 3

    def __init__(self, name: str, limit: int) -> None:
        super().__init__(f"{name} unpacks to more than {limit:,} bytes", where=name)
