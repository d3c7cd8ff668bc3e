"""Edits a JSON text in place: only the bytes of what changes are written anew.

Key order, number lexemes, escapes, separators and white space elsewhere stay as they are, which no
parse and dump can promise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from baodai.jsonl.archive import MAGIC, repacked, unpacked
from baodai.jsonl.values import BOM, Style, dumps, loads, style_of
from baodai.model import Path

_SPACE = re.compile(rb"[ \t\r\n\0]*")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^,\]\}\s]+")
# Up to the next bracket that stands in no string; all before it is skipped in C.
_BRACKET = re.compile(
    rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL
)
_DEEPEST = 100_000
"""No reader of JSON goes as deep; a line of brackets alone need not be looked through."""


@dataclass(slots=True)
class _Node:
    """What is to happen at a place: nothing, or a new value, or removal; and below it."""

    put: bytes | None = None
    remove: bool = False
    inserts: list[bytes] = field(default_factory=list)
    below: dict[str | int, _Node] = field(default_factory=dict)


def splice(
    raw: bytes,
    puts: Mapping[Path, object] | None = None,
    *,
    removes: Collection[Path] = (),
    inserts: Mapping[Path, Sequence[object]] | None = None,
) -> bytes:
    """The JSON text with values put, elements removed and elements inserted.

    A path names a place from the outermost value inwards; `puts` replaces the value there or adds
    a member that was not there; `inserts` names the element before which the new ones go (an index
    at or past the end appends). Paths all speak of the text as it was.

    Raises:
        KeyError: a path leads through a place that is not there.
    """
    style = style_of(raw)
    if raw.startswith(MAGIC):
        return repacked(raw, splice(unpacked(raw), puts, removes=removes, inserts=inserts))
    root = _Node()
    for path, value in (puts or {}).items():
        _reach(root, path).put = dumps(value, style)
    for path in removes:
        _reach(root, path).remove = True
    for path, values in (inserts or {}).items():
        _reach(root, path).inserts.extend(dumps(value, style) for value in values)
    start = skip(raw, len(BOM) if raw.startswith(BOM) else 0)
    end = _end(raw, start)
    return raw[:start] + b"".join(_written(raw, start, end, root, style)) + raw[end:]


def _reach(node: _Node, path: Path) -> _Node:
    for key in path:
        node = node.below.setdefault(key, _Node())
    return node


def skip(raw: bytes, at: int) -> int:
    """Past white space, and the NUL bytes that a crash leaves."""
    found = _SPACE.match(raw, at)
    return at if found is None else found.end()


def _end(raw: bytes, start: int) -> int:
    """Where the value that starts at `start` ends."""
    first = raw[start : start + 1]
    if first == b'"':
        return _must(_STRING.match(raw, start), start)
    if first not in (b"{", b"["):
        return _must(_SCALAR.match(raw, start), start)
    depth = 0
    at = start
    while (found := _BRACKET.match(raw, at)) is not None:
        at = found.end()
        depth += 1 if raw[at - 1] in b"[{" else -1
        if depth == 0:
            return at
        if depth > _DEEPEST:
            break
    raise KeyError(start)


def _must(found: re.Match[bytes] | None, at: int) -> int:
    if found is None:
        raise KeyError(at)
    return found.end()


def value_end(raw: bytes, start: int) -> int | None:
    """Where the first value at or after `start` ends; `None` where none ends."""
    try:
        return _end(raw, skip(raw, start))
    except KeyError:
        return None


def elements(raw: bytes, path: Path) -> list[tuple[int, int]]:
    """Where the objects and lists in the list or object at `path` begin and end.

    The text may be cut from a document: behind an element, or with the comma that follows one in
    front, as the parts of a document that holds many conversations are.

    Raises:
        KeyError: there is no list or object at the path.
    """
    at = skip(raw, len(BOM) if raw.startswith(BOM) else 0)
    if raw[at : at + 1] != b",":
        for key in path:
            at = _member(raw, at, key)
        if raw[at : at + 1] not in (b"[", b"{"):
            raise KeyError(path)
    found: list[tuple[int, int]] = []
    at = _named(raw, skip(raw, at + 1))
    while raw[at : at + 1] in (b"{", b"["):
        end = _end(raw, at)
        found.append((at, end))
        at = skip(raw, end)
        if raw[at : at + 1] != b",":
            break
        at = _named(raw, skip(raw, at + 1))
    return found


def _named(raw: bytes, at: int) -> int:
    """Past the name of a member, where there is one."""
    found = _STRING.match(raw, at)
    return at if found is None else skip(raw, skip(raw, found.end()) + 1)


def _member(raw: bytes, at: int, key: str | int) -> int:
    """Where the value of an object's member starts; the object need not end."""
    at = skip(raw, at + 1) if raw[at : at + 1] == b"{" else len(raw)
    while (found := _STRING.match(raw, at)) is not None:
        value = skip(raw, skip(raw, found.end()) + 1)
        if loads(found.group()) == key:
            return value
        at = skip(raw, _end(raw, value))
        at = skip(raw, at + 1) if raw[at : at + 1] == b"," else len(raw)
    raise KeyError(key)


