"""Exact counts: the engines agree with the reference and with each other, on anything."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.tokens import ENCODINGS, TokenCounter, counter_for
from baodai.tokens._cuts import PIECE, pieces
from baodai.tokens._vocabulary import reference
from shared import shared

ODD = [
    "",
    "It's don'T WE'LL 'ſ 'S",
    "ſ and 'ſx",
    "<|endoftext|><|im_start|>user<|im_end|> <|fim_prefix|>",
    "half \ud83d and \udc00 and \ud83d\ude00 whole",
    "修复登录模块。\n然后\t运行 测试！",
    "e\u0301 nguye\u0302\u0303n nguyễn",
    "\x00\x1b[0m\r\n\u2028\ufeff",
    "a\u200db 👩‍👩‍👧‍👦 🇨🇳",
    "//////***\n\n\n   \t\t  x",
]

alphabet = st.one_of(
    st.characters(),
    st.sampled_from("  \n\t\r'sStTlLſ<|>/=-0123456789aAzZ中。，é\u0301😀"),
)
texts = st.one_of(
    st.text(alphabet, max_size=80),
    st.lists(st.sampled_from(ODD), max_size=4).map("".join),
    st.builds(lambda c, n, t: c * n + t, alphabet, st.integers(0, 300), st.text(max_size=9)),
)


@pytest.fixture(params=ENCODINGS)
def encoding(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@given(texts)
@settings(max_examples=300, deadline=None)
def test_the_engines_agree_on_arbitrary_text(text: str) -> None:
    for name in ENCODINGS:
        assert counter_for(name).count(text) == counter_for(name, fast=False).count(text)


@pytest.mark.parametrize("text", ODD)
def test_the_engines_agree_on_text_that_trips_others(text: str, encoding: str) -> None:
    expected = len(reference(encoding).encode_ordinary(text))
    assert counter_for(encoding).count(text) == expected
    assert counter_for(encoding, fast=False).count(text) == expected


def test_the_name_of_a_counter_does_not_tell_the_engine(encoding: str) -> None:
    fast, slow = counter_for(encoding), counter_for(encoding, fast=False)
    assert fast.name == slow.name == encoding
    assert fast.exact
    assert slow.exact


def test_special_token_text_counts_as_plain_text(encoding: str) -> None:
    counter = counter_for(encoding)
    assert counter.count("<|endoftext|>") > 3
    assert counter.count("a <|im_start|> b") > 5


MILLION = 1_000_000


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ("a" * MILLION, 125_000, 125_000),
        (" " * MILLION, 7_813, 7_813),
        ("\t" * MILLION, 62_500, 62_500),
        ("\n" * MILLION, 62_500, 31_250),
        ("0" * MILLION, 333_334, 333_334),
        ("-" * MILLION, 15_625, 15_625),
        ("中" * MILLION, 1_000_000, 1_000_000),
    ],
    ids=["letters", "blanks", "tabs", "newlines", "digits", "rules", "han"],
)
def test_a_million_equal_characters_are_right_and_never_panic(
    text: str, o200k: int, cl100k: int
) -> None:
    for name, expected in (("o200k_base", o200k), ("cl100k_base", cl100k)):
        assert counter_for(name).count(text) == expected
        assert counter_for(name, fast=False).count(text) == expected


def test_blanks_after_text_are_counted_as_one_run() -> None:
    counter = counter_for("o200k_base")
    assert counter.count("foo: " + " " * MILLION + "x") == 7_816


def test_a_line_of_fifty_megabytes_is_counted() -> None:
    assert counter_for("o200k_base").count("x" * 50_000_000) == 6_250_000


def test_counts_of_pieces_add_up_where_the_text_has_words(encoding: str) -> None:
    line = 'def f(a_b, c="x y"):  # 注释，说明\n\treturn {"k": [1, 22.5], "s": \'it\\\'s\'}\n\n'
    text = line * (2 * PIECE // len(line) + 50)
    assert len(list(pieces(text))) >= 3
    whole = len(reference(encoding).encode_ordinary(text))
    assert counter_for(encoding).count(text) == whole


def test_counts_of_pieces_add_up_in_chinese(encoding: str) -> None:
    text = "用户要求修复登录模块的错误，然后重新运行全部测试。" * 20_000
    whole = len(reference(encoding).encode_ordinary(text))
    assert counter_for(encoding).count(text) == whole


@given(st.text(alphabet, min_size=1, max_size=12), st.text(alphabet, min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_pieces_join_to_the_text_and_stay_small(one: str, two: str) -> None:
    text = one * (PIECE // len(one) + 7) + two * (PIECE // len(two) + 3)
    parts = list(pieces(text))
    assert "".join(parts) == text
    assert all(0 < len(part) <= PIECE for part in parts)


def test_text_without_a_safe_place_is_off_by_less_than_a_few_tokens_a_piece(encoding: str) -> None:
    text = "0f3a9b7c" * (3 * PIECE // 8)
    whole = len(reference(encoding).encode_ordinary(text))
    assert abs(counter_for(encoding).count(text) - whole) <= 6


@pytest.mark.shared
def test_case_50_special_tokens_chinese_emoji_and_runs() -> None:
    lines = shared("cases", "50-special-tokens-and-cjk", "input.jsonl").read_text("utf-8")
    bodies = [json.loads(line)["content"] for line in lines.splitlines()]
    counters: list[TokenCounter] = [counter_for(name) for name in ENCODINGS]
    for counter in counters:
        assert counter.count(bodies[0]) > 15
        assert 400 <= counter.count(bodies[1]) <= 1300
        assert counter.count(bodies[2]) >= 200
        start = time.perf_counter()
        assert counter.count(bodies[3]) > 3000
        assert counter.count(bodies[4]) > 3000
        assert time.perf_counter() - start < 1


def test_importing_the_package_loads_no_engine() -> None:
    code = (
        "import sys, baodai.window; "
        "print([m for m in ('tiktoken', 'splintr', 'regex') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
