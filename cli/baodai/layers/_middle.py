"""The last resort after an overflow: the middle of the longest texts that must stay is cut.

No layer of its own accord: only `reactive` asks for it, when a provider refused what folding left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from baodai.edits import Reason, Rewrite
from baodai.layers import Plan, Pressure, Services
from baodai.model import Block, Conversation, Message, Role, Text, ToolResult
from baodai.refs import ref_of
from baodai.truncation import CutContext
from baodai.truncation.head_tail import HeadTail

_REASON = Reason("middle-cut", "the provider refused it and nothing else could go")
_SLACK = 1.03
"""Cuts land a little below or above what was asked for; markers take a few tokens."""

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class MiddleCut:
    """Cuts texts down to one common size, the largest that meets the budget."""

    floor: int = 200
    name: str = "middle_cut"
    number: int = 6

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """Rewrites of the messages with the longest texts; none where the budget is met."""
        excess = pressure.tokens - pressure.budget.budget
        sizes = {
            (message.id, i): services.meter.raw(text)
            for message in conversation.messages
            if message.role is not Role.SYSTEM
            for i, text in _texts(message)
        }
        changed: dict[str, Message] = {}
        for _ in range(_ROUNDS):
            if excess <= 0:
                break
            most = _most(sorted(sizes.values(), reverse=True), int(excess * _SLACK) + 1, self.floor)
            changed = {
                m.id: made
                for m in conversation.messages
                if (made := _shorter(m, sizes, most, services)) is not m
            }
            saved = sum(
                services.meter.message(m) - services.meter.message(changed[m.id])
                for m in conversation.messages
                if m.id in changed
            )
            short = pressure.tokens - saved - pressure.budget.budget
            if short <= 0 or most <= self.floor:
                break
            excess += short
        return Plan(tuple(Rewrite(message, _REASON) for message in changed.values()))


def _texts(message: Message) -> Iterator[tuple[int, str]]:
    for i, block in enumerate(message.blocks):
        if isinstance(block, Text | ToolResult):
            yield i, block.text


def _most(sizes: Sequence[int], excess: int, floor: int) -> int:
    """The common size down to which the largest go, so that `excess` tokens are saved."""
    total = 0
    for n, size in enumerate(sizes, start=1):
        total += size
        after = sizes[n] if n < len(sizes) else 0
        if total - n * after >= excess:
            return max(floor, (total - excess) // n)
    return floor


def _shorter(
    message: Message, sizes: dict[tuple[str, int], int], most: int, services: Services
) -> Message:
    blocks: list[Block] = list(message.blocks)
    for i, text in _texts(message):
        block = blocks[i]
        if sizes.get((message.id, i), 0) <= most:
            continue
        context = CutContext(ref=ref_of(text), language=services.language)
        cut = HeadTail().cut(text, most, services.meter.raw, context)
        if isinstance(block, Text):
            blocks[i] = replace(block, text=cut)
        elif isinstance(block, ToolResult):
            blocks[i] = block.with_text(cut)
    return message if tuple(blocks) == message.blocks else replace(message, blocks=tuple(blocks))
