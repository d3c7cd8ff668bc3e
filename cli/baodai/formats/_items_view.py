"""A list of items as the messages of a conversation: what one call made, what waits for nothing.

Reasoning that no item follows (the turn was interrupted) is refused by the API and is no message.
Of what an agent injects again and again (project rules, environment) the newest counts as system
text, which stays; what it replaced may go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._item_parts import texts_in
from baodai.formats._item_types import INJECTED, kind_of
from baodai.formats._items import Spot, is_injected, is_state, messages_of
from baodai.formats._layouts import at
from baodai.model import Message, Role, ToolResult, Usage


@dataclass(frozen=True, slots=True)
class Told:
    """What a call reported of itself."""

    usage: Usage | None
    stop: str = ""
    model: str = ""

    def upon(self, message: Message) -> Message:
        """A message with what its call reported."""
        return replace(
            message,
            usage=self.usage,
            stop_reason=self.stop or message.stop_reason,
            model=self.model or message.model,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """An item in its place. `cut`: another call begins here, whatever stands before it."""

    item: object
    spot: Spot
    told: Told | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ItemsView:
    """The messages, the reasoning that leads nowhere, calls of which nothing is left."""

    messages: tuple[Message, ...]
    dangling: tuple[Spot, ...]
    aside: tuple[Message, ...]


def view(items: Sequence[Placed]) -> ItemsView:
    """The messages of the items in order."""
    pieces = [tuple(messages_of(placed.item, placed.spot)) for placed in items]
    lost = frozenset(_dangling(items, pieces))
    kept = _newest_context(items, pieces)
    messages: list[Message] = []
    aside: list[Message] = []
    group = ""
    for i, placed in enumerate(items):
        shown = i not in lost and bool(pieces[i])
        if placed.told is not None and not (shown and pieces[i][0].role is Role.ASSISTANT):
            aside.append(paid(placed.told, placed.spot))
        if not shown:
            continue
        if pieces[i][0].role is not Role.ASSISTANT:
            group = ""
        elif not group or placed.cut:
            group = f"g{placed.spot.id}"
        messages.extend(_finished(m, placed, group, injected=i in kept) for m in pieces[i])
    dangling = tuple(items[i].spot for i in sorted(lost))
    return ItemsView(_aliased(items, messages), dangling, tuple(aside))


def paid(told: Told, spot: Spot) -> Message:
    """A call whose answer is not in the context."""
    message = Message(
        f"{spot.id}p", Role.ASSISTANT, (), spot.line, spot.record, timestamp=spot.stamp
    )
    return told.upon(message)


def folded(items: Sequence[Placed]) -> tuple[list[Placed], list[Placed]]:
    """What a compaction by the server put aside, and what is left.

    Such an item stands for all before it; system texts stay.
    """
    last = max((i for i, placed in enumerate(items) if is_state(placed.item)), default=-1)
    gone: list[Placed] = []
    left: list[Placed] = []
    for i, placed in enumerate(items):
        role = at(placed.item, ("role",))
        stays = i >= last or role in {"system", "developer"} or is_injected(placed.item)
        (left if stays else gone).append(placed)
    return gone, left


def _finished(message: Message, placed: Placed, group: str, *, injected: bool) -> Message:
    if injected:
        return replace(message, role=Role.SYSTEM)
    if message.role is not Role.ASSISTANT:
        return message
    message = replace(message, group=group)
    return message if placed.told is None else placed.told.upon(message)


def _dangling(items: Sequence[Placed], pieces: Sequence[tuple[Message, ...]]) -> Iterator[int]:
    """Reasoning before a prompt or at the end."""
    follower: Role | None = None
    for i in range(len(items) - 1, -1, -1):
        if kind_of(items[i].item) != "reasoning":
            follower = pieces[i][0].role if pieces[i] else follower
        elif follower not in {Role.ASSISTANT, Role.TOOL}:
            yield i


def _newest_context(
    items: Sequence[Placed], pieces: Sequence[tuple[Message, ...]]
) -> frozenset[int]:
    """The injected messages that hold the newest of their kind."""
    newest: dict[str, int] = {}
    for i, placed in enumerate(items):
        if pieces[i] and is_injected(placed.item):
            for text in texts_in(at(placed.item, ("content",))):
                found = INJECTED.match(text)
                if found is not None:
                    newest[found.group().strip()] = i
    return frozenset(newest.values())


def _aliased(items: Sequence[Placed], messages: Sequence[Message]) -> tuple[Message, ...]:
    """Outputs under the id that their call goes by: some name the call's item, not the call."""
    names = {
        item_id: call
        for placed in items
        if isinstance(item_id := at(placed.item, ("id",)), str)
        and isinstance(call := at(placed.item, ("call_id",)), str)
    }
    calls = {call.id for message in messages for call in message.calls}
    return tuple(_renamed(message, names, calls) for message in messages)


def _renamed(message: Message, names: Mapping[str, str], calls: set[str]) -> Message:
    if all(r.call_id in calls or r.call_id not in names for r in message.results):
        return message
    blocks = [
        replace(block, call_id=names.get(block.call_id, block.call_id))
        if isinstance(block, ToolResult) and block.call_id not in calls
        else block
        for block in message.blocks
    ]
    return replace(message, blocks=tuple(blocks))