@dataclass(frozen=True, slots=True)
class _Item:
    """An element or member: its key, where it starts (the key's quote), where its value lies."""

    key: str | int
    start: int
    value: int
    end: int


def _items(raw: bytes, start: int) -> Iterator[_Item]:
    """The children of the container at `start`."""
    is_object = raw[start : start + 1] == b"{"
    at = skip(raw, start + 1)
    index = 0
    while raw[at : at + 1] not in (b"]", b"}", b""):
        key: str | int = index
        value = at
        if is_object:
            after = _must(_STRING.match(raw, at), at)
            key = str(loads(raw[at:after]))
            value = skip(raw, skip(raw, after) + 1)
        end = _end(raw, value)
        yield _Item(key, at, value, end)
        index += 1
        at = skip(raw, end)
        if raw[at : at + 1] == b",":
            at = skip(raw, at + 1)


def _written(raw: bytes, start: int, end: int, node: _Node, style: Style) -> Iterator[bytes]:
    """The pieces of the value between `start` and `end` after what `node` says."""
    if node.put is not None:
        yield node.put
        return
    if not node.below:
        yield raw[start:end]
        return
    if raw[start : start + 1] not in (b"{", b"["):
        raise KeyError(next(iter(node.below)))
    yield from _container(raw, start, end, node, style)


def _container(raw: bytes, start: int, end: int, node: _Node, style: Style) -> Iterator[bytes]:
    items = list(_items(raw, start))
    lead = raw[start + 1 : items[0].start] if items else b""
    tail = raw[items[-1].end : end] if items else raw[start + 1 : end]
    gap = raw[items[0].end : items[1].start] if len(items) > 1 else _comma(lead, style)
    yield raw[start : start + 1] + lead
    before, untouched = b"", _Node()
    # With duplicate keys the last one holds; readers take it, so it is the one to edit.
    last = {item.key: i for i, item in enumerate(items)}
    for i, item in enumerate(items):
        change = node.below.get(item.key, untouched)
        for new in change.inserts:
            yield before + new
            before = gap
        if change.remove:
            continue
        if last[item.key] != i:
            yield before + raw[item.start : item.end]
        else:
            yield before + raw[item.start : item.value]
            yield from _written(raw, item.value, item.end, change, style)
        before = _gap(raw, items, i, gap)
    for key, change in node.below.items():
        if key in last or change.remove:
            continue
        for piece in _added(key, change, style):
            yield before + piece
            before = gap
    yield tail


def _comma(lead: bytes, style: Style) -> bytes:
    """What parts elements where there is but one to learn from."""
    return b"," + lead if b"\n" in lead else style.comma.encode()


def _gap(raw: bytes, items: Sequence[_Item], i: int, gap: bytes) -> bytes:
    return raw[items[i].end : items[i + 1].start] if i + 1 < len(items) else gap


def _added(key: str | int, change: _Node, style: Style) -> Iterator[bytes]:
    """What a place that was not there adds: appended elements, or a new member."""
    yield from change.inserts
    if change.put is not None:
        if isinstance(key, int):
            yield change.put
        else:
            yield dumps(key, style) + style.colon.encode() + change.put
    elif change.below:
        raise KeyError(key)
