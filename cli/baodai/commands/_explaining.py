"""Every name there is a story for: codes and plugs, from their own docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module

from baodai import errors
from baodai.accounting import NOTES
from baodai.config.schema import Spec, specs
from baodai.config.values import shown, shown_key
from baodai.digests import digests
from baodai.errors import BaodaiError
from baodai.formats import formats
from baodai.invariants import RULES
from baodai.layers import RUN_ORDER
from baodai.summarizers import summarizers
from baodai.tools import LIMIT_OF, STRATEGY_OF, Kind
from baodai.truncation import strategies


@dataclass(frozen=True, slots=True)
class Story:
    """What a name is (`code`, `layer`, `strategy`, …), and its story."""

    kind: str
    text: str


def stories() -> Mapping[str, Story]:
    """All stories by name. Codes first, then notes, plugs, topics and settings."""
    return {
        name: story
        for part in (_codes, _notes, _plugs, _reports, _topics, _settings)
        for name, story in part()
    }


def _codes() -> Iterator[tuple[str, Story]]:
    classes = [
        found
        for _, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, BaodaiError) and found is not BaodaiError
    ]
    for found in sorted(classes, key=lambda c: c.code):
        told = f"Exit status {found.status}{found.status_when}."
        status = told if found.status else "No exit status of its own."
        yield found.code, Story("code", f"{_story(found)}\n\n{status}")
    for code in ("BD105", "BD106", "BD111"):
        damaged = errors.DamagedRecordError
        status = f"Exit status {damaged.status}{damaged.status_when}."
        yield code, Story("code", f"{_story(damaged)}\n\n{status}")
    yield "BD110", Story("code", _story(errors.MendedRecordError))
    yield "BD108", Story("code", _story(errors.FileTooLargeError))


def _notes() -> Iterator[tuple[str, Story]]:
    for word, told in NOTES.items():
        yield word, Story("note", told)
    for rule in RULES:
        yield rule.name, Story("rule of the APIs", _story(type(rule)))


def _plugs() -> Iterator[tuple[str, Story]]:
    for name in RUN_ORDER:
        table = "\n".join(
            f"  {shown_key(spec.key)} = {shown(spec.default)}\n      {spec.help}"
            for key, spec in specs().items()
            if key[:2] == ("layers", name)
        )
        story = _story(_module("layers", name))
        yield name, Story("layer", f"{story}\n\nSettings:\n{table}")
    for name in strategies():
        yield name, Story("strategy", _story(_module("truncation", name)))
    for name, codec in formats().items():
        story = _story(_module("formats", name))
        yield name, Story("format", f"{codec.title}\n\n{story}\n\nA summary is {codec.carrier}.")
    for name in summarizers():
        yield name, Story("summarizer", _story(_module("summarizers", name)))
    for kind in Kind:
        told = f" {_story(type(digest))}" if (digest := digests().get(kind.value)) else ""
        how = f"cut by {STRATEGY_OF[kind]} to {LIMIT_OF[kind]:,} tokens"
        yield f"tool:{kind.value}", Story("tool kind", f"{kind.value} tools: {how}.{told}")


def _module(package: str, plug: str) -> object:
    """The module of a plug: it is named after it."""
    return import_module(f"baodai.{package}.{plug.replace('-', '_')}")


def _topics() -> Iterator[tuple[str, Story]]:
    from baodai.decisions import judging, lexicon, supersession  # tells how, loads no more

    told = [_story(module) for module in (judging, supersession)]
    cues = [
        f"  {c.name}: {c.kind.value}, tier {c.tier}, {'asks for' if c.sign > 0 else 'forbids'}"
        for c in lexicon.lexicon(han=False).cues
    ]
    files = (
        "The words are data: en.toml, zh.toml and things.toml in baodai/decisions/lexicon. Add your"
        " own in the section [decisions] of the settings. The report of this name lists what was"
        " found (`baodai report decisions`)."
    )
    cues_told = "\n".join(("The cues, in the order in which they are tried:", *cues))
    yield "decisions", Story("topic", "\n\n".join((*told, cues_told, files)))


def _reports() -> Iterator[tuple[str, Story]]:
    from baodai.store import report_names, report_title  # the only part that is in the store

    for name in report_names():
        yield name, Story("report", report_title(name))


def _settings() -> Iterator[tuple[str, Story]]:
    for spec in specs().values():
        yield shown_key(spec.key), Story("setting", _setting(spec))


def _setting(spec: Spec) -> str:
    choice = f" One of {', '.join(spec.choice)}." if spec.choice else ""
    return f"{spec.help}.{choice} Default: {shown(spec.default) or 'unset'}."


def _story(found: object) -> str:
    return inspect.cleandoc(inspect.getdoc(found) or "")
