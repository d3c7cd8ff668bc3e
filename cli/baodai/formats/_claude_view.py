"""What the model would see next of a Claude Code session.

After the last compaction, what it kept among it, on the branch that was not left; each growing copy
of an answer once; queued texts where they were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from baodai.formats._claude_attachments import known
from baodai.formats._claude_messages import answers_of, finished, message_of
from baodai.formats._claude_queue import typed_ahead
from baodai.formats._claude_rows import Kind, Row
from baodai.formats._claude_tree import Hint, Tree, copies, preserved
from baodai.heading import summary_range
from baodai.model import Message


@dataclass(frozen=True, slots=True)
class View:
    """The messages in the model's order, the number of the first turn, what is odd in the file.

    `copies` are records that a later one repeats, by index, with that one; `unknown` counts record
    types without a meaning here, `aside` are answers that were paid for and are not in the context.
    """

    messages: tuple[Message, ...]
    first_turn: int
    copies: dict[int, int]
    hints: tuple[Hint, ...]
    unknown: tuple[tuple[str, int], ...]
    aside: tuple[Message, ...]


def view(rows: Sequence[Row]) -> View:
    """The view of a session."""
    return _Viewer(rows).view()


def branches_left(rows: Sequence[Row]) -> frozenset[int]:
    """The records on branches that the user went back from, by index."""
    return frozenset(_Viewer(rows).tree.left)


class _Viewer:
    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._made: dict[int, Message] = {}
        self.tree = Tree(rows, self._typed)
        self._ahead = list(typed_ahead(rows))
        self._hints = list(self.tree.hints())

    def view(self) -> View:
        first, chosen = self._last_context()
        repeated = copies(chosen)
        shown = [row for row in chosen if row.index not in repeated]
        messages = [m for m in map(self._message, shown) if m.blocks]
        answers = answers_of(self._rows)
        usages = {answer.group: answer.usage for answer in answers if answer.usage}
        here = {message.group for message in messages}
        return View(
            finished(messages, usages, self._shared()),
            max(first, 1),
            repeated,
            tuple(self._hints),
            tuple(sorted(self._unknown().items())),
            tuple(answer for answer in answers if answer.group not in here),
        )

    def _last_context(self) -> tuple[int, list[Row]]:
        """The number of the first turn of the last context, and its rows in order."""
        first, chosen = 1, list[Row]()
        begins = [(0, None), *self.tree.compactions()]
        ends = [*(start for start, _ in begins[1:]), len(self._rows)]
        for (start, boundary), end in zip(begins, ends, strict=True):
            kept, anchor, hints = preserved(self.tree, boundary) if boundary else ([], "", [])
            self._hints.extend(hints)
            first += self._turns(chosen) - self._turns(kept)
            own = self._between(start, end, waiting=end == len(self._rows))
            chosen = _placed(own, kept, anchor)
            first = next((r[1] + 1 for r in map(self._range, chosen) if r), first)
        return first, chosen

    def _message(self, row: Row) -> Message:
        made = self._made.get(row.index)
        if made is None:
            made = self._made[row.index] = message_of(row)
        return made

    def _typed(self, row: Row) -> bool:
        """Whether a human typed a row."""
        plain = row.kind in (Kind.USER, Kind.ATTACHMENT, Kind.QUEUE) and not row.results
        return plain and self._message(row).starts_turn

    def _turns(self, rows: Sequence[Row]) -> int:
        return sum(map(self._typed, rows))

    def _between(self, start: int, end: int, *, waiting: bool) -> list[Row]:
        """The rows of a stretch in their order; queued texts where they were read.

        What waits is read next only where no compaction followed.
        """
        ahead: dict[int, list[Row]] = {}
        for typed in self._ahead:
            if start <= typed.at < end and (waiting or not typed.waiting):
                ahead.setdefault(typed.at, []).append(typed.row)
        found: list[Row] = []
        for row in self._rows[start:end]:
            found.extend(ahead.get(row.index, ()))
            if self.tree.seen(row):
                found.append(row)
        return found

    def _range(self, row: Row) -> tuple[int, int] | None:
        return summary_range(self._message(row).text) if row.summary else None

    def _shared(self) -> frozenset[str]:
        """Uuids that more than one record has."""
        counts = Counter(row.uuid for row in self._rows if row.uuid)
        return frozenset(uuid for uuid, count in counts.items() if count > 1)

    def _unknown(self) -> Counter[str]:
        names = [row.label for row in self._rows if row.kind is Kind.UNKNOWN]
        odd = (r for r in self._rows if r.kind is Kind.ATTACHMENT and not known(r.body))
        return Counter([*names, *(f"attachment/{row.body.get('type')}" for row in odd)])


def _placed(own: Sequence[Row], kept: Sequence[Row], anchor: str) -> list[Row]:
    """Kept records stand behind their anchor, the summary, whatever their place in the file."""
    if not kept:
        return list(own)
    moved = {row.index for row in kept}
    rest = [row for row in own if row.index not in moved]
    at = next((i for i, row in enumerate(rest) if anchor and row.uuid == anchor), -1)
    if at < 0:
        at = max((i for i, row in enumerate(rest) if row.summary), default=-1)
    return [*rest[: at + 1], *kept, *rest[at + 1 :]]
