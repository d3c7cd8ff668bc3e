"""Units with what they measure, and numbers in words; tables, English and Chinese."""

from __future__ import annotations

import re

_TABLE = {
    "money": {
        "USD": "usd dollar dollars bucks 美元 美金 刀",
        "EUR": "eur euro euros 欧元",
        "GBP": "gbp pounds 英镑",
        "CNY": "cny rmb yuan 元 块 块钱 人民币",
    },
    "time": {
        "ms": "ms millisecond milliseconds 毫秒",
        "s": "s sec secs second seconds 秒 秒钟",
        "min": "min mins minute minutes 分钟",
        "h": "h hour hours hrs 小时 个小时",
        "d": "day days 天",
        "wk": "week weeks 周 个星期 星期",
        "mo": "month months 个月",
        "yr": "year years 年",
    },
    "size": {
        "KB": "kb kib",
        "MB": "mb mib 兆",
        "GB": "gb gib",
        "TB": "tb tib",
        "token": "token tokens 个token",
    },
    "length": {
        "px": "px pixel pixels 像素",
        "char": "character characters chars 字 个字 字符",
        "line": "line lines 行",
    },
    "count": {
        "times": "time times retry retries attempt attempts 次 遍 回",
        "items": "file files commit commits item items test tests 个 条 项 份 页 位 人 名 台 家",
        "points": "point points 分",
    },
    "share": {"%": "percent 个百分点"},
}
UNITS = {
    word: (unit, kind)
    for kind, units in _TABLE.items()
    for unit, words in units.items()
    for word in words.split()
}
"""Each word for a unit: the unit and what it measures."""

_HAN = "|".join(sorted((w for w in UNITS if not w[0].isascii()), key=len, reverse=True))
_LATIN = "|".join(sorted((w for w in UNITS if w[0].isascii()), key=len, reverse=True))
UNIT = rf"(?:(?:{_LATIN})(?![A-Za-z])|{_HAN})"

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 10_000, "亿": 100_000_000}
_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES = {"thousand": 1_000, "million": 1_000_000}


def chinese(text: str) -> int:
    """A number in Chinese numerals: 五百, 一万二, 两千零五."""
    total = section = digit = 0
    last = 1
    for sign in text:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
            last = 1 if digit == 0 else last
        elif sign in _SMALL:
            last = _SMALL[sign]
            section += (digit or 1) * last
            digit = 0
        else:
            last = _BIG[sign]
            total = (total + section + digit) * last
            section = digit = 0
    # 一万二 is 12,000: a last digit right behind a large sign counts in tenths of it.
    return total + section + digit * (last // 10 if last >= 100 else 1)


def english(text: str) -> int:
    """A number in English words: "five hundred", "twelve thousand"."""
    total = group = 0
    for word in re.split(r"[\s-]+", text.lower()):
        if word in _ONES:
            group += _ONES.index(word)
        elif word in _TENS:
            group += (_TENS.index(word) + 2) * 10
        elif word == "hundred":
            group = max(1, group) * 100
        elif word in _SCALES:
            total += max(1, group) * _SCALES[word]
            group = 0
        elif word == "a":
            group = 1
    return total + group
