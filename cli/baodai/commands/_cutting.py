"""The work behind `baodai cut`: bytes in, shorter bytes out."""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path

from baodai.accounting import Account, AppliedEdit, Budget, Change, LayerReport, Original
from baodai.commands._recording import ledger_path, run_of
from baodai.config.build import known, toolbox, window
from baodai.config.load import Settings
from baodai.config.values import size
from baodai.decisions.language import language_of_text
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError, UnreadableFileError, UsageError
from baodai.models import lookup
from baodai.refs import ref_of
from baodai.store import STREAM, Ledger
from baodai.tokens import Meter, counter_for
from baodai.tools import ToolRule, ToolTable
from baodai.truncation import strategies
from baodai.truncation._marker import ref_in
from baodai.truncation.output import cut_output


def cut(
    source: str,
    tool: str,
    limit: str | None,
    strategy: str,
    settings: Settings,
    diagnostics: Diagnostics,
) -> None:
    """Write the output of a tool, cut, to stdout; text that fits goes through byte for byte.

    What was cut goes into the ledger, so that the reference in its marker leads somewhere.
    """
    table = _table(settings, tool, strategy)
    most = table.limit(tool) if limit is None else size(limit)
    if not most:
        raise UsageError(f"--limit {limit}: not a number of tokens", "baodai cut")
    raw = _read(source)
    text = raw.decode("utf-8", "replace")
    options = window(settings)
    info = lookup(options.model, options.models)
    meter = Meter(counter_for(info.encoding)).adjusted(info.factor, 0, own=info.exact)
    short = cut_output(
        text,
        tool=tool,
        call=None,
        toolbox=table,
        limit=most,
        count=meter.raw,
        language=language_of_text(text),
    )
    sys.stdout.flush()
    sys.stdout.buffer.write(raw if short == text else short.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    path = ledger_path(settings)
    if short == text or path is None:
        return
    sizes = (meter.raw(text), meter.raw(short), most)
    try:
        run = run_of(settings, "cut", {STREAM: blake2b(raw, digest_size=16).hexdigest()}, 0)
        Ledger(path).record(run, [_account(text, tool, sizes, meter)])
    except BaodaiError as error:
        # The output is out already; that nobody can expand it is a warning.
        diagnostics.say("warning", f"the original was not kept: {error}", code=error.code)


def _table(settings: Settings, tool: str, strategy: str) -> ToolTable:
    table = toolbox(settings)
    if not strategy:
        return table
    known(strategy, strategies(), "strategy")
    rule = ToolRule(tool, table.kind(tool), strategy, table.limit(tool))
    return ToolTable((rule, *table.rules))


def _account(text: str, tool: str, sizes: tuple[int, int, int], meter: Meter) -> Account:
    """One result that layer 5 cut, without a conversation around it; its text is a stream's."""
    before, after, most = sizes
    ref = ref_in(text) or ref_of(text)
    why = "the result is longer than the limit of its tool"
    edit = AppliedEdit(
        "live_output", Change.REWRITE, "", 1, 0, tool, "", "over-limit", why, before, after, ref
    )
    return Account(
        conversation=tool,
        source=STREAM,
        format="",
        model="",
        counter=meter.name,
        exact=meter.exact,
        budget=Budget(most, 0, 0, 0, most, most, most),
        tokens_before=before,
        tokens_after=after,
        bytes_before=len(text.encode("utf-8", "replace")),
        bytes_after=0,
        messages_before=0,
        messages_after=0,
        turns=0,
        layers=(LayerReport("live_output", 5, "done", before, after, (edit,)),),
        decisions=(),
        originals=(Original(ref, 0, "", 1, "", tool, text),),
        facts=(),
        notes=(),
        fits=True,
    )


def _read(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise UnreadableFileError(source, error.strerror or str(error)) from error
