"""Which inputs there are, and where the output of each goes.

Owns names that every file system takes, and that no two outputs share a place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from baodai.errors import BaodaiError, OutputClashError, UnreadableFileError

_ENDS = (".jsonl", ".json", ".ndjson", ".traj", ".eval")
_PACKED = (".gz", ".zst", ".zstd")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(?:\..*)?", re.IGNORECASE)
_LONGEST = 200
"""Bytes of a name's part; file systems stop at 255."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input. `path` is `None` for stdin, `place` where its output goes below a folder."""

    path: Path | None
    name: str
    place: PurePath

    @property
    def size(self) -> int:
        """Its bytes on disk, 0 where that is not known."""
        try:
            return self.path.stat().st_size if self.path is not None else 0
        except OSError:
            return 0


def inputs(arguments: Sequence[str]) -> tuple[list[Input], list[BaodaiError]]:
    """The inputs named on a command line, folders walked in sorted order, and what is not there.

    A file named twice is one input. `-` is stdin.
    """
    found: dict[str, Input] = {}
    missing: list[BaodaiError] = []
    for argument in arguments:
        if argument == "-":
            found.setdefault("-", Input(None, "-", PurePath("stdin.jsonl")))
            continue
        path = Path(argument)
        if path.is_dir():
            walked = list(_walk(path))
            if not walked:
                missing.append(UnreadableFileError(argument, f"no {', '.join(_ENDS)} file in it"))
            for file in walked:
                found.setdefault(str(file), Input(file, str(file), _place(file, path)))
        elif path.exists():
            found.setdefault(str(path), Input(path, str(path), _place(path, None)))
        else:
            missing.append(UnreadableFileError(argument, "no such file or folder"))
    return list(found.values()), missing


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            plain = name.lower()
            for end in _PACKED:
                plain = plain.removesuffix(end)
            if plain.endswith(_ENDS) and not name.startswith("."):
                yield Path(root, name)


def _place(path: Path, folder: Path | None) -> PurePath:
    """Below the output folder: the way from the walked folder, or the relative path as given.

    A relative path keeps its folders, so that files of one name from several folders stay apart,
    in one run or in many (`find … | xargs baodai compact --out-dir out`), and so does an absolute
    one below the working directory; of others only the name is kept.
    """
    here = Path.cwd()
    if folder is not None:
        relative: PurePath = path.relative_to(folder)
    elif path.is_absolute() and path.is_relative_to(here):
        relative = path.relative_to(here)
    elif path.is_absolute() or ".." in path.parts:
        relative = PurePath(path.name)
    else:
        relative = path
    *folders, name = relative.parts
    for end in _PACKED:
        name = name.removesuffix(end)
    return PurePath(*map(safe_name, folders), safe_name(name))


def safe_name(name: str) -> str:
    """A name that is one part of a path on every system: no separators, no reserved names."""
    clean = _FORBIDDEN.sub("_", name).rstrip(". ") or "_"
    if len(clean.encode("utf-8", "replace")) > _LONGEST:
        stem, dot, end = clean.rpartition(".")
        kept = (stem or clean).encode("utf-8", "replace")[: _LONGEST - len(end) - 1]
        clean = kept.decode("utf-8", "ignore") + dot + end
    return f"_{clean}" if _RESERVED.fullmatch(clean) else clean


def targets(found: Sequence[Input], out_dir: Path) -> Mapping[str, Path]:
    """The output of each input by its name.

    Raises:
        OutputClashError: two inputs share one, or one would replace its input.
    """
    taken: dict[str, str] = {}
    places: dict[str, Path] = {}
    for inp in found:
        target = out_dir / inp.place
        # Names that differ only in case are one file on some systems.
        other = taken.setdefault(str(target).casefold(), inp.name)
        if other != inp.name:
            what = f"{other} and {inp.name} would both be written to {target}"
            raise OutputClashError(what, where=inp.name, hint="run them apart, or give folders")
        refuse_own_input(inp, target)
        places[inp.name] = target
    return places


def refuse_own_input(inp: Input, target: Path) -> None:
    """An output never replaces its input.

    Raises:
        OutputClashError: it would.
    """
    try:
        same = inp.path is not None and target.exists() and inp.path.samefile(target)
    except OSError:
        same = False
    if same:
        raise OutputClashError(
            f"the output would replace its own input {inp.name}",
            where=str(target),
            hint="the ledger points to lines of the input; write somewhere else",
        )
