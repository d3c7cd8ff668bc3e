"""The only writer to stderr, and the arithmetic of the exit status.

Owns how errors, warnings, notes and the summary line look. Never writes to stdout, never raises
because a console cannot show a sign or is gone.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Protocol, TextIO

_STATUS_ORDER = (70, 130, 2, 5, 4, 3, 1)
"""Where several apply the first counts: unread inputs (3) are said before failed gates (1)."""

_COLOURS = {"error": "1;31", "warning": "1;33", "note": "1;36"}

BUG = 70
INTERRUPTED = 130


class Reportable(Protocol):
    """What can be reported: a `BaodaiError`, or its plain copy from another process."""

    @property
    def code(self) -> str:
        """`BDnnn`, or a word, or empty."""
        ...

    @property
    def status(self) -> int:
        """Its exit status."""
        ...

    @property
    def level(self) -> str:
        """`error`, `warning` or `note`."""
        ...

    @property
    def what(self) -> str:
        """One sentence, lower case, no full stop."""
        ...

    @property
    def where(self) -> str:
        """`path:line`, or empty."""
        ...

    @property
    def hint(self) -> str:
        """The next step, or empty."""
        ...


class Diagnostics:
    """Says to stderr what a user should know, and remembers what it means for the exit status."""

    def __init__(self, stream: TextIO, *, colour: bool = False, quiet: bool = False) -> None:
        self.warnings = 0
        self.quiet = quiet
        self._stream = stream
        self._colour = colour
        self._statuses: set[int] = set()

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str]) -> Diagnostics:
        """Colour only on a terminal that wants it (NO_COLOR, TERM=dumb)."""
        plain = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        return cls(stream, colour=stream.isatty() and not plain)

    @property
    def terminal(self) -> bool:
        """Whether somebody watches."""
        return self._stream.isatty()

    def report(self, found: Reportable) -> None:
        """An error, warning or note with all there is to say of it."""
        self.failed(found.status)
        self.say(found.level, found.what, code=found.code, where=found.where, hint=found.hint)

    def say(
        self, level: str, what: str, *, code: str = "", where: str = "", hint: str = ""
    ) -> None:
        """One message: `level[code]: what`, then where, hint, and where to read more."""
        if level == "warning":
            self.warnings += 1
        if self.quiet and level == "note":
            return
        head = self._painted(level, f"{level}[{code}]" if code else level)
        lines = [f"{head}: {what}"]
        if where:
            lines.append(f"  --> {where}")
        if hint:
            lines.append(f" hint: {hint}")
        if level == "error" and code.startswith("BD"):
            lines.append(f" more: baodai explain {code}")
        self._write("\n".join(lines))

    def line(self, text: str) -> None:
        """A plain line, the summary of a run; not with `--quiet`."""
        if not self.quiet:
            self._write(text)

    def bug(self, error: BaseException) -> None:
        """An unexpected exception: a fault of baodai, so the traceback is shown."""
        self.bug_text("".join(traceback.format_exception(error)))

    def bug_text(self, trace: str) -> None:
        """The same, from a worker's traceback as text."""
        self.failed(BUG)
        what = "this is a bug of baodai, not of your input; please report it with the lines above"
        self._write(f"{trace.rstrip()}\n{self._painted('error', 'error')}: {what}")

    def failed(self, status: int) -> None:
        """Remember an exit status; 0 is none."""
        if status:
            self._statuses.add(status)

    def status(self) -> int:
        """The exit status of all that was reported."""
        first = next((status for status in _STATUS_ORDER if status in self._statuses), 0)
        return first or next(iter(sorted(self._statuses)), 0)

    def _painted(self, level: str, text: str) -> str:
        return f"\x1b[{_COLOURS.get(level, '1')}m{text}\x1b[0m" if self._colour else text

    def _write(self, text: str) -> None:
        encoding = self._stream.encoding or "utf-8"
        shown = text.encode(encoding, "backslashreplace").decode(encoding, "replace")
        try:
            self._stream.write(shown + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            # Nobody reads stderr any more; the exit status still tells.
            return
