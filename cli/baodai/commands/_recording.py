"""Ledger and memory of a run: written by the parent process, after all outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from baodai import __version__
from baodai.accounting import Account
from baodai.batch import Done, accounts_of
from baodai.config.load import Settings
from baodai.config.values import shown_key
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError, UsageError

if TYPE_CHECKING:
    from baodai.store import Ledger, Run

MEMORY = "baodai-memory.sqlite"

_NOT_RESULTS = frozenset({"ledger", "memory", "scope", "jobs", "fail_on", "strict"})
"""Settings that do not change an output; a run with others of them is the same run."""


def record(settings: Settings, found: Sequence[Done], status: int, diagnostics: Diagnostics) -> str:
    """Write both, where they are asked for; what to say of the ledger.

    A store that cannot be written is reported and costs neither the outputs nor the other store.
    """
    spools = [done.spool for done in found if done.spool is not None]
    path = ledger_path(settings)
    said = ""
    if path is not None:
        try:
            digests = {done.input.name: done.digest for done in found}
            to_ledger(path, run_of(settings, "compact", digests, status), accounts_of(spools))
            said = f"ledger {path}"
        except BaodaiError as error:
            diagnostics.report(error)
    memory = memory_path(settings)
    if memory is not None:
        try:
            _to_memory(memory, accounts_of(spools), settings.text("scope"))
        except (BaodaiError, OSError) as error:
            # A fold never waits for the memory; that it was not written is a warning.
            what = f"cannot write the memory {memory}: {error}"
            diagnostics.say("warning", what, code=getattr(error, "code", ""))
    return said


def ledger_path(settings: Settings) -> Path | None:
    """The ledger in force, `None` for none."""
    name = settings.text("ledger")
    return None if name == "none" else Path(name)


def open_ledger(settings: Settings) -> Ledger:
    """The ledger in force, to be looked at.

    Raises:
        UsageError: the settings say that there is none.
    """
    from baodai.store import Ledger  # the database, where one is asked for

    path = ledger_path(settings)
    if path is None:
        raise UsageError("there is no ledger to look at with --ledger none")
    return Ledger(path)


def memory_path(settings: Settings) -> Path | None:
    """The memory in force: the named one, else beside the ledger, where there is one."""
    name = settings.text("memory")
    if name:
        return None if name == "none" else Path(name)
    ledger = ledger_path(settings)
    return None if ledger is None else ledger.parent / MEMORY


def run_of(settings: Settings, command: str, digests: Mapping[str, str], status: int) -> Run:
    """A run of a command, now, over inputs with these digests of their bytes, by name."""
    from baodai.store import Run  # the database, where one is asked for

    return Run(
        command=command,
        version=__version__,
        settings={
            shown_key(key): setting.value
            for key, setting in settings.values.items()
            if key[0] not in _NOT_RESULTS
        },
        digests=dict(digests),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        exit_status=status,
    )


def to_ledger(path: Path, run: Run, accounts: Iterable[Account]) -> None:
    """Record a run.

    Raises:
        BaodaiError: the ledger cannot be written.
    """
    from baodai.store import Ledger  # the database, where one is asked for

    Ledger(path).record(run, accounts)


def _to_memory(path: Path, accounts: Iterator[Account], scope: str) -> None:
    from baodai.memory.sqlite import SqliteMemory  # only where facts are found

    store: SqliteMemory | None = None
    for account in accounts:
        if not account.facts:
            continue
        store = store or SqliteMemory(path)
        store.put(account.facts, source=account.source, scope=scope or account.project)
