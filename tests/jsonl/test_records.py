from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import pairwise

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.errors import FileTooLargeError, UnreadableFileError
from baodai.jsonl import Limits, Record, open_records, read_records

LINES = b'{"role":"user","content":"hi"}\n{"role":"assistant","content":"\xe5\x97\xa8"}\n'


def opened(data: bytes, limits: Limits | None = None) -> list[Record]:
    return list(open_records(io.BytesIO(data), limits))


def values(records: Iterable[Record]) -> list[object]:
    return [record.value for record in records if record.value is not None]


def codes(records: Iterable[Record]) -> list[str]:
    return [record.problem.code for record in records if record.problem]


def joined(records: Iterable[Record]) -> bytes:
    return b"".join(record.raw for record in records)


def frames(data: bytes) -> bytes:
    return b"".join(zstandard.compress(line) for line in data.splitlines(keepends=True))


def test_bom_crlf_and_blank_lines_are_kept_and_do_not_shift_numbers() -> None:
    data = b'\xef\xbb\xbf{"a":1}\r\n\r\n  \n{"a":2}'
    records = opened(data)
    assert [r.number for r in records if r.value] == [1, 4]
    assert joined(records) == data
    assert codes(records) == []


def test_a_hole_of_nul_bytes_is_told_with_its_place_and_the_rest_is_read() -> None:
    data = LINES + 300 * b"\0" + b"\n" + b'{"a":3}\n'
    records = opened(data)
    (problem,) = [r.problem for r in records if r.problem]
    assert (problem.code, problem.line, problem.offset) == ("BD104", 3, len(LINES))
    assert values(records)[-1] == {"a": 3}


def test_nul_bytes_before_a_record_do_not_cost_the_record() -> None:
    assert values(opened(b'\0\0\0{"a":1}\n{"a":2}\n')) == [{"a": 1}, {"a": 2}]


def test_a_torn_last_line_is_told_and_carried() -> None:
    data = LINES + b'{"role":"user","con'
    records = opened(data)
    assert codes(records) == ["BD105"]
    assert joined(records) == data


def test_a_line_that_is_no_json_does_not_end_the_file() -> None:
    data = b'{"a":1}\nTraceback (most recent call last):\n{"a":2}\n'
    records = opened(data)
    assert codes(records) == ["BD106"]
    assert values(records) == [{"a": 1}, {"a": 2}]


def test_records_glued_on_a_line_are_parted_and_told() -> None:
    data = b'{"a":1}{"a":2} {"a":3}\r\n{"a":4}\n'
    records = opened(data)
    assert values(records) == [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]
    assert [r.number for r in records] == [1, 1, 1, 2]
    assert codes(records) == ["BD110", "BD110"]
    assert joined(records) == data


def test_what_is_whole_before_a_tear_inside_a_line_is_read() -> None:
    data = b'{"a":1}{"a":\n{"a":2}\n'
    records = opened(data)
    assert values(records) == [{"a": 1}, {"a": 2}]
    assert codes(records) == ["BD106"]
    assert joined(records) == data


@pytest.mark.parametrize("indent", [0, 1, 2])
@pytest.mark.parametrize("value", [{"messages": [{"a": 1}, {}]}, [{"a": 1}, {"b": [2]}], [{}]])
def test_a_document_over_many_lines_is_one_record(value: object, indent: int) -> None:
    data = json.dumps(value, indent=indent).encode()
    (record,) = opened(data)
    assert (record.value, record.raw) == (value, data)


def test_documents_behind_each_other_are_a_record_each() -> None:
    data = b'{\n "a": 1\n}\n{\n "a": 2\n}\n'
    records = opened(data)
    assert values(records) == [{"a": 1}, {"a": 2}]
    assert [r.number for r in records] == [1, 4]
    assert codes(records) == []
    assert joined(records) == data


