"""Every setting there is: key, type, default, help.

The keys come from frozen dataclasses (`General`, `Window`, `Cost`) and from the options of the
layers, so that a new option of a layer is a setting by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Annotated, get_args, get_origin, get_type_hints

from baodai.marks import OneOf, Size

Key = tuple[str, ...]
Value = str | int | float | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Spec:
    """One setting. `kind` is its type; `size` and `choice` as marked; `optional`: may be unset."""

    key: Key
    kind: type
    default: Value
    help: str
    size: bool = False
    optional: bool = False
    choice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class General:
    """Settings at the top of the file."""

    model: Annotated[str, "sets window, reserve and encoding; empty: the transcript's"] = ""
    keep_turns: Annotated[int, "newest turns that stay verbatim"] = 3
    summarizer: Annotated[str, "who writes the summary of what is folded"] = "extractive"
    pins: Annotated[tuple[str, ...], "texts, or numbers of turns, that always stay"] = ()
    focus: Annotated[tuple[str, ...], "what bears on these weighs more in the summary"] = ()
    smallest: Annotated[bool, "write the smallest valid result where nothing fits"] = False
    ledger: Annotated[str, "DuckDB file of what was saved and changed, or none"] = "baodai.duckdb"
    memory: Annotated[str, "memory file, or none; empty: beside the ledger"] = ""
    scope: Annotated[str, "scope of the memory; empty: the transcript's project folder"] = ""
    jobs: Annotated[int, "processes"] = 1
    strict: Annotated[bool, "an unreadable line fails its input"] = False
    fail_on: Annotated[str, OneOf(("error", "warn")), "from where on the exit status is 1"] = (
        "error"
    )


@dataclass(frozen=True, slots=True)
class Window:
    """The window's arithmetic."""

    size: Annotated[int | None, Size(), "input capacity; unset: the model's"] = None
    reserve: Annotated[int | None, Size(), "kept free for the answer; unset: by the model"] = None
    overhead: Annotated[
        int | None, Size(), "counted in for what the transcript lacks; unset: from its usage"
    ] = None
    trigger: Annotated[float, "share of the budget at which compaction starts"] = 0.80
    target: Annotated[float, "share of the budget it brings the context down to"] = 0.60


@dataclass(frozen=True, slots=True)
class Decisions:
    """Words of your own by which decisions are told: regular expressions, case ignored."""

    require: Annotated[tuple[str, ...], "what asks for something, as `must` does"] = ()
    forbid: Annotated[tuple[str, ...], "what forbids, as `never` does"] = ()
    prefer: Annotated[tuple[str, ...], "what tells a preference"] = ()
    choose: Annotated[tuple[str, ...], "what tells a choice, as `let's use` does"] = ()
    ignore: Annotated[tuple[str, ...], "a sentence with one of these decides nothing"] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """What `baodai cost` reckons with."""

    prices: Annotated[str, "price file (TOML) that wins over the price data"] = ""
    summarizer_model: Annotated[
        str, "model charged for writing summaries; empty: that of the summarizer, if it asks one"
    ] = ""
    memory_model: Annotated[
        str, "model charged for finding what to remember; empty: none is asked"
    ] = ""
    cache: Annotated[
        str, OneOf(("auto", "1h", "none")), "how long a cached prompt lives where no record tells"
    ] = "auto"
    recover: Annotated[
        bool, "charge a continuation for answers that were cut and never finished"
    ] = False
    allow_unpriced: Annotated[bool, "a model without a price is no failure"] = False


@dataclass(frozen=True, slots=True)
class Tool:
    """Settings of the tools whose name a glob matches: `[tools."mcp__*"]`."""

    kind: Annotated[str, "what it does: command, read, write, search, fetch, …"] = ""
    strategy: Annotated[str, "how its output is cut"] = ""
    limit: Annotated[int | None, Size(), "most tokens of one output"] = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model of your own, or other numbers for a known one: `[models."my-model"]`."""

    window: Annotated[int, Size(), "input capacity"] = 128_000
    max_output: Annotated[int, Size(), "longest answer"] = 16_000
    encoding: Annotated[str, OneOf(("o200k_base", "cl100k_base")), "tokenizer"] = "o200k_base"
    factor: Annotated[float, "its tokens for each of the encoding"] = 1.0
    error: Annotated[float, "share by which a count can be too low"] = 0.0


NAMED: Mapping[str, type] = {"tools": Tool, "models": Model}
"""Sections whose second part is a name of the user's."""

_NOT_OPTIONS = frozenset({"name", "number"})


@cache
def specs() -> Mapping[Key, Spec]:
    """All settings with a fixed key, in the order of the file."""
    from baodai.layers import RUN_ORDER, layers  # noqa: PLC0415 - only where settings are read
    from baodai.summarizers import summarizers  # noqa: PLC0415

    found = [*_specs_of(General, ()), *_specs_of(Window, ("window",))]
    found += _specs_of(Decisions, ("decisions",))
    found += _specs_of(Cost, ("cost",))
    configured = layers()
    for name in RUN_ORDER:
        prefix = ("layers", name)
        found.append(Spec((*prefix, "enabled"), bool, default=True, help="whether it runs"))
        found += _specs_of(type(configured[name]), prefix)
    for name, summarizer in summarizers().items():
        found += _specs_of(type(summarizer), ("summarizers", name))
    return {spec.key: spec for spec in found}


def named(section: str, name: str) -> Mapping[Key, Spec]:
    """The settings of one name in a section of `NAMED`."""
    return {spec.key: spec for spec in _specs_of(NAMED[section], (section, name))}


def _specs_of(owner: type, prefix: Key) -> list[Spec]:
    hints = get_type_hints(owner, include_extras=True)
    return [
        _spec((*prefix, field.name), hints[field.name], field.default)
        for field in fields(owner)
        if field.name not in _NOT_OPTIONS and field.default is not MISSING
    ]


def _spec(key: Key, hint: object, default: Value) -> Spec:
    marks: tuple[object, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        marks = tuple(rest)
    optional = type(None) in get_args(hint)
    kind = next((a for a in get_args(hint) if a is not type(None)), hint) if optional else hint
    plain = get_origin(kind) or kind
    return Spec(
        key,
        plain if isinstance(plain, type) else str,
        default,
        next((mark for mark in marks if isinstance(mark, str)), ""),
        size=any(isinstance(mark, Size) for mark in marks),
        optional=optional,
        choice=next((mark.values for mark in marks if isinstance(mark, OneOf)), ()),
    )
