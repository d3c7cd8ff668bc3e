"""Reads records of the Responses API into conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from baodai.formats._exchanges import Exchange, chain, repeats, system_of
from baodai.formats._item_parts import texts_in
from baodai.formats._item_types import KNOWN, is_item, kind_of
from baodai.formats._items import Spot
from baodai.formats._items_view import Placed, folded, paid, view
from baodai.formats._layouts import at
from baodai.formats._told import Around, assembled
from baodai.heading import summary_range
from baodai.jsonl import Record, dumps
from baodai.model import Conversation, Message, Path, Role, Text, Voice

_OPENING = 6
"""Items at the beginning of a request among which a summary of ours stands."""


def goes_on(before: Sequence[Exchange], found: Sequence[Exchange]) -> bool:
    """Whether exchanges continue those of the records before; a recording is whole in itself."""
    if not before or not found or "exchanges" in {*_first(found[0]), *_first(before[-1])}:
        return False
    now, last = found[0], before[-1]
    if now.before is not None and any(now.before == e.ident for e in before):
        return True
    if _prompt(now) != _prompt(last) or not now.given:
        return False
    openings = (t for item in now.given[:_OPENING] for t in texts_in(at(item, ("content",))))
    if any(summary_range(text) is not None for text in openings):
        return True
    return repeats(now.given, last.given) is not None


def _first(exchange: Exchange) -> Iterator[str | int]:
    """Where the places of an exchange begin."""
    yield from (*(exchange.base or ())[:1], *(exchange.answer or ())[:1])


def _prompt(exchange: Exchange) -> object:
    return exchange.request.get("instructions")


def conversation_of(
    name: str, source: str, records: Sequence[Record], exchanges: Sequence[Exchange]
) -> Conversation:
    """The conversation that the records hold."""
    reader = _Reader(records, exchanges)
    items, seen = reader.items()
    gone, left = folded(items)
    shown = view(left)
    beside = [paid(one.told, one.spot) for one in gone if one.told is not None]
    messages = (*reader.system(), *shown.messages)
    hints = []
    if shown.dangling:
        lines = ", ".join(str(spot.line) for spot in shown.dangling)
        hints.append(("reasoning that nothing follows", f"line {lines}"))
    if len(exchanges) > len(reader.live):
        earlier = len(exchanges) - len(reader.live)
        hints.append(("repeated requests before the live one", str(earlier)))
    around = Around(
        tools=_tools(reader.live),
        model=_model(reader.live),
        unknown=_unknown([] if exchanges else records, items),
        hints=tuple(hints),
        aside=tuple(m for m in (*seen, *shown.aside, *beside) if m.usage is not None),
    )
    raws = [record.raw for record in records]
    first = records[0].number if records else 1
    return assembled(name, f"{source}:{first}", raws, messages, around)


class _Reader:
    """The items of the context, in their places."""

    def __init__(self, records: Sequence[Record], exchanges: Sequence[Exchange]) -> None:
        self._records = records
        self._exchanges = exchanges
        self._count = 0
        self.live = chain(exchanges)

    def items(self) -> tuple[list[Placed], list[Message]]:
        """The items in order; calls that were paid for and left nothing in them."""
        if not self._exchanges:
            return list(self._loose()), []
        placed: list[Placed] = []
        for exchange in self.live:
            placed.extend(self._given(exchange))
            placed.extend(self._answered(exchange))
        return self._told(placed)

    def system(self) -> Iterator[Message]:
        """The instructions of the live request, which are sent anew with each one."""
        for exchange in self.live[-1:]:
            for path, text in system_of(exchange):
                block = Text(text, Voice.HARNESS, path=path)
                ident = f"{exchange.line}.s"
                yield Message(ident, Role.SYSTEM, (block,), exchange.line, exchange.record, path)

    def _loose(self) -> Iterator[Placed]:
        """Items that are records, or elements of a record that is a list."""
        for index, record in enumerate(self._records):
            if is_item(record.value):
                spot = Spot(str(record.number), index, record.number, (), ())
                yield Placed(record.value, spot)
            elif isinstance(record.value, list):
                for i, item in enumerate(record.value):
                    yield Placed(item, self._spot(index, record.number, (i,), (i,)))

    def _spot(self, record: int, line: int, unit: Path, path: Path, model: str = "") -> Spot:
        self._count += 1
        return Spot(f"{line}.{self._count}", record, line, unit, path, "", model)

    def _given(self, exchange: Exchange) -> Iterator[Placed]:
        base = exchange.base
        if base is None:
            return
        place = (*base, "input")
        text = exchange.request.get("input")
        if isinstance(text, str) and text:
            said = {"role": "user", "content": text}
            yield Placed(said, self._spot(exchange.record, exchange.line, place, place))
        for i, item in enumerate(exchange.given):
            path = (*place, i)
            yield Placed(item, self._spot(exchange.record, exchange.line, path, path), cut=i == 0)

    def _answered(self, exchange: Exchange) -> Iterator[Placed]:
        """The answer; one that was streamed is one text, whose items go and stay together."""
        if exchange.answer is None:
            return
        last = len(exchange.output) - 1
        model = exchange.response.get("model")
        for i, item in enumerate(exchange.output):
            path = (*exchange.answer, "output", i)
            unit = path
            if exchange.streamed:
                unit, path = exchange.answer, (*exchange.answer, i)
            told = exchange.told if i == last else None
            name = model if isinstance(model, str) else ""
            spot = self._spot(exchange.record, exchange.line, unit, path, name)
            yield Placed(item, spot, told, cut=i == 0)

    def _told(self, placed: list[Placed]) -> tuple[list[Placed], list[Message]]:
        """What earlier calls reported, upon the items that the live request repeats of them."""
        aside: list[Message] = []
        held = [one.item for one in placed]
        for exchange in self._exchanges:
            told = exchange.told
            if told is None or any(exchange is link for link in self.live):
                continue
            start = repeats(held, self._all_given(exchange))
            index = None if start is None else _answer_from(placed, start)
            if index is None or placed[index].told is not None:
                spot = Spot(
                    f"{exchange.line}.e{len(aside)}", exchange.record, exchange.line, (), ()
                )
                aside.append(paid(told, spot))
            else:
                placed[index] = replace(placed[index], told=told)
        return placed, aside

    def _all_given(self, exchange: Exchange) -> list[object]:
        """The items that a request rests on."""
        links = chain([*self._until(exchange), exchange])
        before = [item for link in links[:-1] for item in (*link.given, *link.output)]
        return [*before, *exchange.given]

    def _until(self, exchange: Exchange) -> Iterator[Exchange]:
        for one in self._exchanges:
            if one is exchange:
                return
            yield one


def _answer_from(placed: Sequence[Placed], start: int) -> int | None:
    """The last item of the answer that begins at a place."""
    last = None
    for i in range(start, len(placed)):
        item = placed[i].item
        if at(item, ("role",)) not in {None, "assistant"} or kind_of(item).endswith("_output"):
            break
        last = i
    return last


def _tools(live: Sequence[Exchange]) -> str:
    for exchange in reversed(live):
        tools = exchange.request.get("tools") or exchange.response.get("tools")
        if tools:
            return dumps(tools).decode()
    return ""


def _model(live: Sequence[Exchange]) -> str:
    for exchange in reversed(live):
        for owner in (exchange.request, exchange.response):
            model = owner.get("model")
            if isinstance(model, str) and model:
                return model
    return ""


def _unknown(records: Sequence[Record], items: Sequence[Placed]) -> Mapping[str, int]:
    """Items of unknown types, and records among items that hold none."""
    odd = [kind_of(placed.item) for placed in items]
    names = [f"item/{kind or '(no type)'}" for kind in odd if kind not in KNOWN]
    for record in records:
        value = record.value
        if isinstance(value, Mapping) and not is_item(value):
            names.append(str(value.get("type", "record")))
    return Counter(names)
