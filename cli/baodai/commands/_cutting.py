"""The work behind `baodai cut`: bytes in, shorter bytes out."""

from __future__ import annotations

import sys
from pathlib import Path

from baodai.config.build import known, toolbox, window
from baodai.config.load import Settings
from baodai.config.values import size
from baodai.decisions.language import language_of_text
from baodai.errors import UnreadableFileError, UsageError
from baodai.models import lookup
from baodai.tokens import Meter, counter_for
from baodai.tools import ToolRule, ToolTable
from baodai.truncation import strategies
from baodai.truncation.output import cut_output


def cut(source: str, tool: str, limit: str | None, strategy: str, settings: Settings) -> None:
    """Write the output of a tool, cut, to stdout; text that fits goes through byte for byte."""
    table = toolbox(settings)
    most = table.limit(tool) if limit is None else size(limit)
    if strategy:
        known(strategy, strategies(), "strategy")
        table = ToolTable((ToolRule(tool, table.kind(tool), strategy), *table.rules))
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


def _read(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise UnreadableFileError(source, error.strerror or str(error)) from error
