"""`baodai compact`: transcripts in, transcripts that fit out."""

from __future__ import annotations

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    output: o.Output = "",
    out_dir: o.OutDir = "",
    window: o.WindowSize = None,
    model: o.Model = None,
    reserve: o.Reserve = None,
    overhead: o.Overhead = None,
    keep_turns: o.KeepTurns = None,
    layers: o.Layers = None,
    no_layer: o.NoLayer = None,
    tool_strategy: o.ToolStrategy = None,
    pin: o.Pin = None,
    focus: o.Focus = None,
    summarizer: o.Summarizer = None,
    summarizer_model: o.SummarizerModel = None,
    base_url: o.BaseUrl = None,
    smallest: o.Smallest = False,
    overflow: o.Overflow = "",
    ledger: o.LedgerFile = None,
    memory: o.MemoryFile = None,
    scope: o.Scope = None,
    format_name: o.FormatName = "",
    to: o.To = "",
    jobs: o.Jobs = None,
    strict: o.Strict = False,
    fail_on: o.FailOn = None,
    dry_run: o.DryRun = False,
    as_json: o.AccountJson = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
    quiet: o.Quiet = False,
) -> None:
    """Bring transcripts inside the window; the same format out as in, or --to.

    Exit status: 0 done, 1 something does not fit, 2 usage or settings, 3 an unreadable input.
    """
    from baodai.commands._compacting import Request, run

    o.diagnostics(ctx).quiet = quiet
    named = tuple(inputs or ())
    request = Request(named, output, out_dir, format_name, to, dry_run, as_json, overflow)
    run(request, o.settings(ctx), o.diagnostics(ctx))
