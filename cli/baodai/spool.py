"""Accounts on disk while a run goes on, so that a corpus need not fit into memory.

Files of our own making in a temporary folder of our own; never anything from elsewhere.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from baodai.accounting import Account


class Spool:
    """Appends accounts to a file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    @classmethod
    def create(cls, path: Path) -> Spool:
        """A new file."""
        return cls(path.open("wb"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    def add(self, account: Account) -> None:
        """Append one account."""
        pickle.dump(account, self._stream, protocol=pickle.HIGHEST_PROTOCOL)

    @staticmethod
    def read(path: Path) -> Iterator[Account]:
        """The accounts of a file, one at a time."""
        with path.open("rb") as stream:
            while stream.peek(1):
                yield pickle.load(stream)  # noqa: S301 - written by `add` a moment ago
