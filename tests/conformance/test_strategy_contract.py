"""What every strategy must hold on any text (S1-S5 of the design)."""

from __future__ import annotations

import json

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.truncation import CutContext, strategies
from baodai.truncation._marker import gaps, mark, measured
from baodai.truncation.arguments import shorten_arguments

CONTEXT = CutContext(ref="bd:0a1b2c3d", target="src/a.py", first_line=1)
FLOOR = 40
"""Tokens of the smallest thing that can stand for a text: its marker (here: words)."""

pieces = st.sampled_from(
    [
        "plain words in a line",
        "错误：构建失败",
        "👨‍👩‍👧‍👦 family",
        "é̄ marks",
        "a\tb",
        "| a | b |",
        "+ added",
        "Error: no",
        "x" * 300,
    ]
)
newline = st.sampled_from(["\n", "\r\n", "\n\n"])
documents = st.builds(lambda lines, glue: glue.join(lines), st.lists(pieces, max_size=300), newline)
anything = st.one_of(documents, st.text(max_size=3_000), pieces.map(lambda p: p * 2_000))
names = pytest.mark.parametrize("name", [n for n in strategies() if n != "none"])


def count(text: str) -> int:
    """A cheap counter that grows with the text: a token for every four characters."""
    return (len(text) + 3) // 4


@names
@settings(max_examples=60, deadline=None)
@given(text=anything, limit=st.integers(FLOOR, 400))
def test_the_cut_is_within_the_limit_and_a_fixed_point(name: str, text: str, limit: int) -> None:
    strategy = strategies()[name]
    cut = strategy.cut(text, limit, count, CONTEXT)
    assert count(cut) <= limit
    assert strategy.cut(cut, limit, count, CONTEXT) == cut
    if count(text) <= limit:
        assert cut == text
    elif name != "json":
        assert "[… " in cut


@settings(max_examples=80, deadline=None)
@given(text=documents, limit=st.integers(FLOOR, 400))
@pytest.mark.parametrize("name", ["head", "tail", "head_tail", "errors"])
def test_characters_kept_and_told_add_up_to_the_text(name: str, text: str, limit: int) -> None:
    cut = strategies()[name].cut(text, limit, count, CONTEXT)
    if cut == text:
        return
    kept = [line for line in cut.splitlines(keepends=True) if not line.startswith("[… ")]
    told = gaps(cut).chars
    assert abs(sum(map(len, kept)) + told - len(text)) <= len(cut.splitlines())


@settings(max_examples=60, deadline=None)
@given(
    text=st.lists(st.sampled_from(["👨‍👩‍👧‍👦", "é̄", "🇫🇷", "字", "ab"]), min_size=200).map("".join)
)
@pytest.mark.parametrize("name", ["head", "tail", "head_tail"])
def test_no_cut_falls_inside_a_visible_sign(name: str, text: str) -> None:
    signs = set(regex.findall(r"\X", text))
    for limit in (45, 60, 90):
        cut = strategies()[name].cut(text, limit, count, CONTEXT)
        kept = "".join(line for line in cut.splitlines() if not line.startswith("[… "))
        assert set(regex.findall(r"\X", kept)) <= signs


@names
def test_a_smaller_limit_later_adds_to_the_number_that_was_told(name: str) -> None:
    if name in {"json", "outline", "repeat"}:
        pytest.skip("shortens inside, and tells what it left out in its own words")
    text = "\n".join(f"line {i} of a long output" for i in range(4_000))
    strategy = strategies()[name]
    once = strategy.cut(text, 800, count, CONTEXT)
    twice = strategy.cut(once, 200, count, CONTEXT)
    kept = sum(len(x) for x in twice.splitlines(keepends=True) if not x.startswith("[… "))
    assert abs(gaps(twice).chars + kept - len(text)) <= 20


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=400),
        lambda inner: st.lists(inner, max_size=40) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=60,
    ),
    st.integers(FLOOR, 300),
)
def test_json_stays_json(value: object, limit: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    json.loads(strategies()["json"].cut(text, limit, count, CONTEXT))
    json.loads(shorten_arguments(text, limit, count, CONTEXT))


def test_long_runs_of_like_lines_collapse_with_their_number() -> None:
    text = "start\n" + "".join(f"10:00:{i:02d} waiting for {i} peers\n" for i in range(60)) * 20
    cut = strategies()["repeat"].cut(text + "ready\n", 200, count, CONTEXT)
    assert "1,199" in cut
    assert "ready" in cut


def test_an_outline_keeps_what_names_things() -> None:
    body = "    value = compute(value)\n" * 80
    text = "".join(f"def part_{i}(value):\n{body}" for i in range(20))
    cut = strategies()["outline"].cut(text, 900, count, CONTEXT)
    assert all(f"def part_{i}(value):" in cut for i in range(20))


def test_a_read_says_from_which_line_to_go_on() -> None:
    text = "\n".join(f"{i}" * 20 for i in range(1, 2_000))
    cut = strategies()["head"].cut(text, 300, count, CONTEXT)
    last = cut.splitlines()[-1]
    assert f"read src/a.py from line {len(cut.splitlines())}" in last
    zh = strategies()["head"].cut(text, 300, count, CutContext(target="甲.py", language="zh"))
    assert "重读 甲.py" in zh


def test_a_marker_says_lines_characters_and_reference() -> None:
    assert mark(measured("a\nb\n"), CONTEXT) == "[… 2 lines, 4 characters left out · bd:0a1b2c3d …]"


@pytest.mark.parametrize("name", list(strategies()))
def test_a_giant_line_is_cut_in_seconds(name: str) -> None:
    text = "x" * 5_000_000
    assert strategies()[name].cut(text, 10_000_000, count, CONTEXT) == text
    if name != "none":
        assert count(strategies()[name].cut(text, 500, count, CONTEXT)) <= 500
