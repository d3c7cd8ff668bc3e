"""What a provider means when it refuses a request: too long, too busy, too much asked, or wrong.

The words are data (`patterns.toml`), tried in their order: what only resembles an overflow is known
first, since compacting for a rate limit destroys history and fails again. Bodies are unwrapped:
JSON in JSON, strings in strings, text around both.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from baodai.model import Usage
from baodai.stops import Stop, stop_of

_DEPTH = 24
_CODES = ("code", "type", "error_code", "status", "__type", "name")
_NEARLY_FULL = 0.99
_ALMOST_NOTHING = 8
"""Tokens of an answer that ended by length and says nothing: the window was full."""

_FALLEN = 0.8
_MANY_BYTES = 1_000
_PARAMS_OF_CONTENT = re.compile(r"messages?|input|content|prompt|text", re.IGNORECASE)


class Trouble(StrEnum):
    """What is wrong.

    Only `OVERFLOW` asks for a harder compaction, `MAYBE_OVERFLOW` where the window is nearly full,
    `TOO_MANY_BYTES` for smaller results and attachments.
    """

    OVERFLOW = "overflow"
    MAYBE_OVERFLOW = "maybe_overflow"
    TOO_MANY_BYTES = "too_many_bytes"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    SERVER_BUSY = "server_busy"
    TRANSPORT = "transport"
    BAD_REQUEST = "bad_request"
    DENIED = "denied"
    CONFIG = "config"
    EMPTY_RESPONSE = "empty_response"
    NOT_AN_ERROR = "not_an_error"
    UNKNOWN = "unknown"


COMPACTS = frozenset({Trouble.OVERFLOW, Trouble.MAYBE_OVERFLOW, Trouble.TOO_MANY_BYTES})
"""The refusals that sending less helps against."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A classified refusal.

    `rule` is the rule of `patterns.toml`, `limit` what the provider allows and `asked` what it
    counted, `output` what the answer was to take of the limit, all in tokens (bytes for
    `TOO_MANY_BYTES`), 0 where not said; `text` the provider's own words, unwrapped.
    """

    trouble: Trouble
    rule: str
    text: str
    limit: int = 0
    asked: int = 0
    output: int = 0
    over: int = 0

    @property
    def excess(self) -> int:
        """Tokens too many, as far as the provider said."""
        if self.over:
            return self.over
        return max(0, self.asked + self.output - self.limit) if self.limit and self.asked else 0


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    kind: Trouble
    status: frozenset[int]
    codes: frozenset[str]
    words: re.Pattern[str] | None
    unless: re.Pattern[str] | None

    def fits(self, status: int, texts: str, codes: frozenset[str]) -> bool:
        if self.unless is not None and self.unless.search(texts):
            return False
        if self.status and not self.codes and self.words is None:
            return status in self.status
        if self.codes & codes:
            return True
        found = self.words is not None and self.words.search(texts) is not None
        if self.name == "busy":
            return found or status in self.status
        return found and (not self.status or status in self.status)


def classify(status: int | None, body: str | bytes | object) -> Diagnosis:
    """What a refusal means. `status` is the HTTP status, `None` where there was no answer.

    Status 0 is no answer of a provider at all: its words start nothing.
    """
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    leaves = list(_unwrapped(text))
    texts = "\n".join(words for key, words in leaves if not _is_code(key))
    codes = frozenset(words for key, words in leaves if _is_code(key))
    if status == 0:
        return Diagnosis(Trouble.NOT_AN_ERROR, "no provider", texts)
    structured = _structured(leaves)
    if structured is not None:
        return structured
    if _small_field(leaves, codes):
        return Diagnosis(Trouble.BAD_REQUEST, "small field", texts)
    if status is None and not texts.strip():
        return Diagnosis(Trouble.TRANSPORT, "no answer", texts)
    for rule in _rules():
        if rule.fits(status or 0, texts, codes):
            return _measured(rule, texts)
    return Diagnosis(Trouble.UNKNOWN, "", texts)


def _structured(leaves: Sequence[tuple[str, str]]) -> Diagnosis | None:
    """llama.cpp names both numbers; they decide."""
    named = {key: words for key, words in leaves if words.isdigit()}
    asked, limit = int(named.get("n_prompt_tokens", 0)), int(named.get("n_ctx", 0))
    if not limit or not asked:
        return None
    text = "\n".join(words for key, words in leaves if not _is_code(key))
    if asked > limit:
        return Diagnosis(Trouble.OVERFLOW, "structured", text, limit, asked)
    return Diagnosis(Trouble.BAD_REQUEST, "structured", text, limit, asked)


def _small_field(leaves: Sequence[tuple[str, str]], codes: frozenset[str]) -> bool:
    """A long id or name (`param` says so) is no long conversation."""
    param = next((words for key, words in leaves if key == "param"), "")
    return bool(
        "string_above_max_length" in codes and param and not _PARAMS_OF_CONTENT.search(param)
    )


def _measured(rule: _Rule, texts: str) -> Diagnosis:
    found: dict[str, int] = {}
    if rule.kind in {Trouble.OVERFLOW, Trouble.TOO_MANY_BYTES}:
        for pattern in _numbers():
            match = pattern.search(texts)
            if match is not None:
                named = match.groupdict()
                found = {k: int(v.replace(",", "")) for k, v in named.items() if v}
                break
    found.pop("total", None)
    return Diagnosis(rule.kind, rule.name, texts, **found)


def _unwrapped(value: object, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """All texts and numbers of a body with their keys, JSON inside strings opened."""
    if depth > _DEPTH:
        return
    match value:
        case str():
            yield from _opened(value, key, depth)
        case Mapping():
            for name, inner in value.items():
                yield from _unwrapped(inner, str(name), depth + 1)
        case Sequence():
            for inner in value:
                yield from _unwrapped(inner, key, depth + 1)
        case _:
            yield key, "" if value is None else str(value)


def _opened(text: str, key: str, depth: int) -> Iterator[tuple[str, str]]:
    start = min((at for at in (text.find("{"), text.find("[{")) if at >= 0), default=-1)
    if start >= 0:
        try:
            inner, end = json.JSONDecoder().raw_decode(text[start:])
        except ValueError:
            inner, end = None, 0
        if isinstance(inner, dict | list) and inner:
            yield key, f"{text[:start]} {text[start + end :]}".strip()
            yield from _unwrapped(inner, key, depth + 1)
            return
    yield key, text


def _is_code(key: str) -> bool:
    return key in _CODES


@cache
def _rules() -> tuple[_Rule, ...]:
    return tuple(
        _Rule(
            str(row["name"]),
            Trouble(row["kind"]),
            frozenset(row.get("status", ())),
            frozenset(row.get("codes", ())),
            _joined(row.get("words", ())),
            _joined(row.get("unless", ())),
        )
        for row in _data()["rule"]
    )


@cache
def _numbers() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.IGNORECASE | re.DOTALL) for p in _data()["numbers"]["patterns"])


@cache
def _data():  # type: ignore[no-untyped-def]  # noqa: ANN202 - TOML as it was read
    return tomllib.loads(Path(__file__).with_name("patterns.toml").read_text("utf-8"))


def _joined(patterns: Sequence[str]) -> re.Pattern[str] | None:
    if not patterns:
        return None
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE | re.DOTALL)


def silent_overflow(
    usage: Usage, window: int, *, reason: str = "", before: int = 0, grew: bool = False
) -> str:
    """Why a successful answer was an overflow after all; empty: it was none.

    `window` is the model's in tokens, `reason` the stop reason; `before` the input of the call
    before it, where history only grew since (`grew`).
    """
    stop = stop_of(reason)
    if stop is Stop.OVERFLOW:
        return "the answer ended because the window was full"
    if window and usage.input > window:
        return "more went in than the window holds"
    full = bool(window) and usage.input >= _NEARLY_FULL * window
    if stop is Stop.CUT and usage.output <= _ALMOST_NOTHING and full:
        return "it ended by length without an answer, the window full"
    if grew and before and usage.input < _FALLEN * before:
        return "less went in than before though the history grew: the beginning was cut off"
    return ""
