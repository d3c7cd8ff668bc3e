"""`baodai replay`: real answers, cut off and recovered offline, and how exactly."""

from __future__ import annotations

from typing import Annotated

import typer

from baodai.commands import _options as o

Cap = Annotated[
    int, typer.Option("--max-output-tokens", metavar="N", min=1, help="Where answers are cut.")
]
Profile = Annotated[
    str, typer.Option("--profile", metavar="NAME", help="How the provider misbehaves; all: each.")
]
ProviderName = Annotated[
    str, typer.Option("--provider", metavar="NAME", help="Whose stop reasons and errors it has.")
]
Seed = Annotated[int, typer.Option("--seed", help="Other faults, the same for the same seed.")]
InputCap = Annotated[
    int, typer.Option("--max-input-tokens", metavar="N", min=0, help="For profile overflow.")
]
RaiseTo = Annotated[
    int | None, typer.Option("--raise-to", metavar="N", help="A cap tried once where none fits.")
]
FailUnder = Annotated[
    float | None, typer.Option("--fail-under", metavar="SHARE", help="Status 1 below: 0.99.")
]
Serve = Annotated[
    int | None, typer.Option("--serve", metavar="PORT", help="Answer HTTP on loopback; 0: any.")
]


def command(
    ctx: typer.Context,
    inputs: o.Inputs = None,
    *,
    cap: Cap = 256,
    profile: Profile = "clean",
    provider: ProviderName = "",
    seed: Seed = 0,
    input_cap: InputCap = 0,
    raise_to: RaiseTo = None,
    fail_under: FailUnder = None,
    serve: Serve = None,
    model: o.Model = None,
    ledger: o.LedgerFile = None,
    format_name: o.FormatName = "",
    as_json: o.Json = False,
    set_: o.Set = None,
    config: o.ConfigFile = "",
) -> None:
    """Cut the answers of transcripts at a cap, recover them offline, and compare byte for byte.

    Exit status 1: an answer came out wrong without a flag, or fewer than --fail-under are exact.
    """
    from baodai.commands import _replaying as work  # loads the codecs

    request = work.Replay(
        tuple(inputs or ()), format_name, cap, profile, provider, seed, input_cap, raise_to
    )
    if serve is not None:
        work.serve(request, serve, o.settings(ctx), o.diagnostics(ctx))
        return
    work.run(request, o.settings(ctx), o.diagnostics(ctx), fail_under=fail_under, as_json=as_json)
