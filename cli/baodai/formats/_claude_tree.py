"""The tree of a Claude Code session: branches left behind, what a compaction kept, copies.

Owns the reading of `parentUuid`. Parallel calls and progress make every node a branching point, so
a branch counts as left behind only where a human spoke twice at one place. A parent that is missing
costs nothing: order is the file's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from baodai.formats._claude_rows import Kind, Row, kind_of, text_at

_SEEN = frozenset({Kind.USER, Kind.ASSISTANT, Kind.ATTACHMENT, Kind.COMMAND})

Hint = tuple[str, str]


class Tree:
    """Rows by uuid, and which of them lie on branches that were left (`left`, by index).

    `typed` tells whether a human typed a row.
    """

    def __init__(self, rows: Sequence[Row], typed: Callable[[Row], bool]) -> None:
        self.rows = rows
        self.typed = typed
        self.place: dict[str, int] = {}
        for row in rows:
            if row.uuid:
                self.place.setdefault(row.uuid, row.index)
        self._all_side = all(row.side for row in rows if row.uuid)
        self._twice = repeats(rows)
        self.left = self._branches_left()

    def parent(self, row: Row) -> int:
        """The place of a row's parent, -1 where it has none in this file."""
        return self.place.get(row.parent, -1) if row.parent else -1

    def seen(self, row: Row) -> bool:
        """Whether a row is part of some context: the main thread's, on a branch that was kept.

        In a sub-agent's own file everything is a side chain, and all of it counts.
        """
        if row.kind not in _SEEN or row.index in self.left or row.index in self._twice:
            return False
        return self._all_side or not row.side

    def compactions(self) -> list[tuple[int, Row | None]]:
        """Where contexts begin on the branch that was kept: the first row, the boundary before.

        Versions that wrote no boundary began a new root with the summary.
        """
        found: list[tuple[int, Row | None]] = []
        opened = False
        for row in self.rows:
            if row.kind is Kind.BOUNDARY and row.index not in self.left and not row.side:
                found.append((row.index + 1, row))
                opened = True
            elif row.summary and self.seen(row):
                if not opened and row.index and row.whole.get("parentUuid", "") is None:
                    found.append((row.index, None))
                opened = False
        return found

    def hints(self) -> Iterator[Hint]:
        """Parents that are not in the file."""
        told: set[str] = set()
        for row in self.rows:
            if row.parent and row.uuid and row.parent not in self.place and row.parent not in told:
                told.add(row.parent)
                yield "missing-parent", f"line {row.line}: parent {row.parent} is not in the file"

    def _branches_left(self) -> set[int]:
        """The rows below prompts that were taken back, and those prompts."""
        meeting: dict[tuple[int, int], list[int]] = {}
        epoch = 0
        for row in self.rows:
            epoch += row.kind is Kind.BOUNDARY
            if row.kind is Kind.USER and not row.side and self.parent(row) >= 0 and self.typed(row):
                # A prompt after a compaction may follow a kept record that was answered before it.
                meeting.setdefault((epoch, self._spoken_to(row)), []).append(row.index)
        forks = [prompts for (_, at), prompts in meeting.items() if at >= 0 and len(prompts) > 1]
        if not forks:
            return set()
        reach = self._reach()
        lost = {
            p for prompts in forks for p in prompts if reach[p] < max(reach[q] for q in prompts)
        }
        # Twice, since a parent may stand behind its child in the file.
        for row in (*self.rows, *self.rows):
            if self.parent(row) in lost:
                lost.add(row.index)
        return lost

    def _spoken_to(self, row: Row) -> int:
        """The nearest record above that a model or a tool wrote, or that a human typed."""
        at = self.parent(row)
        for _ in range(len(self.rows)):
            above = self.rows[at] if at >= 0 else None
            if above is None or above.kind is Kind.ASSISTANT:
                return at
            if above.kind is Kind.USER and (above.results or above.summary or self.typed(above)):
                return at
            if above.kind is Kind.BOUNDARY:
                return at
            at = self.parent(above)
        return -1

    def _reach(self) -> list[int]:
        """For each row the last row below it in the file."""
        reach = list(range(len(self.rows)))
        for _ in range(2):
            for row in reversed(self.rows):
                above = self.parent(row)
                if above >= 0 and reach[row.index] > reach[above]:
                    reach[above] = reach[row.index]
        return reach


def repeats(rows: Iterable[Row]) -> dict[int, int]:
    """Rows that repeat an earlier one with its id, as a resumed session does, with that one."""
    first: dict[str, Row] = {}
    found: dict[int, int] = {}
    for row in rows:
        if row.uuid and row.kind in _SEEN:
            before = first.setdefault(row.uuid, row)
            if before is not row and before.body == row.body:
                found[row.index] = before.index
    return found


def preserved(tree: Tree, boundary: Row) -> tuple[list[Row], str, list[Hint]]:
    """The rows a compaction kept, the uuid after which they stand, and what is amiss."""
    data = boundary.whole.get("compactMetadata", boundary.whole.get("compact_metadata"))
    kept = data.get("preservedMessages") if isinstance(data, dict) else None
    if isinstance(kept, dict) and isinstance(kept.get("uuids"), list):
        wanted = [uuid for uuid in kept["uuids"] if isinstance(uuid, str)]
        rows = [tree.rows[tree.place[uuid]] for uuid in wanted if uuid in tree.place]
        found = [row for row in rows if row.kind in _SEEN]
        lost = len(wanted) - len(rows)
        text = f"line {boundary.line}: {lost} kept records are not in the file"
        return found, text_at(kept, "anchorUuid"), [("missing-kept", text)] if lost else []
    segment = data.get("preservedSegment") if isinstance(data, dict) else None
    if not isinstance(segment, dict):
        return [], "", []
    head = tree.place.get(text_at(segment, "headUuid"))
    tail = tree.place.get(text_at(segment, "tailUuid"))
    if head is None or tail is None:
        text = f"line {boundary.line}: the kept segment is not in the file"
        return [], "", [("missing-kept", text)]
    found = [row for row in tree.rows[head : tail + 1] if tree.seen(row)]
    return found, text_at(segment, "anchorUuid"), []


def copies(rows: Sequence[Row]) -> dict[int, int]:
    """Rows that a later row of the same message repeats and goes on from, with that row.

    Some versions write an answer again while it grows.
    """
    last: dict[str, Row] = {}
    found: dict[int, int] = {}
    for row in rows:
        if row.kind is not Kind.ASSISTANT or not row.group:
            continue
        before = last.get(row.group)
        if before is not None and _covers(row.items, before.items):
            found[before.index] = row.index
        last[row.group] = row
    return found


def _covers(new: Sequence[object], old: Sequence[object]) -> bool:
    if not old or len(new) < len(old):
        return False
    return all(_grown(a, b) for a, b in zip(new, old, strict=False))


def _grown(new: object, old: object) -> bool:
    name = kind_of(old)
    if name != kind_of(new):
        return False
    if name == "text":
        said = text_at(old, "text")
        return bool(said) and text_at(new, "text").startswith(said)
    if name == "thinking":
        said = text_at(old, "thinking")
        return bool(said) and text_at(new, "thinking").startswith(said)
    if name == "tool_use":
        return text_at(new, "id") == text_at(old, "id") != ""
    return new == old
