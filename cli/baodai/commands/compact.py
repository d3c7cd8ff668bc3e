"""`baodai compact`: transcripts in, transcripts that fit out."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(  # noqa: D417 - the parser's help says what each is
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to stdout.")
    ] = "",
    out_dir: Annotated[
        str, typer.Option("--out-dir", metavar="FOLDER", help="One output for each input, here.")
    ] = "",
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
    smallest: o.Smallest = False,
    ledger: o.LedgerFile = None,
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="PATH|none", help="Long-term memory.")
    ] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="NAME", help="Scope of the memory.")
    ] = None,
    format_name: o.FormatName = "",
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="An unreadable line fails its input.")
    ] = False,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar="error|warn", help="Exit 1 from here on.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show the plan, write nothing.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The account as JSON: with -o, --out-dir or -n.")
    ] = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
    quiet: o.Quiet = False,
) -> None:
    """Bring transcripts inside the window; the same format out as in.

    Reads stdin and writes stdout unless told otherwise. Exit status: 0 done, 1 something does not
    fit, 2 usage or settings, 3 an input could not be read.
    """
    from baodai.commands._compacting import Request, run  # noqa: PLC0415 - loads the pipeline

    settings = o.settings(ctx)
    diagnostics = o.diagnostics(ctx)
    diagnostics.quiet = quiet
    request = Request(tuple(inputs or ()), output, out_dir, format_name, dry_run, as_json)
    run(request, settings, diagnostics)
