"""Secrets with a form of their own: tokens with a prefix, key blocks, passwords in addresses.

The forms that matter most, and those detect-secrets lacks, stand here; the rest are its plugins,
called on the few places that could hold one. Its guessers by entropy are left out: they take
commit hashes for secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast

from baodai.redaction._haystack import Haystack, Span

_SHORTEST = 20  # characters of the shortest token with a form: an AWS key id
_CONTEXT = 120  # characters around a run that a plugin may need to see
_LONGEST_BLOCK = 20_000  # characters of the longest private key block looked for

# Every repeat is bounded or possessive: a long line must not cost its square.
_PREFIX = re.compile(
    r"gh[pousr]_|github_pat_|[sr]k[-_]|pk[-_]|gsk_|xai-|tvly-|fw_|A[KSBC][IC]A|AIza|xox[abeoprs]-"
    r"|glpat-|npm_|hf_|dckr_pat_|shpat_|eyJ"
)
_TOKEN = re.compile(
    r"(?P<GitHub_token>gh[pousr]_[A-Za-z0-9_]{16,255}|github_pat_\w{20,255})"
    r"|(?<![A-Za-z0-9])(?:"
    r"(?P<API_key>(?:sk|gsk|xai|rk|pk|tvly|fw)[-_](?=(?:[A-Za-z_-]{0,64}\d){2})[\w-]{16,512})"
    r"|(?P<AWS_key>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9]))"
    r"|(?P<Google_key>AIza[\w-]{30,120})"
    r"|(?P<token>xox[abeoprs]-[\w-]{10,255}|glpat-[\w-]{16,255}|npm_[A-Za-z0-9]{30,255}"
    r"|hf_[A-Za-z0-9]{30,255}|dckr_pat_[\w-]{20,255}|shpat_[0-9a-f]{32})"
    r"|(?P<JSON_web_token>eyJ[\w-]{8,4096}+\.[\w-]{8,8192}+(?:\.[\w-]{0,2048}+)?)"
    r")"
)
_HASH = re.compile(r"[0-9a-f-]+|[0-9A-F-]+|[A-Za-z_-]+|[0-9_-]+")
_ADDRESS = re.compile(
    r"://(?P<user>[^\s/:@\"'<>\\]{0,100}):(?P<secret>[^\s/@\"'<>\\\[\]]{1,200})@(?=[\w.-])"
)
_VARIABLE = re.compile(r"\$.*|\{.*|%.*|\*+|x+|\.+", re.IGNORECASE)
_BLOCK_HEAD = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_TAIL = re.compile(r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,.\-\"'>|]*+")
_BODY_OF_TORN = re.compile(r"(?:\s|\\[nr]|[A-Za-z0-9+/=]{16,100}(?![A-Za-z0-9+/=])){1,2000}+")
_BODY_WORD = re.compile(r"[A-Za-z0-9+/=]{4}")


class _Plugin(Protocol):
    denylist: tuple[re.Pattern[str], ...]

    def analyze_string(self, string: str) -> Iterator[str]: ...


def shaped(haystack: Haystack) -> Iterator[Span]:
    """The secrets of a text that are known by their form."""
    yield from _blocks(haystack)
    yield from _addresses(haystack)
    for start, end in haystack.runs(_SHORTEST):
        yield from _tokens(haystack.text, start, end)


def _blocks(haystack: Haystack) -> Iterator[Span]:
    """Private key blocks, torn ones too; a header that is only spoken of stays."""
    text = haystack.text
    for place in haystack.places("-----begin "):
        head = _BLOCK_HEAD.match(text, place)
        if head is None:
            continue
        tail = _BLOCK_TAIL.search(text, head.end(), head.end() + _LONGEST_BLOCK)
        if tail is not None and _BODY_WORD.search(text, head.end(), tail.start()):
            body = _BLOCK_BODY.match(text, head.end(), tail.start())
            if body is not None and body.end() == tail.start():
                yield place, tail.end(), "private key"
                continue
        torn = _BODY_OF_TORN.match(text, head.end())
        if torn is not None and _BODY_WORD.search(text, head.end(), torn.end()):
            yield place, torn.end(), "private key"


def _addresses(haystack: Haystack) -> Iterator[Span]:
    """Passwords in addresses, `scheme://user:password@host`."""
    for place in haystack.places("://"):
        found = _ADDRESS.match(haystack.text, place)
        if found is not None and not _VARIABLE.fullmatch(found["secret"]):
            yield *found.span("secret"), "password"


def _tokens(text: str, start: int, end: int) -> Iterator[Span]:
    """Tokens in or around one run of letters and digits."""
    found = False
    for prefix in _PREFIX.finditer(text, start, end):
        token = _TOKEN.match(text, prefix.start())
        if token is not None:
            found = True
            yield *token.span(), str(token.lastgroup).replace("_", " ")
    if found or _HASH.fullmatch(text, start, end):
        return
    yield from _known(text, max(0, start - _CONTEXT), min(end, start + 4_000) + _CONTEXT)


def _known(text: str, start: int, end: int) -> Iterator[Span]:
    """What the plugins of detect-secrets find in a stretch."""
    gate, plugins = _plugins()
    if gate.search(text, start, end) is None:
        return
    stretch = text[start:end]
    for plugin in plugins:
        for secret in plugin.analyze_string(stretch):
            at = stretch.find(secret)
            if len(secret) >= _SHORTEST and at >= 0:
                yield start + at, start + at + len(secret), "secret"


@cache
def _plugins() -> tuple[re.Pattern[str], tuple[_Plugin, ...]]:
    """The detectors of forms, and one pattern that tells whether any of them could find something.

    Each scans on its own and slowly; the pattern is the union of theirs.
    """
    from detect_secrets.plugins import (  # noqa: PLC0415  # 0.1 s to import, rarely needed
        azure_storage_key,
        cloudant,
        discord,
        gitlab_token,
        mailchimp,
        pypi_token,
        sendgrid,
        slack,
        softlayer,
        square_oauth,
        stripe,
        telegram_token,
        twilio,
    )

    plugins = cast(
        "tuple[_Plugin, ...]",
        (
            azure_storage_key.AzureStorageKeyDetector(),
            cloudant.CloudantDetector(),
            discord.DiscordBotTokenDetector(),
            gitlab_token.GitLabTokenDetector(),
            mailchimp.MailchimpDetector(),
            pypi_token.PypiTokenDetector(),
            sendgrid.SendGridDetector(),
            slack.SlackDetector(),
            softlayer.SoftlayerDetector(),
            square_oauth.SquareOAuthDetector(),
            stripe.StripeDetector(),
            telegram_token.TelegramBotTokenDetector(),
            twilio.TwilioKeyDetector(),
        ),
    )
    forms = (form for plugin in plugins for form in plugin.denylist)
    return re.compile("|".join(_scoped(form) for form in forms)), plugins


def _scoped(form: re.Pattern[str]) -> str:
    """A pattern as a part of another one: case ignored where it ignored it."""
    return f"(?i:{form.pattern})" if form.flags & re.IGNORECASE else f"(?:{form.pattern})"
