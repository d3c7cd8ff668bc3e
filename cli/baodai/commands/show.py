"""`baodai show`: what compaction keeps, shrinks, folds and drops, side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    source: o.OneInput = "-",
    *,
    lines: Annotated[
        int, typer.Option("--lines", metavar="N", min=1, help="Lines of each changed message.")
    ] = 6,
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
    format_name: o.FormatName = "",
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Show each message of a transcript with what compaction makes of it, and why."""
    from baodai.batch import Work, each  # loads the pipeline
    from baodai.commands import _output as out
    from baodai.commands._compacting import chosen
    from baodai.commands._models import equipped
    from baodai.commands._telling import Teller
    from baodai.render.show import side_by_side

    settings = o.settings(ctx)
    work = Work(equipped(settings), format_name, strict=bool(settings.get("strict")))
    diagnostics = o.diagnostics(ctx)
    teller = Teller(diagnostics)
    for inp in chosen((source,), diagnostics):
        for compaction in each(inp, work):
            if as_json:
                out.json(compaction.account)
            else:
                for line in side_by_side(compaction, out.width(), lines):
                    out.text(line)
            teller.account(compaction.account)
