"""`baodai convert`: one format to another."""

from __future__ import annotations

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    to: o.To,
    output: o.Output = "",
    out_dir: o.OutDir = "",
    format_name: o.FormatName = "",
    strict: o.Strict = False,
    quiet: o.Quiet = False,
) -> None:
    """Write transcripts in another format, whole; nothing is compacted.

    What an API would refuse is repaired, what has no place in the format goes into one member
    `x_baodai`, and both are said.
    """
    from baodai.commands._converting import Request, run

    o.diagnostics(ctx).quiet = quiet
    request = Request(tuple(inputs or ()), output, out_dir, format_name, to, strict)
    run(request, o.diagnostics(ctx))
