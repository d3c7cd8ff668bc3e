"""OpenAI Responses: items a line, an array of them, requests, responses, recorded exchanges.

History may be elsewhere by design (`previous_response_id`, `item_reference`); what a file holds is
what is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._codex_write import unlink
from baodai.formats._items import (
    folds,
    fresh_item,
    in_groups,
    is_item,
    item_changes,
    opens_rollout,
    read_item,
    tells,
)
from baodai.formats._items_compose import composed_items
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_units
from baodai.formats.source import Source
from baodai.jsonl import Record, dumps
from baodai.model import Conversation, Message, Path, Role, Text, Usage, Voice

_BODIES: tuple[Path, ...] = ((), ("body", "value"), ("body",))
_BASES: tuple[Path, ...] = ((), *(("request", *path) for path in _BODIES), ("body",))
_RESPONSES: tuple[Path, ...] = ((), *(("response", *path) for path in _BODIES))


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a record keeps its items: the request around them, the response that answered."""

    base: Path | None
    response: Path | None


@dataclass(frozen=True, slots=True)
class OpenAIResponses(Plain):
    """The codec of Responses items in all their containers."""

    name: str = "openai-responses"
    title: str = "OpenAI Responses: items, requests, responses, recorded exchanges"
    carrier: str = "a developer message item after the system prompt"
    alone: bool = False
    ending: str = ".jsonl"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where items show that are nobody else's, or a response that says what it is."""
        values = [record.value for record in head]
        if any(map(opens_rollout, values)):
            return 0.0
        if any(_layout(value) is not None for value in values):
            return 0.96
        arrays = [item for value in values if isinstance(value, list) for item in value]
        return 0.94 if any(tells(v) for v in (*values, *arrays)) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """A conversation a record where it holds many items, else one of all the lines."""
        lines: list[Record] = []
        for record in records:
            layout = _layout(record.value)
            if layout is None and not isinstance(record.value, list):
                lines.append(record)
                continue
            if any(is_item(line.value) for line in lines):
                yield self._assembled(source, lines, list(_lines(lines)), None)
                lines = []
            held = [*lines, record]
            lines = []
            messages = list(_held(record, layout, len(held) - 1))
            yield self._assembled(source, held, messages, layout)
        if any(is_item(line.value) for line in lines):
            yield self._assembled(source, lines, list(_lines(lines)), None)

    def _assembled(
        self, source: str, records: list[Record], messages: list[Message], layout: _Layout | None
    ) -> Conversation:
        value = records[-1].value
        request = at(value, layout.base) if layout and layout.base is not None else None
        response = at(value, layout.response) if layout and layout.response is not None else None
        told = _answered(messages, response, layout)
        tools = at(request, ("tools",)) or at(response, ("tools",))
        model = at(request, ("model",)) or at(response, ("model",))
        around = Around(
            tools=dumps(tools).decode() if tools else "",
            model=model if isinstance(model, str) else "",
            aside=tuple(_earlier(value, layout)),
        )
        ident = f"{source}:{records[-1].number}" if layout else source
        raws = [record.raw for record in records]
        return assembled(self.name, ident, raws, in_groups(told), around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's records with its edits."""
        yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an item, or of instructions."""
        return item_changes(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new item."""
        del near
        return fresh_item(message)

    def mend(self, desk: Desk) -> None:
        """Take the ids that point to reasoning that is gone."""
        unlink(desk)

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says."""
        yield from composed_items(source)


def _layout(value: object) -> _Layout | None:
    """Where the items of a record are; `None` where it holds none in a list of its own."""
    if not isinstance(value, Mapping):
        return None
    exchanges = value.get("exchanges")
    if isinstance(exchanges, list):
        for i in range(len(exchanges) - 1, -1, -1):
            found = _layout(exchanges[i])
            if found is not None:
                return _below(found, ("exchanges", i))
        return None
    base = next((base for base in _BASES if _is_request(at(value, base))), None)
    response = next((path for path in _RESPONSES if _is_response(at(value, path))), None)
    return None if base is None and response is None else _Layout(base, response)


def _below(layout: _Layout, path: Path) -> _Layout:
    return _Layout(
        None if layout.base is None else (*path, *layout.base),
        None if layout.response is None else (*path, *layout.response),
    )


def _is_request(value: object) -> bool:
    given = at(value, ("input",))
    if at(value, ("messages",)) is not None:
        return False  # a log of another kind, which keeps its input too
    if isinstance(given, str):
        return isinstance(at(value, ("model",)), str)
    return isinstance(given, list) and bool(given) and all(is_item(item) for item in given)


def _is_response(value: object) -> bool:
    return at(value, ("object",)) == "response" and isinstance(at(value, ("output",)), list)


def _lines(records: Sequence[Record]) -> Iterator[Message]:
    """Items that are lines; those before one that folds are folded."""
    messages: list[Message] = []
    for index, record in enumerate(records):
        if isinstance(record.value, Mapping) and is_item(record.value):
            place = Message(str(record.number), Role.USER, (), record.number, index)
            if folds(record.value):
                messages = [m for m in messages if m.role is Role.SYSTEM]
            messages.append(read_item(record.value, place, ()))
    yield from (m for m in messages if m.blocks)


def _held(record: Record, layout: _Layout | None, index: int) -> Iterator[Message]:
    """The messages of a record that holds items: instructions, input, output."""
    line = record.number
    if layout is None:
        yield from _listed(record, (), "", index)
        return
    if layout.base is not None:
        path = (*layout.base, "instructions")
        said = at(record.value, path)
        if isinstance(said, str) and said:
            block = Text(said, Voice.HARNESS, path=path)
            yield Message(f"{line}.s", Role.SYSTEM, (block,), line, index, path)
        given = at(record.value, (*layout.base, "input"))
        path = (*layout.base, "input")
        if isinstance(given, str):
            block = Text(given, Voice.HUMAN, path=path)
            yield Message(f"{line}.i", Role.USER, (block,), line, index, path)
        else:
            yield from _listed(record, path, "i", index)
    if layout.response is not None:
        yield from _listed(record, (*layout.response, "output"), "o", index)


def _listed(record: Record, path: Path, mark: str, index: int) -> Iterator[Message]:
    found = at(record.value, path)
    items = found if isinstance(found, list) else []
    start = max((i for i, item in enumerate(items) if folds(item)), default=0)
    for i, item in enumerate(items):
        if not isinstance(item, Mapping) or not is_item(item):
            continue
        here = (*path, i)
        place = Message(f"{record.number}.{mark}{i}", Role.USER, (), record.number, index, here)
        read = read_item(item, place, here)
        if read.blocks and (i >= start or read.role is Role.SYSTEM):
            yield read


def _answered(
    messages: Sequence[Message], response: object, layout: _Layout | None
) -> list[Message]:
    """The messages with what the response tells of the answer; once, on its last item."""
    told = list(messages)
    if layout is None or layout.response is None or not told:
        return told
    path = (*layout.response, "output")
    last = told[-1]
    if last.path[: len(path)] != path:
        return told
    status, why = at(response, ("status",)), at(response, ("incomplete_details", "reason"))
    model = at(response, ("model",))
    told[-1] = replace(
        last,
        usage=_usage(at(response, ("usage",))),
        stop_reason=why if isinstance(why, str) else str(status or ""),
        model=model if isinstance(model, str) else "",
    )
    return told


def _earlier(value: object, layout: _Layout | None) -> Iterator[Message]:
    """The answers of exchanges before the live one: paid for, and repeated in its input."""
    exchanges = at(value, ("exchanges",))
    live = (layout.base or layout.response or ()) if layout else ()
    count = live[1] if len(live) > 1 and isinstance(live[1], int) else 0
    for i, exchange in enumerate(exchanges[:count] if isinstance(exchanges, list) else ()):
        for path in _RESPONSES:
            usage = _usage(at(exchange, (*path, "usage")))
            model = at(exchange, (*path, "model"))
            if usage is not None:
                named = model if isinstance(model, str) else ""
                yield Message(f"e{i}", Role.ASSISTANT, (), usage=usage, model=named)
                break


def _usage(value: object) -> Usage | None:
    if not isinstance(value, Mapping):
        return None

    def number(*path: str) -> int:
        found = at(value, path)
        return found if isinstance(found, int) else 0

    return Usage(
        number("input_tokens"),
        number("output_tokens"),
        number("input_tokens_details", "cached_tokens"),
        0,
        number("output_tokens_details", "reasoning_tokens"),
    )


FORMAT = OpenAIResponses()
