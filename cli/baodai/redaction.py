"""Secrets are told apart and hidden before anything reaches a summary, the memory or the ledger.

detect-secrets knows the shapes of keys; what people say in prose (a pass phrase, a password in an
address) is told here. Only lines that could hold one are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol, cast

_MAYBE = re.compile(
    r"key|token|secret|passw|passphrase|pass phrase|pwd|credential|bearer|private|://[^\s/]*:[^\s/]*@|sk-|gh[pousr]_|xox|AKIA|ASIA"
    r"|AIza|eyJ|glpat|npm_|密码|口令|密钥|令牌",
    re.IGNORECASE,
)
_OWN: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,})")),
    ("API key", re.compile(r"\bsk-(?:[A-Za-z]+-)*[A-Za-z0-9_-]{16,}")),
    ("AWS key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("Google key", re.compile(r"\bAIza[\w-]{30,}")),
    (
        "token",
        re.compile(
            r"\b(?:xox[abprs]-[\w-]{10,}|glpat-[\w-]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z]{30,})"
        ),
    ),
    ("JSON web token", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}")),
    ("password", re.compile(r"(?<=://)(?P<user>[^\s/:@]*):(?P<secret>(?!\[)[^\s/@]+)(?=@)")),
    (
        "password",
        re.compile(
            r"(?:pass ?phrase|password|passwd|pwd|口令|密码)(?:\s+(?:is|for [\w -]{1,30} is)|\s*[:=：]|是|为)\s*"
            r"[\"'“「]?(?P<secret>(?!\[)[^\s\"'”」,，。;]{4,}(?: [a-z]+(?=[ .,\"”]|$)){0,6})",
            re.IGNORECASE,
        ),
    ),
    (
        "secret",
        re.compile(
            r"\b[\w-]*(?:api[_-]?key|secret|access[_-]?token|auth[_-]?token|密钥|令牌)[\w-]*[\"']?\s*[:=：]\s*[\"']?"
            r"(?P<secret>[A-Za-z0-9+/_.-]{12,}={0,2})",
            re.IGNORECASE,
        ),
    ),
)
_HIDDEN = {"en": "[{kind} hidden]", "zh": "[{kind}已隐藏]"}
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


class _Plugin(Protocol):
    secret_type: str

    def analyze_string(self, string: str) -> Iterator[str]: ...


def redact(text: str, language: str = "en") -> Redacted:
    """The text with each secret replaced by its kind; the same text where it holds none."""
    if _MAYBE.search(text) is None:
        return Redacted(text)
    counts: dict[str, int] = {}

    def hide(kind: str, found: re.Match[str]) -> str:
        counts[kind] = counts.get(kind, 0) + 1
        mark = _HIDDEN[language].format(kind=_KINDS_ZH[kind] if language == "zh" else kind)
        if "secret" not in found.re.groupindex:
            return mark
        start, end = found.span("secret")
        return found.string[found.start() : start] + mark + found.string[end : found.end()]

    for kind, pattern in _OWN:
        text = pattern.sub(lambda found, kind=kind: hide(kind, found), text)  # type: ignore[misc]
    for secret in _known(text):
        mark = _HIDDEN[language].format(kind="密钥" if language == "zh" else "secret")
        text = text.replace(secret, mark)
        counts["secret"] = counts.get("secret", 0) + 1
    return Redacted(text, tuple(sorted(counts.items())))


def _known(text: str) -> Iterator[str]:
    """What detect-secrets' structured plugins find in lines that could hold a secret."""
    for line in text.splitlines():
        if len(line) > 5_000 or _MAYBE.search(line) is None:
            continue
        for plugin in _plugins():
            yield from (s for s in plugin.analyze_string(line) if len(s) >= 12)


@cache
def _plugins() -> tuple[_Plugin, ...]:
    """Detectors of keys with a shape of their own; entropy guessers hit commit hashes."""
    from detect_secrets.plugins import (  # noqa: PLC0415 - slow to import, rarely needed
        azure_storage_key,
        cloudant,
        discord,
        mailchimp,
        sendgrid,
        slack,
        square_oauth,
        stripe,
        twilio,
    )

    found = (
        azure_storage_key.AzureStorageKeyDetector(),
        cloudant.CloudantDetector(),
        discord.DiscordBotTokenDetector(),
        mailchimp.MailchimpDetector(),
        sendgrid.SendGridDetector(),
        slack.SlackDetector(),
        square_oauth.SquareOAuthDetector(),
        stripe.StripeDetector(),
        twilio.TwilioKeyDetector(),
    )
    return cast("tuple[_Plugin, ...]", found)
