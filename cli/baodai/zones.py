"""Hot, warm, cold: what is protected, and what may be folded together.

The hot zone is the last `keep_turns` turns. An element is the smallest unit that may go: a prompt
or a step; elements joined by a call and its late result go or stay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from baodai.model import Conversation, Message, Turn
from baodai.structure import pair, pending, turns


@dataclass(frozen=True, slots=True)
class Element:
    """A prompt or a step of a turn. `bond` is equal for elements that go together.

    `pinned`: the user named its turn, so that it is hot and stays even where protection narrows.
    """

    index: int
    turn: int
    is_prompt: bool
    messages: tuple[Message, ...]
    hot: bool
    bond: int
    pending: bool
    pinned: bool = False

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its messages."""
        return frozenset(message.id for message in self.messages)


@dataclass(frozen=True, slots=True)
class Zones:
    """The elements of a conversation in order, the turns they come from."""

    elements: tuple[Element, ...]
    turns: tuple[Turn, ...]


def zones(conversation: Conversation, keep_turns: int, pinned: Iterable[int] = ()) -> Zones:
    """The zones; turns numbered in `pinned` are hot wherever they stand."""
    found = turns(conversation)
    prompted = [turn.number for turn in found if turn.prompt is not None]
    first_hot = (
        prompted[-keep_turns] if len(prompted) >= keep_turns > 0 else conversation.first_turn
    )
    if keep_turns <= 0:
        first_hot = found[-1].number + 1 if found else conversation.first_turn
    hot_turns = frozenset(pinned)
    parts: list[tuple[int, bool, tuple[Message, ...], bool]] = []
    for turn in found:
        hot = turn.number >= first_hot or turn.number in hot_turns
        if turn.prompt is not None:
            parts.append((turn.number, True, (turn.prompt,), hot))
        parts.extend((turn.number, False, step.messages, hot) for step in turn.steps)
    bonds, waits = _bonds(conversation.messages, [messages for _, _, messages, _ in parts])
    elements = tuple(
        Element(i, number, is_prompt, messages, hot, bonds[i], waits[i], number in hot_turns)
        for i, (number, is_prompt, messages, hot) in enumerate(parts)
    )
    return Zones(elements, found)


def _bonds(
    messages: Sequence[Message], parts: Sequence[Sequence[Message]]
) -> tuple[list[int], list[bool]]:
    """For each part the lowest part it is tied to by a pair, and whether a call of it waits."""
    part_of = {message.id: i for i, part in enumerate(parts) for message in part}
    pairing = pair(messages)
    bonds = list(range(len(parts)))
    for (r, _), (c, _) in sorted(pairing.call_of.items()):
        a, b = part_of.get(messages[c].id), part_of.get(messages[r].id)
        if a is None or b is None or bonds[a] == bonds[b]:
            continue
        low, high = sorted((bonds[a], bonds[b]))
        bonds = [low if bond == high else bond for bond in bonds]
    waits = [False] * len(parts)
    for place in pending(messages, pairing):
        part = part_of.get(messages[place[0]].id)
        if part is not None:
            waits[part] = True
    return bonds, waits


def foldable(elements: Sequence[Element], *, hot: bool = False) -> tuple[Element, ...]:
    """Elements that may be folded, oldest first: not pending, not tied to one that stays.

    With `hot`, steps of the hot zone too (never its prompts, never the very last step, nothing of
    a pinned turn).
    """
    last = max((e.index for e in elements if not e.is_prompt), default=-1)

    def stays(element: Element) -> bool:
        if element.pending or element.pinned:
            return True
        if not element.hot:
            return False
        return not hot or element.is_prompt or element.index == last

    tied = {e.bond for e in elements if stays(e)}
    return tuple(e for e in elements if e.bond not in tied and not stays(e))
