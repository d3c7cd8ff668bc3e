"""The words by which decisions are told, as data: one readable file for each language.

Owns how the files are read and searched. Which judgement a word bears on is decided in `judging`.
A user's own patterns come in as `Extras`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from baodai.decisions import Kind
from baodai.decisions.lexicon._needed import needed

LANGUAGES = ("en", "zh")
Entry = tuple[int, str, str]
"""A pattern: its place in the order, its group, its source."""

KEYS = Path(__file__).with_name("keys.json")
"""What each pattern needs, worked out by `write_keys`."""

_KIND_OF = {
    "forbid": "prohibition",
    "prefer": "preference",
    "require": "obligation",
    "choose": "choice",
}


@dataclass(frozen=True, slots=True)
class Extras:
    """A user's own patterns (regular expressions), by what they tell; `ignore` tells nothing."""

    require: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()
    choose: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class Cue:
    """What a group of patterns tells. `tier` 2 explicit, 1 softer; `sign` +1 asks for, -1 forbids.

    `whole`: looked for in a part of a sentence before its clauses. `imperative`: so does a verb
    that opens a clause.
    """

    name: str
    kind: Kind
    tier: int
    sign: int
    whole: bool
    imperative: bool


@dataclass(frozen=True, slots=True)
class Look:
    """The patterns that could fit one text at all, by group."""

    groups: Mapping[str, list[re.Pattern[str]]]

    def find(self, group: str, text: str) -> re.Match[str] | None:
        """The first pattern of a group that fits, with its place."""
        for pattern in self.groups.get(group, ()):
            found = pattern.search(text)
            if found is not None:
                return found
        return None

    def without(self, group: str, text: str) -> str:
        """The text without what the patterns of a group fit."""
        for pattern in self.groups.get(group, ()):
            text = pattern.sub(" ", text)
        return text


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language, or of both for a text that mixes them."""

    cues: tuple[Cue, ...]
    fillers: tuple[re.Pattern[str], ...]
    verbs: frozenset[str]
    nouns: re.Pattern[str]
    segment: re.Pattern[str]
    clause: re.Pattern[str]
    scopes: tuple[tuple[str, re.Pattern[str]], ...]
    _by_key: Mapping[str, tuple[Entry, ...]] = field(repr=False)
    _always: tuple[Entry, ...] = field(repr=False)

    def look(self, text: str) -> Look:
        """The patterns worth trying on a text: those whose letters all could be in it."""
        low = text.lower()
        keys = {low[i : i + n] for n in (1, 2, 3) for i in range(len(low) - n + 1)}
        hits = set(self._always)
        for key in keys & self._by_key.keys():
            hits.update(self._by_key[key])
        groups: dict[str, list[re.Pattern[str]]] = {}
        for _, group, source in sorted(hits):
            groups.setdefault(group, []).append(_compiled(source))
        return Look(groups)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first tried: most of them never are."""
    return re.compile(source, re.IGNORECASE)


@cache
def lexicon(*, han: bool, extras: Extras = NO_EXTRAS) -> Lexicon:
    """The words for a text without, or with, Chinese characters (then of both languages)."""
    languages = LANGUAGES[::-1] if han else LANGUAGES[:1]
    read = [_read(language) for language in languages]
    groups: list[tuple[str, str]] = [("ignore", p) for p in extras.ignore]
    for name, cue in _KIND_OF.items():
        groups.extend((cue, p) for p in getattr(extras, name))
    for language in languages:
        groups.extend(patterns_of(language))
    by_key: dict[str, list[Entry]] = {}
    always: list[Entry] = []
    known = _keys()
    for i, (group, source) in enumerate(groups):
        entry = (i, group, source)
        keys = known[source] if source in known else needed(source)
        if keys is None:
            always.append(entry)
        for key in keys or ():
            by_key.setdefault(key, []).append(entry)
    return Lexicon(
        cues=_cues(),
        fillers=tuple(_fillers(data) for data in read),
        verbs=frozenset(w for data in read for w in str(_table(data, "verbs")["words"]).split()),
        nouns=_joined(str(_table(data, "verbs")["nouns"]) for data in read),
        segment=_joined(p for data in read for p in _strings(data["segments"])),
        clause=_joined(p for data in read for p in _strings(data["clauses"])),
        scopes=_scopes(read),
        _by_key={key: tuple(entries) for key, entries in by_key.items()},
        _always=tuple(always),
    )


@cache
def _keys() -> Mapping[str, Sequence[str] | None]:
    """What each pattern needs, worked out beforehand (`write_keys`), since that takes a while."""
    found: Mapping[str, Sequence[str] | None] = json.loads(KEYS.read_text("utf-8"))
    return found


def write_keys() -> str:
    """The content of the file of keys, worked out anew: for who changed a pattern."""
    sources = {source for language in LANGUAGES for _, source in patterns_of(language)}
    table = {s: None if (k := needed(s)) is None else sorted(k) for s in sorted(sources)}
    return json.dumps(table, ensure_ascii=False, indent=0) + "\n"


@cache
def _read(language: str) -> dict[str, object]:
    return tomllib.loads(Path(__file__).with_name(f"{language}.toml").read_text("utf-8"))


def patterns_of(language: str) -> Iterable[tuple[str, str]]:
    """All patterns of a language, with the group each is in."""
    data = _read(language)
    for name, patterns in _table(data, "gates").items():
        yield from ((name, p) for p in _strings(patterns))
    yield from (("statement", p) for p in _strings(data["statements"]))
    for name, patterns in _table(data, "superseding").items():
        yield from ((name, p) for p in _strings(patterns))
    yield from (("idle", p) for p in _strings(_table(data, "verbs")["idle"]))
    for cue in _tables(data, "cue"):
        yield from ((str(cue["name"]), p) for p in _strings(cue["patterns"]))


def _cues() -> tuple[Cue, ...]:
    """What each cue tells stands in the English file, once for both."""
    return tuple(
        Cue(
            str(cue["name"]),
            Kind(str(cue["kind"])),
            2 if cue.get("tier", 2) == 2 else 1,
            -1 if cue["sign"] == -1 else 1,
            bool(cue.get("whole")),
            bool(cue.get("imperative")),
        )
        for cue in _tables(_read("en"), "cue")
    )


def _fillers(data: dict[str, object]) -> re.Pattern[str]:
    words = "|".join(sorted(_strings(data["fillers"]), key=len, reverse=True))
    return re.compile(rf"\s*(?:{words})(?![a-z'])[\s,，.:：!！、]*", re.IGNORECASE)


def _scopes(read: Iterable[dict[str, object]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found: dict[str, list[str]] = {}
    for data in read:
        for name, patterns in _table(data, "scopes").items():
            found.setdefault(name, []).extend(_strings(patterns))
    return tuple((name, _joined(patterns)) for name, patterns in found.items())


def _joined(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)


def _table(data: dict[str, object], name: str) -> dict[str, object]:
    value = data[name]
    return value if isinstance(value, dict) else {}


def _tables(data: dict[str, object], name: str) -> list[dict[str, object]]:
    value = data[name]
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [str(v) for v in value] if isinstance(value, list) else []
