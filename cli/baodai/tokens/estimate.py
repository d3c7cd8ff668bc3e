"""The estimate for where no vocabulary can be had: tokens from what a text is made of.

Deterministic and without data files. Weights of ASCII text are a least-squares fit to `o200k_base`
over tool output, prose and code of real sessions (5% off in the median, 19% at the 95th
percentile); those of other scripts are tokens for each character, measured with `o200k_base`.
Characters divided by four is wrong by two to four times on Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re

from baodai.tokens._cuts import pieces

ERROR = 0.25
"""Share by which an estimate can be off (95th percentile over mixed text, rounded up)."""

_ASCII: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"[A-Za-z]+"), 0.28),
    (re.compile(r"[0-9]{1,3}"), 1.0),
    (re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]"), 1.45),
    (re.compile(r"[!-/:-@\[-`{-~]+"), 0.77),
    (re.compile(r"\n[ \t]*|[ \t]{2,}"), 0.8),
    (re.compile(r"[\x00-\x08\x0e-\x1f\x7f]"), 0.7),
)
"""Tokens for each match: word, digit group, letter-digit border, punctuation, gap, control."""

_LETTER, _SIGN, _BLANK = 0.15, 0.17, 1 / 128
_LETTERS = re.compile(r"[A-Za-z]+")
_SIGNS = re.compile(r"[!-/:-@\[-`{-~]+")
_BLANKS = re.compile(r"[ \t]+")

_SCRIPTS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(f"[{block}]+"), weight)
    for block, weight in (
        ("\u00a0-\u024f\u1e00-\u1eff", 0.45),  # Latin with marks, Vietnamese among them
        ("\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f", 1.0),  # combining marks, joiners
        ("\u0370-\u03ff", 0.5),  # Greek
        ("\u0400-\u052f", 0.35),  # Cyrillic
        ("\u0590-\u05ff", 0.55),  # Hebrew
        ("\u0600-\u06ff", 0.35),  # Arabic
        ("\u0900-\u0dff", 0.5),  # scripts of India
        ("\u0e00-\u0eff", 0.5),  # Thai, Lao
        ("\u2000-\u200a\u2010-\u23ff", 1.0),  # punctuation, arrows, signs
        ("\u2400-\u2bff", 0.75),  # rules, blocks, shapes
        ("\u3000-\u303f\uff00-\uffef", 0.75),  # CJK punctuation, full width
        ("\u3040-\u30ff", 0.74),  # kana
        ("\u3400-\u9fff\uf900-\ufaff", 0.79),  # Han
        ("\uac00-\ud7af\u1100-\u11ff", 0.96),  # Hangul
        ("\ud800-\udfff", 0.7),  # half surrogates
        ("\U00010000-\U0010ffff", 1.4),  # emoji, rare Han
    )
)
_OTHER = 1.0
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


class Estimator:
    """A counter without a vocabulary. `why` says what was missing."""

    name = "estimate"
    exact = False

    def __init__(self, why: str = "") -> None:
        self.why = why

    def count(self, text: str) -> int:
        """Tokens of `text`, within `ERROR` of `o200k_base`; at least 1 unless it is empty."""
        total = sum(map(_ascii, pieces(text)))
        if not text.isascii():
            total += sum(map(_scripts, pieces(text)))
        return max(1, round(total)) if text else 0


def _length(pattern: re.Pattern[str], text: str) -> int:
    return sum(map(len, pattern.findall(text)))


def _ascii(text: str) -> float:
    total = sum(len(pattern.findall(text)) * weight for pattern, weight in _ASCII)
    total += _LETTER * _length(_LETTERS, text) + _SIGN * _length(_SIGNS, text)
    return total + _BLANK * _length(_BLANKS, text)


def _scripts(text: str) -> float:
    total, known = 0.0, 0
    for pattern, weight in _SCRIPTS:
        length = _length(pattern, text)
        known += length
        total += weight * length
    return total + _OTHER * (_length(_NON_ASCII, text) - known)
