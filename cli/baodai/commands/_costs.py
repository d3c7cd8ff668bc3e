"""The work of `baodai cost` on one input, in whatever process: read, analyse, put aside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from baodai.accounting import Account
from baodai.batch import Failure, Reading, quiet_worker
from baodai.cost.analysis import Terms, analyse, keys_of
from baodai.cost.rows import account, bare
from baodai.cost.summary import Summary, summary
from baodai.cost.sweep import Outcome, Point, rows, swept
from baodai.jsonl import Problem
from baodai.model import Conversation
from baodai.places import Input
from baodai.spool import Spool
from baodai.window import budget_for

Given = TypeVar("Given")
Made = TypeVar("Made")

Keys = tuple[dict[str, int], ...]
"""The keys of recorded calls with their output tokens, one mapping for each conversation."""


@dataclass(frozen=True, slots=True)
class Job:
    """One input. `repeated` are keys that belong to another input, by conversation."""

    index: int
    input: Input
    repeated: tuple[frozenset[str], ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """What is done to every input; `points` make it a sweep, `folder` is where accounts go."""

    terms: Terms
    format: str
    folder: Path
    points: tuple[Point, ...] = ()


@dataclass(slots=True)
class Costed:
    """What came of one input: figures, or the outcomes of a sweep; accounts are in `spool`."""

    input: Input
    spool: Path
    digest: str = ""
    unread: tuple[Problem, ...] = ()
    failures: list[Failure] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    outcomes: list[tuple[Outcome, ...]] = field(default_factory=list)
    short: int = 0


def keys(job: Job, format_name: str) -> Keys:
    """What recorded calls an input has; one that cannot be read has none, and is told later."""
    found: list[dict[str, int]] = []
    try:
        found.extend(map(keys_of, Reading(job.input, format_name).conversations()))
    except Exception:  # noqa: BLE001 - said when its costs are asked for
        return tuple(found)
    return tuple(found)


def costed(job: Job, task: Task) -> Costed:
    """Analyse one input; what fails is told in the result."""
    done = Costed(job.input, task.folder / f"{job.index}.accounts")
    reading = Reading(job.input, task.format)
    conversations = reading.conversations()
    number = 0
    with Spool.create(done.spool) as spool:
        while True:
            try:
                conversation = next(conversations, None)
                if conversation is None:
                    break
                again = job.repeated[number] if number < len(job.repeated) else frozenset()
                number += 1
                _one(conversation, task, again, done, spool)
            except Exception as error:  # noqa: BLE001 - one input's bug must not end the others
                done.failures.append(Failure.of(error, job.input.name))
    done.digest, done.unread = reading.digest, tuple(reading.unread)
    return done


def _one(
    conversation: Conversation, task: Task, again: frozenset[str], done: Costed, spool: Spool
) -> None:
    terms, name = task.terms, done.input.name
    if not task.points:
        found = analyse(conversation, terms, again)
        spool.add(account(found, name, terms.options.toolbox))
        done.summaries.append(summary(found, name))
        return
    outcomes = swept(conversation, terms, task.points, again)
    if outcomes is None:
        done.short += 1
        return
    done.outcomes.append(outcomes)
    spool.add(_swept_account(conversation, task, outcomes, name))


def _swept_account(
    conversation: Conversation, task: Task, outcomes: tuple[Outcome, ...], name: str
) -> Account:
    """The account of a sweep: the conversation as it was, and a row for each point."""
    sizing = budget_for(conversation, task.terms.options.window)
    tables = tuple(rows(task.points, outcomes))
    return replace(bare(conversation, sizing, name), tables=tables)


def mapped(work: Callable[[Given], Made], given: Sequence[Given], jobs: int) -> Iterator[Made]:
    """The results in order, made by several processes."""
    if jobs <= 1 or len(given) <= 1:
        yield from map(work, given)
        return
    with ProcessPoolExecutor(min(jobs, len(given)), initializer=quiet_worker) as pool:
        yield from pool.map(work, given)
