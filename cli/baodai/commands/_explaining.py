"""Every name there is a story for: codes and plugs, from their own docstrings."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from baodai import errors
from baodai.config.schema import Spec, specs
from baodai.config.values import shown, shown_key
from baodai.digests import digests
from baodai.errors import BaodaiError
from baodai.formats import formats
from baodai.layers import RUN_ORDER, layers
from baodai.summarizers import summarizers
from baodai.tools import LIMIT_OF, STRATEGY_OF, Kind
from baodai.truncation import strategies


@dataclass(frozen=True, slots=True)
class Story:
    """What a name is (`code`, `layer`, `strategy`, …), and its story."""

    kind: str
    text: str


def stories() -> Mapping[str, Story]:
    """All stories by name. Codes first, then plugs, then settings."""
    return {name: story for part in (_codes, _plugs, _reports, _settings) for name, story in part()}


def _codes() -> Iterator[tuple[str, Story]]:
    classes = [
        found
        for _, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, BaodaiError) and found is not BaodaiError
    ]
    for found in sorted(classes, key=lambda c: c.code):
        status = f"Exit status {found.status}." if found.status else "No exit status of its own."
        yield found.code, Story("code", f"{_story(found)}\n\n{status}")
    for code in ("BD105", "BD106"):
        yield code, Story("code", _story(errors.DamagedRecordError))
    yield "BD108", Story("code", _story(errors.FileTooLargeError))


def _plugs() -> Iterator[tuple[str, Story]]:
    configured = layers()
    for name in RUN_ORDER:
        layer = configured[name]
        table = "\n".join(
            f"  {shown_key(spec.key)} = {shown(spec.default)}\n      {spec.help}"
            for key, spec in specs().items()
            if key[:2] == ("layers", name)
        )
        module = sys.modules[type(layer).__module__]
        yield name, Story("layer", f"{_story(module)}\n\nSettings:\n{table}")
    for name, strategy in strategies().items():
        yield name, Story("strategy", _story(sys.modules[type(strategy).__module__]))
    for name, codec in formats().items():
        story = _story(sys.modules[type(codec).__module__])
        yield name, Story("format", f"{codec.title}\n\n{story}\n\nA summary is {codec.carrier}.")
    for name, summarizer in summarizers().items():
        yield name, Story("summarizer", _story(sys.modules[type(summarizer).__module__]))
    for kind in Kind:
        digest = digests().get(kind.value)
        told = f" {_story(sys.modules[type(digest).__module__])}" if digest is not None else ""
        how = f"cut by {STRATEGY_OF[kind]} to {LIMIT_OF[kind]:,} tokens"
        yield f"tool:{kind.value}", Story("tool kind", f"{kind.value} tools: {how}.{told}")


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
