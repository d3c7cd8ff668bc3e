"""Prices: what a model's tokens cost on a day; the only import of genai-prices.

The package's own dated data, never its update from the network. A price file wins over it. A model
that neither knows has no price: never zero.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from baodai.cost.caching import moment
from baodai.errors import PriceFileError
from baodai.model import Usage
from baodai.models import normalised

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

_MILLION = 1_000_000
_NEWEST = datetime(9999, 1, 1, 12, tzinfo=UTC)
"""The time of a call that tells none: the newest prices are taken."""

_HOUR_WRITE = 2.0
"""A one-hour write in units of the input price, where a price file gives only the five-minute one
(Anthropic's published rule: 1.25 and 2)."""


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars for a million tokens. `source` says where they are from, and from which model."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float
    reasoning: float
    source: str

    def cost(self, usage: Usage) -> Cost:
        """What a call cost, part by part; the parts of the prompt do not overlap."""
        hour = min(usage.cache_write_1h or 0, usage.cache_write)
        plain = max(0, usage.input - usage.cache_read - usage.cache_write)
        thought = min(usage.reasoning, usage.output)
        return Cost(
            plain * self.input / _MILLION,
            usage.cache_read * self.cache_read / _MILLION,
            ((usage.cache_write - hour) * self.cache_write + hour * self.cache_write_1h) / _MILLION,
            ((usage.output - thought) * self.output + thought * self.reasoning) / _MILLION,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars of a call: input that the cache had no part in, reads, writes, output."""

    input: float
    cache_read: float
    cache_write: float
    output: float

    @property
    def usd(self) -> float:
        """All of it."""
        return self.input + self.cache_read + self.cache_write + self.output


class Table(Protocol):
    """Prices of one model on one day: rates by the size of the prompt."""

    def rates(self, prompt: int) -> Rates:
        """The rates of a prompt of so many tokens; a tier holds for all tokens of the call."""
        ...


@dataclass(frozen=True, slots=True)
class _Own:
    """Prices of a price file: tiers with the prompt above which each holds, lowest first."""

    tiers: tuple[tuple[int, Rates], ...]

    def rates(self, prompt: int) -> Rates:
        """The rates of the highest tier that the prompt is above."""
        return next((r for above, r in reversed(self.tiers) if prompt > above), self.tiers[0][1])


@dataclass(frozen=True, slots=True)
class _Listed:
    """Prices of the package."""

    price: ModelPrice
    source: str

    def rates(self, prompt: int) -> Rates:
        """The rates, tier by tier; what has no price of its own is priced as what it is part of."""

        def one(key: str, *instead: str) -> float:
            for name in (key, *instead):
                value = getattr(self.price, f"{name}_mtok", None)
                if value is not None:
                    return _tier(value, prompt)
            return 0.0

        return Rates(
            input=one("input"),
            output=one("output"),
            cache_read=one("cache_read", "input"),
            cache_write=one("cache_write_5m", "cache_write", "input"),
            cache_write_1h=one("cache_write_1h", "cache_write", "input"),
            reasoning=one("output_reasoning", "output"),
            source=self.source,
        )


def _tier(value: object, prompt: int) -> float:
    if isinstance(value, Decimal):
        return float(value)
    base, tiers = getattr(value, "base", None), getattr(value, "tiers", ())
    found = next((t.price for t in reversed(tiers) if prompt > t.start), base)
    return float(found) if found is not None else 0.0


@dataclass(slots=True)
class Prices:
    """Looks prices up. `own` are those of a price file, by name or pattern, first match first."""

    own: Sequence[tuple[str, Table]] = ()
    _known: dict[tuple[str, str], Table | None] = field(default_factory=dict)

    def of(self, model: str, made_at: str, prompt: int) -> Rates | None:
        """The rates of a call; `None` where nothing is known of the model."""
        key = (model, made_at[:13])  # prices change by the day, some by the hour
        if key not in self._known:
            self._known[key] = self._find(model, made_at)
        table = self._known[key]
        return None if table is None else table.rates(prompt)

    def _find(self, model: str, made_at: str) -> Table | None:
        if not model:
            return None
        for pattern, table in self.own:
            if fnmatchcase(model, pattern):
                return table
        return _listed(model, moment(made_at) or _NEWEST)


def _listed(model: str, when: datetime) -> Table | None:
    """What the package knows of a model, under the first of its names that it knows."""
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - a fifth of a second

    snapshot = get_snapshot()
    for name in _names(model):
        try:
            provider, info = snapshot.find_provider_model(name, None, None, None)
        except LookupError:
            continue
        price = info.get_prices(when)
        if price.input_mtok is None and price.output_mtok is None:
            continue
        return _Listed(price, f"{provider.id} {info.id}")
    return None


def _names(model: str) -> Iterator[str]:
    """A model's name as it stands, without a host's prefix, without date and variant."""
    bare = model.strip().lower()
    tail = bare.rsplit("/", 1)[-1]
    yield from dict.fromkeys((bare, tail, tail.replace(".", "-"), normalised(model)))


def price_version() -> str:
    """The package and version that prices are from."""
    from importlib.metadata import version  # noqa: PLC0415 - only where prices are asked for

    return f"genai-prices {version('genai-prices')}"


def read_prices(path: Path) -> Prices:
    """The prices of a TOML file: `[models."name or pattern"]`, dollars for a million tokens.

    Raises:
        PriceFileError: the file cannot be read, or says something else.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PriceFileError(str(path), str(error)) from error
    models = table.get("models")
    if not isinstance(models, dict) or not models or len(table) > 1:
        raise PriceFileError(str(path), 'not made of sections [models."NAME"]')
    return Prices(tuple((name, _own(name, said, path)) for name, said in models.items()))


_KEYS = tuple(f.name for f in fields(Rates) if f.name != "source")


def _own(name: str, said: object, path: Path) -> Table:
    where = f'models."{name}"'
    if not isinstance(said, dict):
        raise PriceFileError(str(path), f"{where} is no section")
    tiers = said.get("tiers", [])
    base = {key: value for key, value in said.items() if key != "tiers"}
    found = [(-1, _rates(base, where, path))]
    if not isinstance(tiers, list) or not all(isinstance(tier, dict) for tier in tiers):
        raise PriceFileError(str(path), f"{where}.tiers is no list of tables")
    for tier in tiers:
        above = tier.get("above")
        if not isinstance(above, int) or isinstance(above, bool) or above <= found[-1][0]:
            raise PriceFileError(str(path), f"{where}.tiers need `above`, in tokens, rising")
        own = {key: value for key, value in tier.items() if key != "above"}
        found.append((above, _rates({**base, **own}, where, path)))
    return _Own(tuple(found))


def _rates(said: Mapping[str, object], where: str, path: Path) -> Rates:
    for key, value in said.items():
        if key not in _KEYS:
            raise PriceFileError(str(path), f"{where}.{key} is none of {', '.join(_KEYS)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
            raise PriceFileError(str(path), f"{where}.{key} is no price")
    missing = [key for key in ("input", "output") if key not in said]
    if missing:
        raise PriceFileError(str(path), f"{where} has no {missing[0]}")

    def one(key: str, instead: float) -> float:
        value = said.get(key)
        return float(value) if isinstance(value, (int, float)) else instead

    plain, answer = one("input", 0.0), one("output", 0.0)
    write = one("cache_write", plain)
    hour = max(write, plain * _HOUR_WRITE) if "cache_write" in said else plain
    return Rates(
        plain,
        answer,
        one("cache_read", plain),
        write,
        one("cache_write_1h", hour),
        one("reasoning", answer),
        path.name,
    )
