from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.jsonl import Style, dumps, loads, style_of

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_integers_beyond_64_bits_keep_their_digits() -> None:
    value = loads(b'{"id":18446744073709551616123,"n":[-98765432109876543210,1.5]}')
    assert value == {"id": 18446744073709551616123, "n": [-98765432109876543210, 1.5]}
    assert loads(dumps(value)) == value


def test_nan_and_infinity_are_read() -> None:
    value = loads(b'{"a":NaN,"b":-Infinity}')
    assert isinstance(value, dict)
    assert math.isnan(value["a"])
    assert value["b"] == -math.inf


def test_the_last_of_duplicate_keys_holds() -> None:
    assert loads(b'{"a":1,"a":2}') == {"a": 2}


@pytest.mark.parametrize(
    "raw", [b"", b"{", b'{"a"', b"nul", b"[" * 200_000, b"{" + b'"a":{' * 100_000, 6000 * b"9"]
)
def test_what_is_no_json_is_a_value_error_that_knows_the_position(raw: bytes) -> None:
    with pytest.raises(json.JSONDecodeError):
        loads(raw)


@pytest.mark.parametrize(
    ("raw", "style"),
    [
        (b'{"a": 1, "b": "x"}', Style(", ", ": ")),
        (b'{"a":1,"b":"x, \\"k\\": 1"}', Style(",", ":")),
        (b'{"a": "{\\"k\\":1,\\"l\\":2}", "b": 1}', Style(", ", ": ")),
        (b'{"a":"\\u4e2d","b":1}', Style(",", ":", ascii_only=True)),
        (b'{"a":"\\u001b[0m \\u003c","b":1}', Style(",", ":")),
        ('{"a":"中 \\u4e2d","b":1}'.encode(), Style(",", ":")),
        (b'{\n  "a": 1,\n  "b": 2\n}', Style(", ", ": ")),
        (b"[]", Style()),
    ],
)
def test_the_style_is_that_of_the_record(raw: bytes, style: Style) -> None:
    assert style_of(raw) == style


def test_half_surrogates_are_never_written() -> None:
    assert loads(dumps("a\ud83d")) == "a\ufffd"


@given(json_values, st.booleans(), st.sampled_from([",", ", "]), st.sampled_from([":", ": "]))
def test_what_is_written_reads_back(
    value: object, ascii_only: bool, comma: str, colon: str
) -> None:
    assert loads(dumps(value, Style(comma, colon, ascii_only))) == value
