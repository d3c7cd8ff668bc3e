"""What the model would see next of a Codex session.

The items since the last compaction and what that left, without turns that were rolled back; what
each call used, told by counters that Codex writes again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._codex_rows import Kind, Row
from baodai.formats._item_types import KNOWN, kind_of
from baodai.formats._items import Spot, is_injected, messages_of
from baodai.formats._items_view import Placed, Told, paid, view
from baodai.formats._layouts import at
from baodai.model import Message, Path, Role, Text, ToolResult, Usage, Voice

HISTORY = "replacement_history"
_MOST_KEPT = 80_000
"""Characters of the newest user messages that a compaction without a history leaves (Codex keeps
20,000 tokens and counts four bytes for one)."""


@dataclass(frozen=True, slots=True)
class CodexView:
    """The messages, what was paid for beside them, unknown types, what is odd in the file."""

    messages: tuple[Message, ...]
    aside: tuple[Message, ...]
    unknown: tuple[tuple[str, int], ...]
    hints: tuple[tuple[str, str], ...]


def codex_view(rows: Sequence[Row]) -> CodexView:
    """The view of a session."""
    gone = _rolled_back(rows)
    placed, lost = _history([row for row in rows if row.index not in gone])
    told, orphans = _usage(rows)
    for i, one in enumerate(placed):
        if one.spot.path == rows[one.spot.record].base:
            placed[i] = replace(one, told=told.pop(one.spot.record, None))
    seen = view(placed)
    beside = [paid(one, _spot(rows[index], rows[index].base)) for index, one in told.items()]
    messages = _failed(_summed_up(rows, seen.messages), _failures(rows))
    hints = []
    if seen.dangling:
        lines = ", ".join(str(spot.line) for spot in seen.dangling)
        hints.append(("reasoning that nothing follows", f"line {lines}"))
    if gone:
        hints.append(("lines of turns that were rolled back", str(len(gone))))
    return CodexView(
        (*lost, *messages),
        tuple(m for m in (*seen.aside, *beside, *orphans) if m.usage is not None),
        tuple(sorted(_unknown(rows).items())),
        tuple(hints),
    )


def _spot(row: Row, path: Path, number: int | None = None, model: str = "") -> Spot:
    """A line's item goes with the line, an item of a history with its place in it."""
    if number is None:
        return Spot(str(row.line), row.index, row.line, (), path, row.stamp, model)
    return Spot(f"{row.line}.{number}", row.index, row.line, path, path, row.stamp, model)


# Which items.


def _rolled_back(rows: Sequence[Row]) -> frozenset[int]:
    """The lines of turns that the user took back, newest first, with what was put in for them."""
    live: list[Row] = []
    starts: list[int] = []
    gone: set[int] = set()
    for row in rows:
        count = row.payload.get("num_turns")
        if row.event == "thread_rolled_back" and isinstance(count, int) and count > 0 and starts:
            first = starts[0]
            cut = starts[-count] if count < len(starts) else first
            while cut > first and _is_context(live[cut - 1]):
                cut -= 1
            gone.update(r.index for r in live[cut:])
            del live[cut:]
            starts = [start for start in starts if start < cut]
        elif row.kind in {Kind.ITEM, Kind.COMPACTED}:
            if _prompts(row):
                starts.append(len(live))
            live.append(row)
    return frozenset(gone)


def _prompts(row: Row) -> bool:
    """Whether a line is a message of the user's."""
    if row.kind is not Kind.ITEM or row.payload.get("role") != "user":
        return False
    return any(m.starts_turn for m in messages_of(row.payload, _spot(row, row.base)))


def _is_context(row: Row) -> bool:
    return row.payload.get("role") == "developer" or is_injected(row.payload)


def _history(rows: Sequence[Row]) -> tuple[list[Placed], list[Message]]:
    """The items of the context in order, each counter that was new cutting one call from the next.

    The second are messages that stand before them: the instructions of the session.
    """
    placed: list[Placed] = []
    model = ""
    cut = False
    counter = _Counter()
    for row in rows:
        match row.kind:
            case Kind.ITEM:
                placed.append(Placed(row.payload, _spot(row, row.base, model=model), cut=cut))
                cut = False
            case Kind.TURN:
                model = _string(row.payload.get("model")) or model
            case Kind.EVENT:
                cut = counter.usage(row) is not None or cut
            case Kind.COMPACTED:
                placed = list(_replaced(row, placed, model))
            case _:
                continue
    return placed, list(_instructions(rows))


def _replaced(row: Row, placed: Sequence[Placed], model: str) -> Iterator[Placed]:
    """What a compaction left: the history it wrote, or what Codex makes where it wrote none."""
    history = row.payload.get(HISTORY)
    if isinstance(history, list):
        for i, item in enumerate(history):
            yield Placed(item, _spot(row, (*row.base, HISTORY, i), i, model))
        return
    room = _MOST_KEPT
    kept: list[Placed] = []
    for one in reversed(placed):
        role = at(one.item, ("role",))
        if role == "developer" or is_injected(one.item):
            kept.append(one)
        elif role == "user" and room > 0:
            room -= sum(len(m.text) for m in messages_of(one.item, one.spot))
            if room >= 0:
                kept.append(one)
    yield from reversed(kept)
    if _string(row.payload.get("message")):
        said = {"type": "message", "role": "user", "content": row.payload["message"]}
        spot = _spot(row, row.base)
        yield Placed(said, replace(spot, id=f"{row.line}s", unit=(*row.base, "message")))


