"""Rows that wait for the ledger: made and put aside before its file is opened.

Accounts of a corpus need not fit into memory, and other processes must not wait while secrets are
looked for in them.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO

from baodai.accounting import Account
from baodai.store.rows import Row, Run, rows_of

_ROWS = 20_000
"""Rows of one table in a chunk."""

_CHARACTERS = 4_000_000
"""Characters of stored text in a chunk."""


def park(run: Run, accounts: Iterable[Account], spool: IO[bytes]) -> None:
    """Write the rows of a run to a file of our own, in chunks of one table each."""
    waiting: dict[str, list[Row]] = {}
    characters = 0
    seen: Counter[tuple[str, str]] = Counter()

    def flush(table: str) -> None:
        pickle.dump((table, waiting.pop(table)), spool, protocol=pickle.HIGHEST_PROTOCOL)

    for position, account in enumerate(accounts):
        name = (account.source, account.conversation)
        for table, row in rows_of(run, account, position, seen[name]):
            waiting.setdefault(table, []).append(row)
            if table == "originals":
                characters += len(str(row[-2] or ""))
            if len(waiting[table]) >= _ROWS:
                flush(table)
        seen[name] += 1
        if characters >= _CHARACTERS:
            flush("originals")
            characters = 0
    for table in list(waiting):
        flush(table)


def chunks(spool: IO[bytes]) -> Iterator[tuple[str, list[Row]]]:
    """The chunks that `park` wrote, in order."""
    end = spool.tell()
    spool.seek(0)
    while spool.tell() < end:
        yield pickle.load(spool)  # noqa: S301 - written by `park` a moment ago
