"""What a run says on stderr: unreadable lines, failures, notes, and the summary line."""

from __future__ import annotations

from collections import Counter

from baodai.accounting import Account, Note
from baodai.batch import Done, Failure
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError
from baodai.jsonl import Problem

_MOST = 5
"""Messages of one kind that are said in full; the rest are counted."""

_SILENT = frozenset({"coarser"})
"""Notes that only the ledger needs."""


class Teller:
    """Says what came of each input, and adds it up."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.transcripts = 0
        self._diagnostics = diagnostics
        self._said: Counter[str] = Counter()
        self._notes: set[tuple[str, str]] = set()
        self._before = self._after = self._unfit = 0
        self._exact = True
        self._decisions: Counter[str] = Counter()

    def done(self, done: Done) -> None:
        """Unreadable lines and failures of one input."""
        self.unread(done.input.name, done.unread)
        for failure in done.failures:
            if failure.trace:
                self._diagnostics.bug_text(failure.trace)
            else:
                self._diagnostics.report(failure)

    def unread(self, name: str, problems: tuple[Problem, ...]) -> None:
        """Lines that could not be read, each with its place, up to a number."""
        for problem in problems[:_MOST]:
            what = f"{problem.text} (byte {problem.offset:,}, {problem.length:,} bytes)"
            # A file that is still being written ends in a part of a line; that is no fault.
            mended = problem.code == "BD105" or not problem.lost
            level = "note" if mended else "warning"
            where = f"{name}:{problem.line}"
            self._diagnostics.say(level, what, code=problem.code, where=where)
        if len(problems) > _MOST:
            more = f"{len(problems):,} lines with a problem in all, carried through untouched"
            self._diagnostics.say("warning", more, where=name)

    def account(self, account: Account) -> None:
        """The notes of one compaction; its numbers go into the sum."""
        self.transcripts += 1
        self._before += account.tokens_before
        self._after += account.tokens_after if account.written else account.tokens_before
        self._unfit += not account.fits
        self._exact = self._exact and account.exact
        for fate in account.decisions:
            if fate.state == "live":
                self._decisions[fate.where] += 1
        for note in account.notes:
            self._note(account, note)

    def _note(self, account: Account, note: Note) -> None:
        key = (note.code, note.text)
        if note.code in _SILENT or key in self._notes:
            return
        self._notes.add(key)
        where = account.source
        if account.conversation not in {"", account.source}:
            where += f" ({account.conversation})"
        if note.level == "error":
            # Errors are never only counted; each of them is a failed promise.
            hint = "--smallest writes it all the same" if note.code in {"BD301", "BD404"} else ""
            failure = Failure(note.code, 1, note.level, note.text, where, hint)
            self._diagnostics.report(failure)
            return
        self.note(note.code, note.text, where, level=note.level)

    def note(self, code: str, text: str, where: str, *, level: str = "note") -> None:
        """A note, up to a number of each code."""
        self._said[code] += 1
        if self._said[code] <= _MOST:
            self._diagnostics.say(level, text, code=code, where=where)

    def failed(self, error: BaodaiError) -> None:
        """An error that does not end its input."""
        self._diagnostics.report(error)

    def rest(self, where: str = "") -> None:
        """How many notes were not said, and where they are."""
        for code, count in self._said.items():
            if count > _MOST:
                self._diagnostics.say("note", f"and {count - _MOST:,} more notes of {code}{where}")

    def summary(self, ledger: str) -> None:
        """One line: tokens, share saved, decisions, where the record is."""
        self.rest(" (baodai report notes)")
        if not self.transcripts:
            return
        kept = sum(self._decisions.values()) - self._decisions["lost"]
        about = "" if self._exact else "~"
        saved = 100 * (self._before - self._after) / self._before if self._before else 0.0
        counted = f"{self.transcripts:,} conversations: " if self.transcripts > 1 else ""
        parts = [
            f"{counted}{about}{self._before:,} -> {about}{self._after:,} tokens",
            f"saved {saved:.1f}%",
            f"{kept:,} of {sum(self._decisions.values()):,} live decisions kept",
        ]
        if self._unfit:
            parts.append(f"{self._unfit:,} did not fit")
        if ledger:
            parts.append(ledger)
        self._diagnostics.line("; ".join(parts))
