"""`baodai report`: named SQL reports over the ledger."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o


def command(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The report; none: list them.")
    ] = "",
    parameters: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Its parameters.", show_default=False),
    ] = None,
    *,
    ledger: o.LedgerFile = None,
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Print a report over the ledger; without a name, list the reports there are."""
    from baodai.commands import _output as out  # opens the ledger
    from baodai.commands._recording import open_ledger
    from baodai.errors import UsageError
    from baodai.store import report_names, report_title

    if not name:
        found = [(key, report_title(key)) for key in report_names()]
        out.rows(("report", "what it shows"), found, as_json=as_json)
        return
    values: dict[str, str] = {}
    for item in parameters or ():
        key, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"{item}: a parameter is KEY=VALUE", "baodai report")
        values[key] = value
    result = open_ledger(o.settings(ctx)).report(name, values)
    out.rows(result.columns, result.rows, as_json=as_json)
