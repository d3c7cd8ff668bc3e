"""Options that several verbs share, and how they become settings.

A verb takes them as arguments so that the parser knows them; `settings` reads them from the
parser's context, so that a new option is one line here and one in the verb.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from baodai.diagnostics import Diagnostics

if TYPE_CHECKING:
    from baodai.config.load import Settings

Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT", help="Files or folders; `-` or nothing is stdin.", show_default=False
    ),
]
OneInput = Annotated[
    str, typer.Argument(metavar="[INPUT]", help="A file; `-` or nothing is stdin.")
]
Output = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Write here, not to stdout.")
]
OutDir = Annotated[
    str, typer.Option("--out-dir", metavar="FOLDER", help="One output for each input, here.")
]
MemoryFile = Annotated[
    str | None, typer.Option("--memory", metavar="PATH|none", help="Long-term memory.")
]
Scope = Annotated[str | None, typer.Option("--scope", metavar="NAME", help="Scope of the memory.")]
Jobs = Annotated[int | None, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes.")]
Strict = Annotated[bool, typer.Option("--strict", help="An unreadable line fails its input.")]
FailOn = Annotated[
    str | None, typer.Option("--fail-on", metavar="error|warn", help="Exit 1 from here on.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show the plan, write nothing.")]
AccountJson = Annotated[
    bool, typer.Option("--json", help="The account as JSON: with -o, --out-dir or -n.")
]
FormatName = Annotated[
    str, typer.Option("--format", metavar="NAME", help="Format, where it is not recognised.")
]
To = Annotated[str, typer.Option("--to", metavar="FORMAT", help="Format to write.")]
WindowSize = Annotated[
    str | None, typer.Option("--window", metavar="SIZE", help="Window in tokens: 32k, 128000.")
]
Model = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Sets window, reserve and tokenizer."),
]
Reserve = Annotated[
    str | None, typer.Option("--reserve", metavar="SIZE", help="Kept free for the answer.")
]
Overhead = Annotated[
    str | None,
    typer.Option(
        "--overhead", metavar="auto|SIZE", help="Prompt and schemas the transcript lacks."
    ),
]
KeepTurns = Annotated[
    int | None, typer.Option("--keep-turns", metavar="N", help="Newest turns that stay verbatim.")
]
Layers = Annotated[
    str | None, typer.Option("--layers", metavar="A,B", help="Run only these layers.")
]
NoLayer = Annotated[
    list[str] | None, typer.Option("--no-layer", metavar="NAME", help="Do not run this layer.")
]
ToolStrategy = Annotated[
    list[str] | None,
    typer.Option("--tool-strategy", metavar="GLOB=NAME", help="How these tools' output is cut."),
]
Pin = Annotated[
    list[str] | None, typer.Option("--pin", metavar="TEXT|TURN", help="What must stay.")
]
Focus = Annotated[
    list[str] | None, typer.Option("--focus", metavar="TEXT", help="What matters more.")
]
Summarizer = Annotated[
    str | None, typer.Option("--summarizer", metavar="NAME", help="Who writes the summary.")
]
SummarizerModel = Annotated[
    str | None, typer.Option("--summarizer-model", metavar="NAME", help="Its model; --model.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="Its endpoint, up to /v1.")
]
Smallest = Annotated[
    bool, typer.Option("--smallest", help="Write the smallest result where nothing fits.")
]
Overflow = Annotated[
    str, typer.Option("--overflow", metavar="FILE|-|TEXT", help="A provider's refusal to answer.")
]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any setting.")]
ConfigFile = Annotated[
    str, typer.Option("--config", metavar="PATH|none", help="Settings file, not the nearest.")
]
Json = Annotated[bool, typer.Option("--json", help="JSON on stdout.")]
LedgerFile = Annotated[
    str | None, typer.Option("--ledger", metavar="PATH|none", help="Ledger; baodai.duckdb.")
]
Prices = Annotated[
    str | None, typer.Option("--prices", metavar="FILE", help="Prices of your own (TOML).")
]
AllowUnpriced = Annotated[
    bool, typer.Option("--allow-unpriced", help="A model without a price is no failure.")
]
Charge = Annotated[
    str | None,
    typer.Option("--charge", metavar="MODEL", help="Charge it for summaries; else its own."),
]
Recover = Annotated[
    bool, typer.Option("--recover", help="Charge continuations of answers that were cut.")
]
Windows = Annotated[str, typer.Option("--windows", metavar="A,B", help="Windows of a sweep.")]
Triggers = Annotated[str, typer.Option("--triggers", metavar="A,B", help="Triggers of a sweep.")]
Targets = Annotated[str, typer.Option("--targets", metavar="A,B", help="Targets of a sweep.")]
LayerSets = Annotated[
    str, typer.Option("--layer-sets", metavar="A,B", help="Layers of a sweep, by number.")
]
Summarizers = Annotated[
    str,
    typer.Option(
        "--summarizers", metavar="A,B", help="Who writes in a sweep: extractive, or a model."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only warnings and errors.")]

_KEYS = {
    "window": "window.size",
    "model": "model",
    "reserve": "window.reserve",
    "overhead": "window.overhead",
    "keep_turns": "keep_turns",
    "summarizer": "summarizer",
    "summarizer_model": "summarizers.openai.model",
    "base_url": "summarizers.openai.base_url",
    "pin": "pins",
    "focus": "focus",
    "smallest": "smallest",
    "ledger": "ledger",
    "memory": "memory",
    "scope": "scope",
    "jobs": "jobs",
    "strict": "strict",
    "fail_on": "fail_on",
    "prices": "cost.prices",
    "allow_unpriced": "cost.allow_unpriced",
    "charge": "cost.summarizer_model",
    "recover": "cost.recover",
}


def diagnostics(ctx: typer.Context) -> Diagnostics:
    """The writer to stderr that the process made."""
    return cast("Diagnostics", ctx.obj)


def settings(ctx: typer.Context) -> Settings:
    """The settings in force for a verb's arguments in the working directory."""
    from baodai.config.load import load  # knows all layers

    given = ctx.params
    flags: dict[str, object] = {}
    for name, key in _KEYS.items():
        value = given.get(name)
        if value is not None and value is not False and value not in ("", []):  # a 0 is given
            flags[key] = _number_or_text(value)
    flags |= _layer_flags(given.get("layers"), given.get("no_layer") or ())
    assignments = [
        *(f'tools."{glob}".strategy={strategy}' for glob, strategy in _strategies(given)),
        *(given.get("set_") or ()),
    ]
    return load(Path.cwd(), flags=flags, assignments=assignments, file=given.get("config") or "")


def _number_or_text(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _strategies(given: dict[str, object]) -> list[tuple[str, str]]:
    from baodai.errors import UsageError  # as the rest of the settings

    found = []
    for item in cast("Sequence[str]", given.get("tool_strategy") or ()):
        glob, equals, strategy = item.rpartition("=")
        if not equals:
            raise UsageError(f"--tool-strategy {item}: not of the form GLOB=NAME")
        found.append((glob, strategy))
    return found


def _layer_flags(only: str | None, without: Sequence[str]) -> dict[str, object]:
    """`--layers` and `--no-layer` as settings."""
    if not only and not without:
        return {}
    from baodai.config.build import known  # as the rest of the settings
    from baodai.layers import RUN_ORDER

    wanted = [name.strip() for name in only.split(",")] if only else list(RUN_ORDER)
    for name in (*wanted, *without):
        known(name, RUN_ORDER, "layer")
    return {
        f"layers.{name}.enabled": name in wanted and name not in without
        for name in RUN_ORDER
        if name not in wanted or name in without
    }
