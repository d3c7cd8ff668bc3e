"""`baodai explain`: the long story of a name."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]", help="A code, layer, strategy, format, summarizer, report or setting."
        ),
    ] = "",
    *,
    as_json: o.Json = False,
) -> None:
    """Explain an error code, layer, strategy, format, report or setting; none: list the names."""
    from baodai.commands import _output as out  # finds all plugs
    from baodai.commands._explaining import stories
    from baodai.config.build import known

    found = stories()
    if name in {"", *(story.kind + "s" for story in found.values())}:
        rows = [
            (key, s.kind, s.text.partition("\n")[0])
            for key, s in found.items()
            if name in {"", s.kind + "s"}
        ]
        out.rows(("name", "kind", "what it is"), rows, as_json=as_json)
        return
    wanted = name.upper() if name.upper() in found else name
    story = found[known(wanted, found, "name")]
    if as_json:
        out.json({"name": wanted, "kind": story.kind, "text": story.text})
    else:
        out.text(f"{wanted} ({story.kind})\n\n{story.text}")