def test_lines_whose_first_is_broken_are_not_taken_for_a_document() -> None:
    def lines() -> Iterator[bytes]:
        yield b'{"a": "cut\n'
        for _ in range(3):
            yield b'{"a": 1}\n'
        pytest.fail("the whole file was read before the first record came")

    records = read_records(lines())
    assert next(records).problem is not None
    assert next(records).value == {"a": 1}


def test_a_line_over_the_limit_is_told_once_with_its_size_and_the_others_are_read() -> None:
    huge = b'{"x":"' + 5_000_000 * b"x" + b'"}\n'
    data = b'{"a":1}\n' + huge + b'{"a":2}\n'
    records = opened(data, Limits(line=1000))
    (problem,) = [r.problem for r in records if r.problem]
    assert (problem.code, problem.line, problem.offset) == ("BD108", 2, 8)
    assert problem.length == len(huge)
    assert values(records) == [{"a": 1}, {"a": 2}]
    assert joined(records) == data


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(LINES),
        b"".join(gzip.compress(line) for line in LINES.splitlines(keepends=True)),
        zstandard.compress(LINES),
        frames(LINES),
    ],
)
def test_compressed_files_are_read_by_their_first_bytes(packed: bytes) -> None:
    records = opened(packed)
    assert joined(records) == LINES
    assert codes(records) == []


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, frames])
def test_a_torn_compressed_file_gives_what_was_whole_and_one_problem(pack: object) -> None:
    assert callable(pack)
    data = b"".join(b'{"a":"%s"}\n' % sha256(b"%d" % i).hexdigest().encode() for i in range(9000))
    packed: bytes = pack(data)
    records = opened(packed[: len(packed) * 2 // 3])
    assert codes(records) == ["BD111"]
    assert data.startswith(joined(records))
    assert len(records) > 100


def test_a_tear_right_behind_a_whole_line_is_told_too() -> None:
    first = zstandard.compress(LINES)
    records = opened(first + zstandard.compress(LINES)[:9])
    assert joined(records) == LINES
    assert codes(records) == ["BD111"]


def test_a_compressed_file_of_which_nothing_can_be_unpacked_is_unreadable() -> None:
    with pytest.raises(UnreadableFileError):
        opened(b"\x1f\x8b\x08\x00garbage and more of it")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_small_file_cannot_unpack_without_end(pack: object) -> None:
    assert callable(pack)
    with pytest.raises(FileTooLargeError):
        opened(pack(20_000_000 * b"a"), Limits(unpacked=1_000_000))


def test_half_surrogates_are_counted_and_the_record_is_kept() -> None:
    data = b'{"a":"ok \\ud83d\\ude00 cut \\ud83d"}\n{"b":"\\udcb2 \\\\ud83d"}\n'
    records = opened(data)
    assert values(records) == [{"a": "ok 😀 cut \ufffd"}, {"b": "\ufffd \\ud83d"}]
    assert [r.problem and (r.problem.code, r.problem.lost) for r in records] == [
        ("BD109", False),
        ("BD109", False),
    ]


def test_an_empty_file_has_no_records() -> None:
    assert opened(b"") == []


pieces = st.sampled_from(
    [
        b'{"a":1}',
        b'{"a":"\xe4\xb8\xad\xe2\x80\xa8"}',
        b"[",
        b"]",
        b"{",
        b"}",
        b'"',
        b",",
        b"\\",
        b"\n",
        b"\r\n",
        b" ",
        b"\0",
        b"\xef\xbb\xbf",
        b"NaN",
        b"\xff",
        b'{"a":\n1}',
    ]
)


@settings(max_examples=300)
@given(st.lists(pieces, max_size=12).map(b"".join), st.integers(1, 7), st.integers(1, 40))
def test_whatever_a_file_holds_its_records_joined_are_the_file(
    data: bytes, size: int, most: int
) -> None:
    chunks = [data[i : i + size] for i in range(0, len(data), size)]
    records = list(read_records(chunks, Limits(line=most)))
    assert joined(records) == data
    for before, after in pairwise(records):
        assert before.offset + len(before.raw) == after.offset
        assert data[: after.offset].count(b"\n") + 1 == after.number