def _instructions(rows: Sequence[Row]) -> Iterator[Message]:
    """The system prompt of the session: the first line's, whatever a resumed session repeats."""
    for row in rows:
        if row.kind is not Kind.META:
            continue
        for keys in (("base_instructions", "text"), ("base_instructions",), ("instructions",)):
            text = at(row.payload, keys)
            if isinstance(text, str) and text:
                place = (*row.base, *keys)
                block = Text(text, Voice.HARNESS, path=place)
                yield Message(
                    f"{row.line}i",
                    Role.SYSTEM,
                    (block,),
                    line=row.line,
                    record=row.index,
                    path=place,
                    timestamp=row.stamp,
                )
                return
        return


def _summed_up(rows: Sequence[Row], messages: Sequence[Message]) -> list[Message]:
    """The messages with the summary that a compaction without a history wrote told apart."""
    return [_summary(m) if _own_text(rows[m.record], m) else m for m in messages]


def _own_text(row: Row, message: Message) -> bool:
    return row.kind is Kind.COMPACTED and message.path == (*row.base, "message")


def _summary(message: Message) -> Message:
    block = Text(message.text, Voice.HARNESS, path=message.path)
    return replace(message, is_summary=True, blocks=(block,))


# What each call used.


@dataclass(slots=True)
class _Counter:
    """Reads token counts: one says something new only where its total moved."""

    total: tuple[int, ...] = ()

    def usage(self, row: Row) -> Usage | None:
        """The usage of the call that a count tells of, where no count before told of it."""
        info = row.payload.get("info") if row.event == "token_count" else None
        last = at(info, ("last_token_usage",))
        total = tuple(_int(at(info, ("total_token_usage", key))) for key in _COUNTS)
        if not isinstance(last, Mapping):
            return None
        # Where no total is kept, a count that says the same again is the same.
        total = total if any(total) else tuple(_int(last.get(key)) for key in _COUNTS)
        if total == self.total:
            return None
        self.total = total
        found = Usage(
            _int(last.get("input_tokens")),
            _int(last.get("output_tokens")),
            cache_read=_int(last.get("cached_input_tokens")),
            reasoning=_int(last.get("reasoning_output_tokens")),
        )
        return found if found.input or found.output else None


_COUNTS = ("input_tokens", "cached_input_tokens", "output_tokens", "total_tokens")


def _usage(rows: Sequence[Row]) -> tuple[dict[int, Told], list[Message]]:
    """What calls used, by the line of the last item each made; calls that made none."""
    told: dict[int, Told] = {}
    orphans: list[Message] = []
    counter = _Counter()
    last: int | None = None
    model = ""
    for row in rows:
        if row.kind is Kind.TURN:
            model = _string(row.payload.get("model")) or model
        elif row.kind is Kind.ITEM and _speaks(row):
            last = row.index
        usage = counter.usage(row)
        if usage is None:
            continue
        if last is None:
            orphans.append(paid(Told(usage, model=model), _spot(row, row.base)))
        else:
            told[last] = Told(usage, model=model)
            last = None
    return told, orphans


def _speaks(row: Row) -> bool:
    """Whether the model made an item."""
    made = next(messages_of(row.payload, _spot(row, row.base)), None)
    return made is not None and made.role is Role.ASSISTANT


# What went wrong.


def _failures(rows: Sequence[Row]) -> frozenset[str]:
    """The calls that failed, as the events beside them tell; an output says so in words only."""
    failed: set[str] = set()
    for row in rows:
        code, ok = row.payload.get("exit_code"), row.payload.get("success")
        bad = (isinstance(code, int) and code != 0) or ok is False
        bad = bad or at(row.payload, ("result", "Ok", "isError")) is True
        bad = bad or at(row.payload, ("result", "Err")) is not None
        call = row.payload.get("call_id")
        if bad and row.event.endswith("_end") and isinstance(call, str):
            failed.add(call)
    return frozenset(failed)


def _failed(messages: Sequence[Message], failed: frozenset[str]) -> tuple[Message, ...]:
    return tuple(
        replace(
            message,
            blocks=tuple(
                replace(b, is_error=True)
                if isinstance(b, ToolResult) and b.call_id in failed
                else b
                for b in message.blocks
            ),
        )
        if failed and message.results
        else message
        for message in messages
    )


def _unknown(rows: Sequence[Row]) -> Counter[str]:
    odd = (kind_of(row.payload) for row in rows if row.kind is Kind.ITEM)
    names = [row.label for row in rows if row.kind is Kind.UNKNOWN]
    return Counter([*names, *(f"response_item/{kind}" for kind in odd if kind not in KNOWN)])


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
