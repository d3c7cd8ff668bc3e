"""The prompt cache: what of a prompt would have been read, what written, where no record says.

Prefix-exact: a call reads the prompt of the last call of the same model, as far as it is still the
same and still alive. Rules by provider, as documented in autumn 2026; a transcript without times
counts as if each call came in time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from baodai.cost.calls import Call
from baodai.model import Usage
from baodai.models import normalised

FIVE_MINUTES, HOUR = 300, 3_600


@dataclass(frozen=True, slots=True)
class Policy:
    """How a provider caches.

    `minimum` and `step` are tokens (a shorter prompt is not cached; reads come in steps),
    `lifetime` seconds since the last use, `writes` that storing is charged, `hour` that it is
    charged and kept for an hour.
    """

    minimum: int
    step: int
    lifetime: int
    writes: bool = False
    hour: bool = False

    def readable(self, tokens: int) -> int:
        """How much of a prefix of so many tokens can be read."""
        return 0 if tokens < self.minimum else tokens - tokens % self.step


NONE = Policy(0, 1, -1)
"""No caching."""

_POLICIES: tuple[tuple[tuple[str, ...], Policy], ...] = (
    # Anthropic: 1,024 tokens, 4,096 from Opus 4.5 and Haiku 4.5 on; five minutes from the last use.
    (("claude-opus-4-5", "claude-haiku-4-5"), Policy(4_096, 1, FIVE_MINUTES, writes=True)),
    (("claude", "opus", "sonnet", "haiku"), Policy(1_024, 1, FIVE_MINUTES, writes=True)),
    # OpenAI: from 1,024 tokens in steps of 128; 5 to 10 minutes without use.
    (("gpt", "o1", "o3", "o4", "codex", "chatgpt"), Policy(1_024, 128, 2 * FIVE_MINUTES)),
    # Gemini 2.5 and later, implicit: from 1,024 (flash) or 4,096 (pro); no lifetime is stated.
    (("gemini",), Policy(2_048, 1, FIVE_MINUTES)),
    # DeepSeek: on disk in units of 64 tokens, "hours to days".
    (("deepseek",), Policy(64, 64, 3 * HOUR)),
    (("kimi", "moonshot", "glm", "grok", "qwen", "minimax"), Policy(1_024, 64, FIVE_MINUTES)),
)


def policy_of(model: str, lifetime: str = "auto") -> Policy:
    """How the provider of a model caches; an unknown one does not.

    `lifetime` is the user's: "auto", "none", or "1h" for one-hour writes.
    """
    if lifetime == "none":
        return NONE
    bare = normalised(model)
    found = next((p for names, p in _POLICIES if bare.startswith(names)), NONE)
    if lifetime == "1h" and found is not NONE:
        return replace(found, lifetime=HOUR, hour=found.writes)
    return found


def seconds(made_at: str) -> float | None:
    """A time of a transcript as seconds, `None` where it is none."""
    when = moment(made_at)
    return None if when is None else when.timestamp()


def moment(made_at: str) -> datetime | None:
    """A time of a transcript: ISO 8601, or seconds or milliseconds since 1970."""
    text = made_at.strip()
    try:
        number = float(text)
        return datetime.fromtimestamp(number / 1000 if number > 1e11 else number, tz=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Warm:
    """What the cache of one model holds: a prefix of so many tokens, last used then."""

    tokens: int
    used: float | None


def cached(calls: Iterable[Call], lifetime: str = "auto") -> Iterator[Call]:
    """The calls with their shares of the cache: simulated where no record tells them."""
    warm: dict[str, _Warm] = {}
    for call in calls:
        if call.first < 0:
            yield call
            continue
        now = seconds(call.made_at)
        policy = policy_of(call.model, lifetime)
        if call.simulated:
            usage = split(call.usage, _alive(warm.get(call.model), policy, now), policy)
            yield replace(call, usage=usage)
        else:
            yield call
        warm[call.model] = _Warm(call.usage.input, now)


def _alive(held: _Warm | None, policy: Policy, now: float | None) -> int:
    """Tokens of the prefix that the cache still has."""
    if held is None or policy.lifetime < 0:
        return 0
    if now is not None and held.used is not None and now - held.used > policy.lifetime:
        return 0
    return held.tokens


def split(usage: Usage, prefix: int, policy: Policy) -> Usage:
    """The usage of a prompt of which a prefix of so many tokens is in the cache."""
    read = policy.readable(min(prefix, usage.input))
    written = usage.input - read if policy.writes and usage.input >= policy.minimum else 0
    return replace(
        usage,
        cache_read=read,
        cache_write=written,
        cache_write_1h=written if policy.hour else 0,
    )
