"""`baodai inspect`: how full the window is, and what takes the space."""

from __future__ import annotations

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
    format_name: o.FormatName = "",
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Show what takes the space: by role, tool and turn, largest and stale results, violations."""
    from dataclasses import asdict

    from baodai.commands import _output as out  # loads the codecs
    from baodai.commands._reading import each
    from baodai.config.build import toolbox
    from baodai.config.build import window as window_options
    from baodai.looking import look
    from baodai.render.inspect import inspection

    settings = o.settings(ctx)
    strict = bool(settings.get("strict"))
    options, tools = window_options(settings), toolbox(settings)
    for name, conversation in each(inputs, format_name, o.diagnostics(ctx), strict=strict):
        found = look(conversation, options, tools)
        if as_json:
            out.json({"source": name, "conversation": conversation.id, **asdict(found)})
        else:
            out.text(inspection(found, name, out.width()))
