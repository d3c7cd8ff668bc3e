"""`baodai cost`: what conversations cost, and what compaction would save."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    window: o.WindowSize = None,
    model: o.Model = None,
    reserve: o.Reserve = None,
    overhead: o.Overhead = None,
    keep_turns: o.KeepTurns = None,
    layers: o.Layers = None,
    no_layer: o.NoLayer = None,
    prices: o.Prices = None,
    allow_unpriced: o.AllowUnpriced = False,
    charge: o.Charge = None,
    recover: o.Recover = False,
    calls: Annotated[bool, typer.Option("--calls", help="List every model call.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Try many settings.")] = False,
    windows: o.Windows = "64k,128k,200k",
    triggers: o.Triggers = "0.7,0.8,0.9",
    targets: o.Targets = "0.4,0.6",
    layer_sets: o.LayerSets = "5+1+2+4+3,5+1+2,5+1",
    summarizers: o.Summarizers = "extractive,claude-haiku-4-5",
    ledger: o.LedgerFile = None,
    format_name: o.FormatName = "",
    jobs: o.Jobs = None,
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
    quiet: o.Quiet = False,
) -> None:
    """Work out what conversations cost call by call, and what compaction would save.

    Offline: list prices, the prompt cache and the summariser's own calls counted. Exit status: 0
    done, 1 a model has no price, 2 usage or settings, 3 an input could not be read.
    """
    from baodai.commands._costing import Request, run

    settings = o.settings(ctx)
    o.diagnostics(ctx).quiet = quiet
    axes = (windows, triggers, targets, layer_sets, summarizers) if sweep else None
    request = Request(tuple(inputs or ()), format_name, axes, calls=calls, as_json=as_json)
    run(request, settings, o.diagnostics(ctx))
