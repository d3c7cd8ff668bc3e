"""Numbers with units and identifiers in one canonical form: 「1.2万」, 12k and 12,000 are equal."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_NUMBER = re.compile(
    r"(?<![\w.])(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<u>万|亿|千|百|k|K|M|%|％)?(?![\w])"
    r"|(?<![\w.])(?P<n2>\d[\d,]*(?:\.\d+)?)(?P<u2>[kKmM万亿千])(?![A-Za-z])"
    r"|(?P<han>[一二两三四五六七八九十百千万亿]{2,})"
)
_IDENTIFIER = re.compile(
    r"`[^`\n]{1,80}`|(?:[\w.-]+)?(?:/[\w.-]+){1,}|\b[\w-]+\.(?:py|ts|js|go|rs|md|json|toml|yaml|yml|sh|sql)\b"
    r"|\b[A-Z][A-Z0-9]*[-_][A-Z0-9-_]+\b|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|\bv?\d+\.\d+(?:\.\d+)*\b"
)
_TIMES = {"k": 1000, "K": 1000, "M": 1_000_000, "m": 1_000_000, "百": 100, "千": 1000, **_BIG}


def values_of(text: str) -> tuple[str, ...]:
    """Canonical numbers and identifiers verbatim, in order, each once."""
    found = [_number(m) for m in _NUMBER.finditer(text)]
    found.extend(m.group().strip("`") for m in _IDENTIFIER.finditer(text))
    return tuple(dict.fromkeys(v for v in found if v))


def _number(found: re.Match[str]) -> str:
    han = found.group("han")
    if han:
        return _plain(Decimal(_chinese(han)))
    number, unit = (
        found.group("n") or found.group("n2"),
        found.group("u") or found.group("u2") or "",
    )
    try:
        value = Decimal(number.replace(",", "")) * _TIMES.get(unit, 1)
    except InvalidOperation:
        return ""
    return _plain(value) + ("%" if unit in {"%", "％"} else "")


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _chinese(text: str) -> int:
    total = section = digit = 0
    for sign in text:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _SMALL:
            section += (digit or 1) * _SMALL[sign]
            digit = 0
        else:
            total = (total + section + digit) * _BIG[sign]
            section = digit = 0
    return total + section + digit
