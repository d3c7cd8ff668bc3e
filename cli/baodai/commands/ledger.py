"""`baodai ledger`: what it holds, and how to make it forget."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o

app = typer.Typer(
    rich_markup_mode=None,
    no_args_is_help=True,
    help="See what the ledger holds, and make it forget: it holds people's text.",
)


@app.command()
def info(
    ctx: typer.Context,
    *,
    ledger: o.LedgerFile = None,
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Show its size, tables and runs."""
    from baodai.commands import _output as out  # opens the ledger
    from baodai.commands._recording import open_ledger

    found = open_ledger(o.settings(ctx)).info()
    if not as_json:
        out.text(found.title)
    out.rows(found.columns, found.rows, as_json=as_json)


@app.command()
def prune(
    ctx: typer.Context,
    *,
    older_than: Annotated[
        int | None, typer.Option("--older-than", metavar="DAYS", min=0, help="Runs before that.")
    ] = None,
    transcript: Annotated[
        str, typer.Option("--transcript", metavar="NAME", help="Runs of this transcript.")
    ] = "",
    ledger: o.LedgerFile = None,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Delete old runs, by age or by transcript."""
    from datetime import UTC, datetime, timedelta  # the clock is the caller's

    from baodai.commands import _output as out  # opens the ledger
    from baodai.commands._recording import open_ledger
    from baodai.errors import UsageError

    if older_than is None and not transcript:
        raise UsageError(
            "say what goes: --older-than DAYS or --transcript NAME", "baodai ledger prune"
        )
    before = ""
    if older_than is not None:
        before = (datetime.now(UTC) - timedelta(days=older_than)).isoformat(timespec="seconds")
    gone = open_ledger(o.settings(ctx)).prune(older_than=before, transcript=transcript)
    out.text(f"{gone:,} transcripts deleted")


@app.command()
def forget(
    ctx: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TRANSCRIPT", help="Path, its end or folder, or an id.")
    ],
    *,
    ledger: o.LedgerFile = None,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Delete everything that is held of a transcript."""
    from baodai.commands import _output as out  # opens the ledger
    from baodai.commands._recording import open_ledger
    from baodai.errors import UsageError

    if not text.strip():
        raise UsageError("an empty name would mean all transcripts", "baodai ledger forget")
    gone = open_ledger(o.settings(ctx)).prune(transcript=text)
    out.text(f"{gone:,} transcripts forgotten")
