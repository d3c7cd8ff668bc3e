from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.jsonl import loads, splice
from baodai.model import Path

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(['a"}]', "\\", "中文，", "\u2028", "😀", "{[", ","])
)
keys = st.sampled_from(["a", "b", "content", '"', "键", "\\u"])
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=16,
).filter(lambda value: isinstance(value, dict | list))


def places(value: object, path: Path = ()) -> list[Path]:
    children: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [p for k, v in children for p in [(*path, k), *places(v, (*path, k))]]


def reached(value: Any, path: Path) -> Any:  # noqa: ANN401 - JSON of any shape
    for key in path:
        value = value[key]
    return value


@st.composite
def texts(draw: st.DrawFn) -> tuple[object, bytes]:
    value = draw(documents)
    style: dict[str, Any] = {
        "indent": draw(st.sampled_from([None, None, 2])),
        "ensure_ascii": draw(st.booleans()),
    }
    if style["indent"] is None:
        style["separators"] = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")]))
    end = draw(st.sampled_from([b"", b"\n", b"\r\n"]))
    return value, json.dumps(value, **style).encode() + end


@settings(max_examples=300)
@given(texts(), st.data(), documents | leaves)
def test_putting_a_value_equals_putting_it_into_what_was_parsed(
    text: tuple[object, bytes], data: st.DataObject, new: object
) -> None:
    value, raw = text
    wanted = deepcopy(value)
    paths = places(value)
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    reached(wanted, path[:-1])[path[-1]] = new
    assert loads(splice(raw, {path: new})) == wanted


@settings(max_examples=300)
@given(texts(), st.data())
def test_removing_equals_removing_from_what_was_parsed(
    text: tuple[object, bytes], data: st.DataObject
) -> None:
    value, raw = text
    wanted = deepcopy(value)
    paths = places(value)
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    del reached(wanted, path[:-1])[path[-1]]
    out = splice(raw, removes=[path])
    assert loads(out) == wanted
    assert len(out) < len(raw)


@settings(max_examples=300)
@given(texts(), st.data(), st.lists(documents | leaves, min_size=1, max_size=3))
def test_inserting_equals_inserting_into_what_was_parsed(
    text: tuple[object, bytes], data: st.DataObject, new: list[object]
) -> None:
    value, raw = text
    wanted = deepcopy(value)
    lists = [p for p in [(), *places(value)] if isinstance(reached(value, p), list)]
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    index = data.draw(st.integers(0, len(reached(value, path)) + 1))
    reached(wanted, path)[index:index] = new
    assert loads(splice(raw, inserts={(*path, index): new})) == wanted


@given(texts(), st.text(max_size=5))
def test_a_member_that_was_not_there_is_added(text: tuple[object, bytes], new: str) -> None:
    value, raw = text
    if isinstance(value, dict):
        assert loads(splice(raw, {("fresh",): new})) == {**value, "fresh": new}


@given(texts())
def test_nothing_to_do_leaves_every_byte(text: tuple[object, bytes]) -> None:
    assert splice(text[1]) == text[1]


def test_untouched_bytes_keep_lexemes_escapes_separators_and_line_end() -> None:
    head = b'\xef\xbb\xbf { "n" : 1.0 , "id":18446744073709551616123,"x":NaN, "s":"\\u4e2d\\/",'
    tail = b' "e" : 9e-6 }\r\n'
    raw = head + b'"t" :"old\\ud83d"  ,' + tail
    assert splice(raw, {("t",): "new"}) == head + b'"t" :"new"  ,' + tail


def test_a_new_value_is_escaped_as_its_record_is() -> None:
    raw = b'{"a": "\\u4e2d", "b": 1}\n'
    assert splice(raw, {("b",): ["文", 2]}) == b'{"a": "\\u4e2d", "b": ["\\u6587", 2]}\n'


def test_several_changes_speak_of_the_text_as_it_was() -> None:
    raw = b'{"m":[0,1,2,3]}'
    out = splice(
        raw,
        {("m", 3): "d"},
        removes=[("m", 0), ("m", 1)],
        inserts={("m", 1): ["x"], ("m", 9): ["end"]},
    )
    assert out == b'{"m":["x",2,"d","end"]}'


def test_an_element_of_a_document_over_lines_gets_a_line_of_its_own() -> None:
    raw = b'[\n  {"a": 1}\n]\n'
    assert splice(raw, inserts={(1,): [2]}) == b'[\n  {"a": 1},\n  2\n]\n'


def test_of_duplicate_keys_the_one_that_readers_take_is_put_and_all_are_removed() -> None:
    raw = b'{"a":1,"b":2,"a":3}'
    assert splice(raw, {("a",): 9}) == b'{"a":1,"b":2,"a":9}'
    assert splice(raw, removes=[("a",)]) == b'{"b":2}'


def test_a_path_through_what_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        splice(b'{"a":1}', {("b", "c"): 1})
    with pytest.raises(KeyError):
        splice(b'{"a":1}', {("a", "c"): 1})


def test_a_line_of_50_mb_is_edited() -> None:
    body = b",".join(b'{"role":"tool","content":"' + 40_000 * b"\\n" + b'"}' for _ in range(600))
    raw = b'{"messages":[' + body + b"]}\n"
    out = splice(raw, {("messages", 599, "content"): "cut"}, removes=[("messages", 3)])
    assert len(raw) - len(out) > 150_000
