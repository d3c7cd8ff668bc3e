"""The records of a file while they are edited; untouched ones come out as they went in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baodai.formats._layouts import at
from baodai.jsonl import BOM, Style, dumps, loads, splice, style_of
from baodai.model import Path


@dataclass(slots=True)
class Changes:
    """What a splice is to do to one record."""

    puts: dict[Path, object] = field(default_factory=dict)
    removes: list[Path] = field(default_factory=list)
    inserts: dict[Path, list[object]] = field(default_factory=dict)

    def add(self, other: Changes) -> None:
        """Take over what another one wants."""
        self.puts.update(other.puts)
        self.removes.extend(other.removes)
        for path, values in other.inserts.items():
            self.inserts.setdefault(path, []).extend(values)


class Sheet:
    """Records with what is to become of them.

    New lines are written in the style of the record `like`. `values` are what the records say,
    where that is known.
    """

    def __init__(
        self, records: Sequence[bytes], like: int = 0, values: Sequence[object] = ()
    ) -> None:
        self._records = records
        self._like = like
        self._values: dict[int, object] = dict(enumerate(values))
        self._changes: dict[int, Changes] = {}
        self._before: dict[int, list[bytes]] = {}
        self.gone: set[int] = set()

    def __len__(self) -> int:
        return len(self._records)

    def value(self, index: int) -> object:
        """What a record says; `None` where it cannot be read."""
        if index not in self._values:
            try:
                self._values[index] = loads(self._records[index])
            except ValueError:
                self._values[index] = None
        return self._values[index]

    def change(self, index: int, changes: Changes) -> None:
        """Change a record."""
        self._changes.setdefault(index, Changes()).add(changes)

    def at(self, index: int, path: Path) -> object:
        """What stands at a path of a record."""
        return at(self.value(index), path)

    def remove(self, index: int, path: Path) -> None:
        """Take out a record, or what stands at a path of it."""
        if path:
            self.change(index, Changes(removes=[path]))
        else:
            self.gone.add(index)

    def put(self, index: int, path: Path, value: object) -> None:
        """Put a value into a record."""
        self.change(index, Changes(puts={path: value}))

    def changed(self, index: int, more: Mapping[Path, object] | None = None) -> bytes:
        """A record with its changes, and with `more`."""
        changes = self._changes.get(index)
        if changes is None and not more:
            return self._records[index]
        changes = changes or Changes()
        puts = {**changes.puts, **(more or {})}
        return splice(self._records[index], puts, removes=changes.removes, inserts=changes.inserts)

    def insert(self, index: int, line: object) -> None:
        """Put a new line before a record; past the last one it is appended.

        `line` is a value, or the bytes of one.
        """
        raw = line if isinstance(line, bytes) else dumps(line, self._style())
        self._before.setdefault(index, []).append(raw.rstrip(b"\r\n") + self._end())

    def reinsert(self, index: int, lines: Sequence[object]) -> None:
        """Put other new lines in the place of those before a record."""
        self._before.pop(index, None)
        for line in lines:
            self.insert(index, line)

    def lines(self) -> Iterator[bytes]:
        """The bytes of the file. A line end is added only where a line came or went."""
        last, broken = b"\n", False
        # A byte order mark stays in front, whatever line comes first.
        moves = bool(self._records) and self._records[0].startswith(BOM)
        moves = moves and (0 in self._before or 0 in self.gone)
        if moves:
            yield BOM
        for index in range(len(self._records) + 1):
            fresh = self._before.get(index, [])
            raw = b"" if index == len(self._records) else self._kept(index)
            raw = raw.removeprefix(BOM) if moves and index == 0 else raw
            broken = broken or bool(fresh) or index in self.gone
            for piece in (*fresh, raw):
                if not piece:
                    continue
                if broken and not last.endswith(b"\n"):
                    yield self._end()
                yield piece
                last = piece
                broken = piece is not raw

    def _kept(self, index: int) -> bytes:
        return b"" if index in self.gone else self.changed(index)

    def _style(self) -> Style:
        return style_of(self._records[self._like]) if self._records else Style()

    def _end(self) -> bytes:
        return b"\r\n" if self._records and self._records[0].endswith(b"\r\n") else b"\n"
