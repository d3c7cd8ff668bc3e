"""Numbers, dates and identifiers in one canonical form: 「1.2万」, 12k and 12,000 are equal.

`values_of` gives bare values, as they are compared between a decision and a summary;
`quantities_of` gives numbers with what they measure, as they are compared between two decisions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from baodai.decisions._units import UNIT, UNITS, chinese, english

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
_DATE = re.compile(
    r"\b(?P<y>(?:19|20)\d\d)[-/.年]\s?(?P<m>\d{1,2})[-/.月]\s?(?P<d>\d{1,2})(?:\s?[日号])?(?!\d)"
    rf"|\b(?P<M>{_MONTH})\s(?P<D>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s(?P<Y>(?:19|20)\d\d))?"
    rf"|\b(?P<D2>\d{{1,2}})(?:st|nd|rd|th)?\s(?P<M2>{_MONTH})\b(?:,?\s(?P<Y2>(?:19|20)\d\d))?"
    r"|(?P<m3>\d{1,2}|[一二三四五六七八九十]{1,2})\s?月\s?(?P<d3>\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号]",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?<![\d:])(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?![\d:])")
_DAYS = re.compile(
    r"\b(?P<en>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|(?:周|星期|礼拜)(?P<zh>[一二三四五六日天])",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<cur>[$€£¥￥])?\s?(?<![A-Za-z\d_.])(?<![A-Za-z]-)(?P<n>\d[\d,]*(?:\.\d+)?)\s?(?P<u>万亿|[万亿千百kKMmw](?![A-Za-z])|[%％])?(?![\d])"
    rf"(?:\s?(?P<unit>{UNIT}))?"
    rf"|(?P<han>[一二两三四五六七八九十百千万亿零〇]{{2,}}|[一二两三四五六七八九十百千](?=\s?(?:{UNIT})))\s?(?P<hunit>{UNIT})?"
    r"|(?P<cur2>[$€£¥￥])?\b(?P<words>(?:(?:a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\s-]+(?:and\s+)?)*"
    r"(?:hundred|thousand|million|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty"
    r"|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine)"
    r"(?:[\s-]+(?:and\s+)?(?:hundred|thousand|million|one|two|three|four|five|six|seven|eight|nine))*)\b"
    rf"(?:\s(?P<wunit>{UNIT}))?",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"`[^`\n]{1,80}`|(?:[\w.-]+)?(?:/[\w.-]+){1,}|\b[\w-]+\.(?:py|ts|js|go|rs|md|json|toml|yaml|yml|sh|sql)\b"
    r"|\b[A-Z][A-Z0-9]*[-_][A-Z0-9-_]+\b|\b[a-z]+_[a-z_]+\b|\b[a-z]+[A-Z]\w+\b|(?<![\d,])\bv?\d+\.\d+(?:\.\d+)*\b"
)
_TIMES = {
    "k": 1_000, "m": 1_000_000, "w": 10_000, "百": 100, "千": 1_000, "万": 10_000,
    "亿": 100_000_000, "万亿": 1_000_000_000_000,
}  # fmt: skip
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it measures: `kind` is "money", "time", "size", "share", "date", …."""

    value: str
    unit: str
    kind: str

    def __str__(self) -> str:
        """As it is told: "150 ms", "12000 CNY", "03-15"."""
        return f"{self.value} {self.unit}".strip()


def values_of(text: str) -> tuple[str, ...]:
    """Canonical numbers and dates, and identifiers verbatim, in order, each once."""
    dates, rest = _dates(text)
    found = [date.value for date in dates]
    found.extend(
        q.value + ("%" if q.kind == "share" else "")
        for q in _numbers(rest)
        if not (q.kind == "word" and not q.unit)
    )
    found.extend(m.group().strip("`") for m in _IDENTIFIER.finditer(text))
    return tuple(dict.fromkeys(v for v in found if v))


def quantities_of(text: str) -> tuple[Quantity, ...]:
    """Numbers, dates, days and times of day with what they measure, in order, each once."""
    dates, rest = _dates(text)
    clocks = [
        Quantity(f"{int(m.group('h')):02d}:{m.group('m')}", "", "clock")
        for m in _CLOCK.finditer(rest)
    ]
    days = [Quantity(_day(m), "", "day") for m in _DAYS.finditer(rest)]
    numbers = [q for q in _numbers(_CLOCK.sub(" ", rest)) if q.kind != "word"]
    return tuple(dict.fromkeys((*dates, *clocks, *days, *numbers)))


def without_quantities(text: str) -> str:
    """The text without its numbers, dates and their units; words like "one" stay."""
    rest = _DAYS.sub(" ", _CLOCK.sub(" ", _dates(text)[1]))
    return _NUMBER.sub(lambda m: m.group() if m.group("words") and not _big(m) else " ", rest)


def _big(found: re.Match[str]) -> bool:
    return bool(found.group("wunit")) or english(found.group("words")) >= 10


def _dates(text: str) -> tuple[list[Quantity], str]:
    """The dates as "2027-03-15" or "03-15", and the text without them."""
    found: list[Quantity] = []
    for m in _DATE.finditer(text):
        year = m.group("y") or m.group("Y") or m.group("Y2") or ""
        named = m.group("M") or m.group("M2")
        month = (
            _MONTHS.index(named[:3].lower()) + 1 if named else _int(m.group("m") or m.group("m3"))
        )
        day = _int(m.group("d") or m.group("D") or m.group("D2") or m.group("d3"))
        found.append(Quantity(f"{year}-{month:02d}-{day:02d}".lstrip("-"), "", "date"))
    return found, _DATE.sub(" ", text) if found else text


def _int(text: str) -> int:
    return int(text) if text.isdigit() else chinese(text)


def _day(found: re.Match[str]) -> str:
    if found.group("en"):
        return found.group("en")[:3].lower()
    return ["mon", "tue", "wed", "thu", "fri", "sat", "sun", "sun"][
        "一二三四五六日天".index(found.group("zh"))
    ]


def _numbers(text: str) -> Iterator[Quantity]:
    for found in _NUMBER.finditer(text):
        one = _number(found)
        if one is not None:
            yield one


def _number(found: re.Match[str]) -> Quantity | None:
    currency = _CURRENCIES.get(found.group("cur") or found.group("cur2") or "", "")
    han, words = found.group("han"), found.group("words")
    named = found.group("unit") or found.group("hunit") or found.group("wunit") or ""
    unit, kind = UNITS.get(named.lower(), ("", "number"))
    if currency:
        unit, kind = currency, "money"
    if han == "一" and kind in {"count", "number"}:
        return None  # an article: 一个, 一次
    if han:
        return Quantity(_plain(Decimal(chinese(han))), unit, kind)
    if words:
        # "one of them", "two commits": a count only where a unit or size makes it one.
        value = english(words)
        plain = value < 10 and not unit
        return Quantity(_plain(Decimal(value)), unit, "word" if plain else kind)
    times = (found.group("u") or "").lower()
    try:
        value_ = Decimal(found.group("n").replace(",", "").rstrip(".")) * _TIMES.get(times, 1)
    except InvalidOperation:
        return None
    if times in {"%", "％"}:
        return Quantity(_plain(value_), "%", "share")
    return Quantity(_plain(value_), unit, kind)


def _plain(value: Decimal) -> str:
    text = format(value.normalize(), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
