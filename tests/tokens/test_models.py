"""The model table: names as they come in the wild, and what is said of unknown ones."""

from __future__ import annotations

import pytest

from baodai.models import DEFAULT, TABLE, ModelInfo, Tokenizer, lookup, normalised, suggestions


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("openrouter/anthropic/claude-opus-4.8:beta", "claude-opus-4-8"),
        ("claude-opus-4-7[1m]", "claude-opus-4-7"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("ft:gpt-4o-mini-2024-07-18:acme::7p4lURel", "gpt-4o-mini"),
        ("models/gemini-2.5-flash", "gemini-2-5-flash"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3-3-70b-instruct"),
        ("us.meta.llama3-3-70b-instruct-v1:0", "llama-3-3-70b-instruct"),
        ("Qwen/Qwen2.5-Coder-32B-Instruct", "qwen2-5-coder-32b-instruct"),
    ],
)
def test_a_name_loses_provider_date_and_variant(name: str, bare: str) -> None:
    assert normalised(name) == bare


@pytest.mark.parametrize(
    ("name", "window", "encoding", "factor"),
    [
        ("gpt-4o-2024-08-06", 128_000, "o200k_base", 1.0),
        ("gpt-4-0613", 8_192, "cl100k_base", 1.0),
        ("gpt-4-1106-preview", 128_000, "cl100k_base", 1.0),
        ("gpt-4.1-mini-2025-04-14", 1_047_576, "o200k_base", 1.0),
        ("gpt-3.5-turbo", 16_385, "cl100k_base", 1.0),
        ("gpt-5.3-codex", 272_000, "o200k_base", 1.0),
        ("o3-mini", 200_000, "o200k_base", 1.0),
        ("claude-3-5-sonnet-20241022", 200_000, "o200k_base", 1.18),
        ("claude-opus-4-6", 1_000_000, "o200k_base", 1.18),
        ("claude-opus-4-7", 1_000_000, "o200k_base", 1.43),
        ("claude-opus-5-5", 1_000_000, "o200k_base", 1.43),
        ("deepseek/deepseek-chat", 128_000, "o200k_base", 1.04),
        ("kimi-k2.5", 262_144, "o200k_base", 1.0),
    ],
)
def test_a_known_model_has_its_window_and_its_way_of_counting(
    name: str, window: int, encoding: str, factor: float
) -> None:
    info = lookup(name)
    assert (info.window, info.encoding, info.factor) == (window, encoding, factor)
    assert info.known
    assert info.exact == (factor == 1.0 and info.error == 0.0)


def test_openai_models_are_exact_and_others_state_their_error() -> None:
    assert lookup("gpt-5").exact
    for name in ("claude-opus-4-7", "gemini-3-pro", "kimi-k2", "llama-3.3-70b", "grok-4"):
        assert not lookup(name).exact
        assert 0 < lookup(name).error <= 0.25


def test_an_unknown_model_has_the_default_window_and_a_stated_error() -> None:
    info = lookup("my-own-model")
    assert (info.window, info.encoding) == (128_000, "o200k_base")
    assert (info.known, info.exact, info.error) == (False, False, 0.2)


def test_no_model_means_a_window_in_o200k_base_itself() -> None:
    assert lookup("") is lookup("  ") is DEFAULT
    assert DEFAULT.exact


def test_a_slip_brings_suggestions() -> None:
    assert "claude-opus-4-6" in suggestions("claud-opus-4-6")
    assert suggestions("zzz") == ()


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_every_row_is_sound(row: tuple[str, int, int, Tokenizer]) -> None:
    name, window, output, how = row
    assert name == normalised(name)
    assert lookup(name).window == window
    assert 0 < output <= window
    assert how.source
    info = lookup(name)
    assert 0 < info.reserve <= min(20_000, output, window // 4 + 1)


def test_a_row_of_the_users_own_wins() -> None:
    own = ("claude-opus-4-6", 200_000, 32_000, Tokenizer("o200k_base", 1.25, 0.05, "measured"))
    info: ModelInfo = lookup("anthropic/claude-opus-4-6", (own,))
    assert (info.window, info.factor) == (200_000, 1.25)
