"""An answer that was recorded as it was streamed: the text of server-sent events in a string.

The items stand in the last event, whole, or each in the event that says it is done; what came
before in pieces repeats them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.jsonl import loads, splice
from baodai.model import Path

_EVENT = re.compile(r".*?(?:\r?\n\r?\n|\Z)", re.DOTALL)
_DATA = re.compile(r"^data:[ ]?(?P<data>\{.*\})[ ]*$", re.MULTILINE)
_FINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})


@dataclass(frozen=True, slots=True)
class _Event:
    text: str
    value: object
    span: tuple[int, int]

    @property
    def kind(self) -> object:
        return at(self.value, ("type",))


def is_stream(value: object) -> bool:
    """Whether a value is a stream of this API."""
    return isinstance(value, str) and '"type":"response.' in value[:4096].replace('": "', '":"')


def response_in(text: str) -> Mapping[str, object]:
    """The response that a stream told, as far as it got."""
    found: dict[str, object] = {}
    for event in _events(text):
        response = at(event.value, ("response",))
        if isinstance(response, Mapping):
            found.update(response)
    found["output"] = [item for item, _, _ in _items(list(_events(text)))]
    return found


def rewritten(text: str, changes: Changes) -> str:
    """The stream with its items changed; paths begin with the number of the item.

    The pieces that an item came in are left out where it is not what they say.
    """
    events = list(_events(text))
    items = _items(events)
    touched = {int(path[0]) for path in (*changes.puts, *changes.removes, *changes.inserts)}
    numbers = {_number(events[e].value, k) for k, (_, e, _) in enumerate(items) if k in touched}
    places = {(e, p): k for k, (_, e, p) in enumerate(items) if k in touched}
    out: list[str] = []
    for i, event in enumerate(events):
        own = {path: k for (e, path), k in places.items() if e == i}
        if own:
            piece = _spliced(event, own, changes)
            out.append(piece)
        elif not (event.kind not in _FINAL and _number(event.value, -1) in numbers):
            out.append(event.text)
    return "".join(out)


def _events(text: str) -> Iterator[_Event]:
    for found in _EVENT.finditer(text):
        data = _DATA.search(found.group())
        value: object = None
        if data is not None:
            try:
                value = loads(data.group("data").encode("utf-8", "surrogatepass"))
            except ValueError:
                value = None
        if found.group():
            span = data.span("data") if data is not None else (0, 0)
            yield _Event(found.group(), value, span)


def _items(events: Sequence[_Event]) -> list[tuple[object, int, Path]]:
    """The items with the event that holds each whole, and where in it."""
    for i in range(len(events) - 1, -1, -1):
        output = at(events[i].value, ("response", "output"))
        if events[i].kind in _FINAL and isinstance(output, list) and output:
            return [(item, i, ("response", "output", k)) for k, item in enumerate(output)]
    return [
        (at(event.value, ("item",)), i, ("item",))
        for i, event in enumerate(events)
        if event.kind == "response.output_item.done"
    ]


def _number(value: object, default: int) -> int:
    number = at(value, ("output_index",))
    return number if isinstance(number, int) else default


def _spliced(event: _Event, own: Mapping[Path, int], changes: Changes) -> str:
    """An event with what changes of the items in it; an item that goes alone takes it along."""
    start, end = event.span
    paths = {number: path for path, number in own.items()}
    if any(path == ("item",) and (number,) in changes.removes for path, number in own.items()):
        return ""

    def placed(path: Path) -> Path:
        return (*paths[int(path[0])], *path[1:])

    mine = own.values()
    raw = splice(
        event.text[start:end].encode("utf-8", "surrogatepass"),
        {placed(path): value for path, value in changes.puts.items() if path[0] in mine},
        removes=[placed(path) for path in changes.removes if path[0] in mine],
        inserts={placed(path): v for path, v in changes.inserts.items() if path[0] in mine},
    )
    return event.text[:start] + raw.decode("utf-8", "surrogatepass") + event.text[end:]
