"""What tokens cost: worked out by hand, to the cent and below."""

from __future__ import annotations

from pathlib import Path

import pytest

from baodai.cost.prices import Prices, Rates, read_prices
from baodai.errors import PriceFileError
from baodai.model import Usage

FILE = """
[models."claude-x"]
input = 3
output = 15
cache_read = 0.30
cache_write = 3.75
cache_write_1h = 6

[models."vendor/*"]
input = 1
output = 4
reasoning = 5
tiers = [{ above = 200_000, input = 2, output = 6 }]

[models.free]
input = 0
output = 0
"""


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    path = tmp_path / "prices.toml"
    path.write_text(FILE, "utf-8")
    return read_prices(path)


def rates(prices: Prices, model: str, prompt: int = 1_000, made_at: str = "") -> Rates:
    found = prices.of(model, made_at, prompt)
    assert found is not None
    return found


def test_the_parts_of_a_prompt_are_priced_apart_and_do_not_overlap(prices: Prices) -> None:
    # 10,000 prompt tokens: 6,000 read, 3,000 written (1,000 of them for an hour), 1,000 plain.
    used = Usage(10_000, 500, cache_read=6_000, cache_write=3_000, cache_write_1h=1_000)
    cost = rates(prices, "claude-x").cost(used)
    assert cost.input == pytest.approx(1_000 * 3 / 1e6)
    assert cost.cache_read == pytest.approx(6_000 * 0.30 / 1e6)
    assert cost.cache_write == pytest.approx((2_000 * 3.75 + 1_000 * 6) / 1e6)
    assert cost.output == pytest.approx(500 * 15 / 1e6)
    assert cost.usd == pytest.approx(0.003 + 0.0018 + 0.0135 + 0.0075)


def test_one_hour_writes_have_their_own_price_and_unsplit_ones_that_of_five_minutes(
    prices: Prices,
) -> None:
    split = Usage(120_000, 0, cache_write=120_000, cache_write_1h=100_000)
    unsplit = Usage(120_000, 0, cache_write=120_000)
    assert rates(prices, "claude-x").cost(split).usd == pytest.approx(0.675)
    assert rates(prices, "claude-x").cost(unsplit).usd == pytest.approx(0.45)


def test_a_tier_holds_for_the_whole_call_above_its_prompt(prices: Prices) -> None:
    at, above = rates(prices, "vendor/a", 200_000), rates(prices, "vendor/a", 200_001)
    assert at.cost(Usage(200_000, 1_000)).usd == pytest.approx(0.200 + 0.004)
    assert above.cost(Usage(200_001, 1_000)).usd == pytest.approx(0.400_002 + 0.006)


def test_reasoning_is_part_of_the_output_at_its_own_price(prices: Prices) -> None:
    assert rates(prices, "vendor/a").cost(Usage(0, 1_000, reasoning=400)).usd == pytest.approx(
        (600 * 4 + 400 * 5) / 1e6
    )


def test_a_price_of_nothing_is_a_price_and_an_unknown_model_has_none(prices: Prices) -> None:
    assert rates(prices, "free").cost(Usage(5_000, 700)).usd == 0
    assert prices.of("mystery-9", "", 1_000) is None
    assert prices.of("", "", 1_000) is None


def test_the_package_knows_models_by_their_hosts_names_too() -> None:
    plain = rates(Prices(), "claude-sonnet-4-5")
    assert (plain.input, plain.output, plain.cache_read) == (3.0, 15.0, 0.3)
    assert (plain.cache_write, plain.cache_write_1h) == (3.75, 6.0)
    for name in ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929"):
        assert rates(Prices(), name).cost(Usage(9, 9)) == plain.cost(Usage(9, 9)), name


def test_a_long_prompt_of_a_listed_model_has_its_long_price() -> None:
    short = rates(Prices(), "gemini-2.5-pro", 200_000)
    long = rates(Prices(), "gemini-2.5-pro", 200_001)
    assert (short.input, long.input) == (1.25, 2.5)
    assert (short.output, long.output) == (10.0, 15.0)


def test_a_price_file_wins_over_the_package(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[models."claude-sonnet-4-5*"]\ninput = 1\noutput = 2\n', "utf-8")
    assert rates(read_prices(path), "claude-sonnet-4-5-20250929").source == "own.toml"
    assert rates(read_prices(path), "gpt-4o").source.startswith("openai")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "sections"),
        ("[models.a]\ninput = 1\n", "no output"),
        ("[models.a]\ninput = -1\noutput = 1\n", "no price"),
        ("[models.a]\ninput = 1\noutput = nan\n", "no price"),
        ("[models.a]\ninput = 1\noutput = 1\nfoo = 1\n", "foo"),
        ("[models.a]\ninput = 1\noutput = 1\ntiers = [{ above = 0.5 }]\n", "above"),
        ("not toml", "TOML"),
    ],
)
def test_a_price_file_that_says_something_else_is_refused(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(PriceFileError) as raised:
        read_prices(path)
    if why != "TOML":
        assert why in str(raised.value)
