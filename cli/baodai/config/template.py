"""The commented settings file that `baodai config init` writes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from baodai.config.schema import NAMED, Key, Spec, named, specs
from baodai.config.values import shown, shown_key

_HEAD = """\
# Settings of baodai. Every line is a default, commented out: take the "#" away to change it.
# Tokens may be written "32k". `baodai config` shows what is in force and where it came from.
"""
_EXAMPLES = {"tools": "mcp__*", "models": "my-model"}


def template() -> str:
    """A whole settings file, all commented out."""
    parts = [_HEAD]
    for table, group in groupby(specs().values(), key=lambda spec: spec.key[:-1]):
        parts.append("\n".join(_table(table, list(group))))
    for section in NAMED:
        name = _EXAMPLES[section]
        parts.append("\n".join(_table((section, name), list(named(section, name).values()))))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _table(table: Key, group: list[Spec]) -> Iterator[str]:
    if table:
        # A table's head stays a comment too where its name is only an example.
        mark = "# " if table[0] in NAMED else ""
        yield f"{mark}[{shown_key(table)}]"
    for spec in group:
        yield from textwrap.wrap(_help(spec), 90, initial_indent="## ", subsequent_indent="## ")
        value = shown(spec.default) if spec.default is not None else '"32k"'
        yield f"# {spec.key[-1]} = {value}"


def _help(spec: Spec) -> str:
    choice = f" ({', '.join(spec.choice)})" if spec.choice else ""
    return f"{spec.help}{choice}"
