"""Accounts as rows of the ledger's tables. People's text passes the redaction here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from hashlib import blake2b

from baodai.accounting import Account
from baodai.redaction import redact
from baodai.refs import ref_of

STREAM = "-"
"""The source of a conversation that came through standard input."""

Row = tuple[object, ...]


def _hash(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command. `digests` are those of the inputs' bytes, by name.

    Its id is a hash of the inputs, the settings and the version: the same run again replaces its
    own rows. `started_at` is ISO 8601, given by the caller.
    """

    command: str
    version: str
    settings: Mapping[str, object] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    started_at: str = ""
    exit_status: int = 0

    @property
    def settings_json(self) -> str:
        """The settings as JSON, keys sorted."""
        return json.dumps(dict(self.settings), sort_keys=True, ensure_ascii=False, default=str)

    @property
    def settings_id(self) -> str:
        """The hash of the settings."""
        return _hash(self.settings_json)

    @property
    def input_digest(self) -> str:
        """One hash over all inputs."""
        return _hash(*(f"{name}={digest}" for name, digest in sorted(self.digests.items())))

    @property
    def id(self) -> str:
        """The hash that names the run."""
        return _hash(self.command, self.input_digest, self.settings_id, self.version)


@dataclass(frozen=True, slots=True)
class StoredOriginal:
    """An original behind a marker: its text, or where in which file it is to be read."""

    ref: str
    position: int
    source: str
    line: int
    pointer: str
    message_id: str
    tool: str
    hash: str
    text: str | None
    hidden: int


def run_row(run: Run, seq: int) -> Row:
    """The row of `runs`."""
    return (
        run.id,
        seq,
        run.command,
        run.version,
        run.settings_json,
        run.settings_id,
        run.input_digest,
        run.started_at,
        run.exit_status,
    )


def rows_of(
    run: Run, account: Account, position: int, before: int = 0
) -> Iterator[tuple[str, Row]]:
    """All rows of one account, each with its table.

    `before` counts the conversations of the same source that claimed the same id already.
    """
    digest = run.digests.get(account.source, "")
    name = account.source if account.source != STREAM else f"{STREAM}{digest}"
    again = (str(before),) if before else ()
    key = (run.id, _hash(name, account.conversation, *again))
    yield "transcripts", (*key, position, *_transcript(account, digest))
    edits = 0
    for i, layer in enumerate(account.layers):
        counts = (layer.tokens_before, layer.tokens_after, layer.saved, len(layer.edits))
        yield "layer_savings", (*key, i, layer.layer, layer.number, layer.status, *counts)
        for edit in layer.edits:
            yield (
                "edits",
                (
                    *key,
                    edits,
                    edit.layer,
                    edit.change.value,
                    edit.message_id,
                    edit.line,
                    edit.turn,
                    edit.tool,
                    _clean(edit.target),
                    edit.reason_code,
                    _clean(edit.reason),
                    edit.tokens_before,
                    edit.tokens_after,
                    edit.saved,
                    edit.ref,
                ),
            )
            edits += 1
    yield from _told(key, account)


def _transcript(account: Account, digest: str) -> Row:
    budget = account.budget
    return (
        account.source,
        digest,
        account.conversation,
        account.project,
        account.format,
        account.model,
        account.counter,
        account.exact,
        budget.window,
        budget.reserve,
        budget.margin,
        budget.overhead,
        budget.budget,
        budget.trigger,
        budget.target,
        account.tokens_before,
        account.tokens_after,
        account.saved,
        account.bytes_before,
        account.bytes_after,
        account.messages_before,
        account.messages_after,
        account.turns,
        len(account.facts),
        account.fits,
        account.written,
    )


def _told(key: tuple[str, str], account: Account) -> Iterator[tuple[str, Row]]:
    """Decisions, notes and originals of an account."""
    for i, d in enumerate(account.decisions):
        said = (_clean(d.object), _clean(d.quote), d.turn, d.line, d.language, d.superseded_by)
        kind = (d.id, d.kind, d.state, d.tier, d.polarity)
        yield "decisions", (*key, i, *kind, *said, d.where)
    for i, note in enumerate(account.notes):
        yield "notes", (*key, i, note.level, note.code, _clean(note.text))
    for i, call in enumerate(account.calls):
        used = call.usage
        sizes = (used.input, used.cache_read, used.output) if used else (None, None, None)
        told = (call.purpose, call.model, call.attempt, call.outcome, _clean(call.why))
        yield "model_calls", (*key, i, *told, *sizes)
    for o in account.originals:
        text, hidden = None, 0
        if account.source == STREAM:
            clean = redact(o.text)
            text, hidden = _storable(clean.text), sum(n for _, n in clean.found)
        place = (o.message_id, account.source, o.line, o.path, o.tool)
        size = (ref_of(o.text), len(o.text))
        yield "originals", (*key, o.ref, o.position, *place, *size, text, hidden)
    for table, row in account.tables:
        yield table, (*key, *(_clean(v) if isinstance(v, str) else v for v in row))


@dataclass(frozen=True, slots=True)
class RecoveryRow:
    """A cut answer and what became of it, as the ledger keeps it. Tokens by the counter."""

    source: str
    conversation: str
    message_id: str
    line: int
    turn: int
    profile: str
    provider: str
    cap: int
    outcome: str
    verdict: str
    exact: bool | None
    ambiguous: bool
    continuations: int
    characters: int
    removed: int
    tokens_sent: int
    tokens_out: int
    anchor_tokens: int
    answer_if_resent: int
    handle: str = ""
    state: str = ""

    def row(self, run: Run, position: int) -> Row:
        """The row of `recoveries`; the text so far passes the redaction."""
        key = (run.id, _hash(self.source, self.conversation), position)
        told = tuple(getattr(self, f.name) for f in fields(self) if f.name != "state")
        return (*key, *told, _clean(self.state))


def _clean(text: str) -> str:
    return _storable(redact(text).text)


def _storable(text: str) -> str:
    """The text as DuckDB takes it: valid UTF-8, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "�")
