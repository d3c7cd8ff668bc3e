"""A progress bar on long work, only where somebody watches; the only tqdm import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from baodai.diagnostics import Diagnostics
from baodai.places import Input

_LONG = 20_000_000
"""Bytes of input from which a bar is worth its line: a few seconds."""


@contextmanager
def progress(
    found: Sequence[Input], diagnostics: Diagnostics, verb: str = "compact"
) -> Iterator[Callable[[Input], None]]:
    """What to call with each input that is done."""
    total = sum(inp.size for inp in found)
    if diagnostics.quiet or not diagnostics.terminal or (total < _LONG and len(found) < 20):
        yield lambda _: None
        return
    from tqdm import tqdm  # only where somebody watches

    with tqdm(total=total, unit="B", unit_scale=True, leave=False, desc=verb) as bar:
        yield lambda inp: bar.update(inp.size)
