"""Secrets are told apart and hidden before anything reaches a summary, the memory or the ledger.

`_shapes` knows secrets by their own form (keys, tokens, key blocks, passwords in addresses; with
detect-secrets), `_said` those that a word before them betrays ("password: …", 密码是…). Both look
only where a plain search for a few literals, which costs some 10 ms per MB, has found something.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from baodai.redaction._haystack import Haystack
from baodai.redaction._said import said
from baodai.redaction._shapes import shaped

_KINDS_ZH = {
    "private key": "私钥",
    "GitHub token": "GitHub 令牌",
    "API key": "API 密钥",
    "AWS key": "AWS 密钥",
    "Google key": "Google 密钥",
    "token": "令牌",
    "JSON web token": "JSON Web 令牌",
    "password": "密码",
    "secret": "密钥",
}


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without secrets, and how many of each kind were hidden."""

    text: str
    found: tuple[tuple[str, int], ...] = ()


def redact(text: str, language: str = "en") -> Redacted:
    r"""The text with each secret replaced by its kind; the same text where it holds none.

    Works on text as it is shown and as it stands inside JSON strings (`\"`, `\n`). What is hidden
    is not hidden again. `language` is that of the mark: "zh" or, for all others, English.
    """
    haystack = Haystack(text)
    spans = sorted([*shaped(haystack), *said(haystack)])
    if not spans:
        return Redacted(text)
    counts: Counter[str] = Counter()
    out: list[str] = []
    at = 0
    for start, end, kind in spans:
        # One that begins inside the last (a token that is also the value of `token=`) is the same.
        if start >= at:
            out.append(text[at:start])
            out.append(_mark(kind, language))
            counts[kind] += 1
        at = max(at, end)
    out.append(text[at:])
    return Redacted("".join(out), tuple(sorted(counts.items())))


def _mark(kind: str, language: str) -> str:
    return f"[{_KINDS_ZH[kind]}已隐藏]" if language == "zh" else f"[{kind} hidden]"
