"""Settings to the options of a compaction."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from baodai.config.load import COMMAND_LINE, SET, Settings
from baodai.config.schema import Value
from baodai.decisions.lexicon import Extras
from baodai.errors import SettingError, UnknownNameError
from baodai.layers import RUN_ORDER, Layer, layers
from baodai.models import Row, Tokenizer, normalised
from baodai.pipeline import Options
from baodai.summarizers import Summarizer, summarizers
from baodai.summarizers.openai import OpenAISummarizer
from baodai.tools import Kind, ToolRule, ToolTable
from baodai.truncation import strategies
from baodai.window import WindowOptions

Plug = TypeVar("Plug")


def options(settings: Settings) -> Options:
    """The options of a compaction.

    Raises:
        SettingError: two settings contradict each other.
        UnknownNameError: a layer, strategy, summarizer or kind of that name does not exist.
    """
    pins, pinned = _pins(settings)
    return Options(
        window=window(settings),
        layers=_layers(settings),
        off=frozenset(n for n in RUN_ORDER if not settings.get("layers", n, "enabled")),
        toolbox=toolbox(settings),
        summarizer=_summarizer(settings),
        keep_turns=settings.number("keep_turns") or 0,
        pins=pins,
        pinned_turns=pinned,
        focus=_texts(settings.get("focus")),
        smallest=bool(settings.get("smallest")),
        extras=extras(settings),
    )


def extras(settings: Settings) -> Extras:
    """The user's own words by which decisions are told.

    Raises:
        SettingError: one of them is no regular expression.
    """
    given = {f.name: _texts(settings.get("decisions", f.name)) for f in fields(Extras)}
    for name, patterns in given.items():
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                told = f"decisions.{name}: {pattern!r} is no regular expression: {error}"
                where = settings.values["decisions", name].origin
                raise SettingError(told, where=where) from None
    return Extras(**given)


def known(name: str, names: Iterable[str], kind: str) -> str:
    """The name, where it is one of `names`.

    Raises:
        UnknownNameError: it is not.
    """
    names = list(names)
    if name not in names:
        raise UnknownNameError(kind, name, difflib.get_close_matches(name, names))
    return name


def window(settings: Settings) -> WindowOptions:
    """What the settings say of the window."""
    trigger, target = (_share(settings, name) for name in ("trigger", "target"))
    if target > trigger:
        where = settings.values["window", "target"].origin
        raise SettingError(f"window.target {target} is above window.trigger {trigger}", where=where)
    return WindowOptions(
        model=settings.text("model"),
        window=settings.number("window", "size"),
        reserve=settings.number("window", "reserve"),
        overhead=settings.number("window", "overhead"),
        trigger=trigger,
        target=target,
        models=tuple(_models(settings)),
    )


def _share(settings: Settings, name: str) -> float:
    setting = settings.values["window", name]
    value = setting.value
    if not isinstance(value, float) or not 0 < value <= 1:
        raise SettingError(f"window.{name} is a share above 0 and up to 1", where=setting.origin)
    return value


def _models(settings: Settings) -> Iterable[Row]:
    for name in settings.names("models"):
        of = {key[2]: s.value for key, s in settings.values.items() if key[:2] == ("models", name)}
        tokenizer = Tokenizer(
            str(of["encoding"]), _number(of["factor"]), _number(of["error"]), "the settings"
        )
        yield (
            normalised(name),
            int(_number(of["window"])),
            int(_number(of["max_output"])),
            tokenizer,
        )


def _number(value: Value) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _summarizer(settings: Settings) -> Summarizer:
    """The summarizer with its own settings; one that asks a model must know which."""
    name = known(settings.text("summarizer"), summarizers(), "summarizer")
    made = _configured("summarizers", name, summarizers()[name], settings)
    if isinstance(made, OpenAISummarizer):
        if not made.model:
            made = replace(made, model=settings.text("model"))
        if not made.model:
            raise SettingError(
                "the summarizer openai needs a model",
                hint="--summarizer-model NAME, with --base-url URL for an endpoint of your own",
            )
    return made


def _layers(settings: Settings) -> Mapping[str, Layer]:
    return {name: _configured("layers", name, layer, settings) for name, layer in layers().items()}


def _configured(section: str, name: str, plug: Plug, settings: Settings) -> Plug:
    """A plug with the options that the settings give it."""
    given = {
        field.name: settings.get(section, name, field.name)
        for field in fields(cast("Any", plug))
        if (section, name, field.name) in settings.values
    }
    return cast("Plug", replace(cast("Any", plug), **given))


def toolbox(settings: Settings) -> ToolTable:
    """The tools table with the user's rules over it: those of the command line come first."""
    globs = sorted(settings.names("tools"), key=lambda glob: not _given(settings, glob))
    return ToolTable(tuple(_rule(settings, glob) for glob in globs))


def _given(settings: Settings, glob: str) -> bool:
    rule = [s.origin for key, s in settings.values.items() if key[:2] == ("tools", glob)]
    return COMMAND_LINE in rule or SET in rule


def _rule(settings: Settings, glob: str) -> ToolRule:
    kind = settings.text("tools", glob, "kind")
    strategy = settings.text("tools", glob, "strategy")
    if kind:
        known(kind, [k.value for k in Kind], "kind of tool")
    if strategy:
        known(strategy, strategies(), "strategy")
    limit = settings.number("tools", glob, "limit")
    return ToolRule(glob, kind, strategy, limit)


def _pins(settings: Settings) -> tuple[tuple[str, ...], frozenset[int]]:
    given = _texts(settings.get("pins"))
    texts = tuple(pin for pin in given if not pin.isdecimal())
    return texts, frozenset(int(pin) for pin in given if pin.isdecimal())


def _texts(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
