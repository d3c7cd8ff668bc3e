"""Layer 2: tool results of older turns become digests, over-long arguments are shortened.

What was done and what came of it stays; superseded results go first, then thinking, then the oldest
results, until the target is met. Where folding all old turns would not do for the budget, results
of old steps in the hot zone follow (protection narrows).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from baodai.accounting import Note
from baodai.digests.render import is_digest, render, shorten
from baodai.edits import Drop, Edit, Reason, Rewrite
from baodai.layers import Plan, Pressure, Services
from baodai.layers._results import ShownResult, shown_results
from baodai.layers._stale import superseded
from baodai.marks import Size
from baodai.model import Block, Conversation, Message, Thinking, ToolCall, ToolResult
from baodai.refs import ref_of
from baodai.tokens import surely_within
from baodai.truncation import CutContext
from baodai.truncation.arguments import shorten_arguments
from baodai.zones import Element, Zones, zones

_REASONS = {
    "stale-read": "the file was read again or changed later",
    "repeated-later": "the same call was made again later",
    "old-result": "an older result, told as what came of it",
    "old-arguments": "long arguments of an older call",
    "old-thinking": "thinking of an older turn",
}


@dataclass(frozen=True, slots=True)
class HistoryShrink:
    """Shrinks older turns in place, down to the target."""

    thinking: Annotated[bool, "remove thinking of older turns, whole"] = True
    arguments: Annotated[
        int, Size(), "tokens above which the arguments of an older call are shortened"
    ] = 200
    smallest: Annotated[int, Size(), "tokens of a result below which it stays as it is"] = 60
    recent_share: Annotated[
        float, "share of the budget whose newest steps keep their results when protection narrows"
    ] = 0.45
    name: str = "history_shrink"
    number: int = 2

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """Rewrites and drops, in order of what goes first."""
        if not pressure.above_trigger:
            return Plan()
        found = zones(conversation, services.keep_turns, services.pinned_turns)
        work = _Work(self, conversation, services, pressure.tokens)
        old = [e for e in found.elements if not e.hot and not e.pending]
        work.shrink(old, pressure.budget.target)
        narrowed = self._narrowed(found, pressure, services)
        notes: tuple[Note, ...] = ()
        if narrowed:
            before = len(work.changed)
            work.shrink(narrowed, pressure.budget.target, thinking=False)
            count = len(work.changed) - before
            text = f"the last turns alone exceed the budget: results of {count} older messages"
            notes = (Note("note", "narrowed", f"{text} in them became digests"),) if count else ()
        return Plan(tuple(work.edits()), notes)

    def _narrowed(self, found: Zones, pressure: Pressure, services: Services) -> list[Element]:
        """Steps of the hot zone whose results must shrink for the budget's sake."""
        if pressure.tokens <= pressure.budget.budget:
            return []
        weigh = services.meter.message
        steps = [e for e in found.elements if e.hot and not e.is_prompt]
        hot = sum(weigh(m) for e in found.elements if e.hot for m in e.messages)
        cold = sum(weigh(m) for e in found.elements if not e.hot for m in e.messages)
        summary = services.summary_reserve(cold)
        if not steps or hot + services.fixed_tokens + summary <= pressure.budget.budget:
            return []
        recent = int(pressure.budget.budget * self.recent_share)
        cut = len(steps) - 1
        while cut > 0 and recent > 0:
            recent -= sum(weigh(m) for m in steps[cut].messages)
            cut -= 1
        return [e for e in steps[: cut + 1] if not e.pending and e.index != steps[-1].index]


class _Work:
    """The messages as changed so far, and what the conversation weighs with them."""

    def __init__(
        self,
        options: HistoryShrink,
        conversation: Conversation,
        services: Services,
        tokens: int,
    ) -> None:
        self.changed: dict[str, tuple[Message | None, str]] = {}
        self._options = options
        self._services = services
        self._tokens = tokens
        self._order = [m.id for m in conversation.messages]
        self._now = {m.id: m for m in conversation.messages}
        # Groups (messages of the API spread over records) that say more than thinking.
        self._speaking = {
            m.group
            for m in conversation.messages
            if m.group and any(not isinstance(b, Thinking) for b in m.blocks)
        }
        self._results: dict[str, list[ShownResult]] = {}
        shown = list(shown_results(conversation))
        for one in shown:
            self._results.setdefault(one.message.id, []).append(one)
        self._stale = superseded(shown, services.toolbox)

    def edits(self) -> Iterator[Edit]:
        """The edits, in the order of the messages."""
        for message_id in self._order:
            if message_id not in self.changed:
                continue
            message, code = self.changed[message_id]
            reason = Reason(code, _REASONS[code])
            if message is None:
                yield Drop(message_id, reason)
            else:
                yield Rewrite(message, reason)

    def shrink(self, elements: list[Element], goal: int, *, thinking: bool = True) -> None:
        """Shrink the elements until the whole weighs `goal` tokens or nothing is left to do."""
        pinned = self._services.pinned
        ids = [m.id for e in elements for m in e.messages if m.id not in pinned]
        for message_id in ids:
            if self._tokens <= goal:
                return
            self._digest(message_id, 0, only_stale=True)
        if thinking and self._options.thinking:
            self._drop_thinking(ids, goal)
        for i, message_id in enumerate(ids):
            if self._tokens <= goal:
                return
            # The older, the shorter: three bands of age.
            self._digest(message_id, min(2, 3 * i // max(1, len(ids))), only_stale=False)
            self._shorten_arguments(message_id)

    def _put(self, message_id: str, message: Message | None, code: str) -> None:
        meter = self._services.meter
        before = meter.message(self._now[message_id])
        after = 0 if message is None else meter.message(message)
        if after >= before:
            return
        self._tokens += after - before
        first = self.changed.get(message_id, (None, code))[1]
        self.changed[message_id] = (message, first)
        if message is not None:
            self._now[message_id] = message

    def _gone(self, message_id: str) -> bool:
        return message_id in self.changed and self.changed[message_id][0] is None

    def _digest(self, message_id: str, detail: int, *, only_stale: bool) -> None:
        if self._gone(message_id):
            return
        message = self._now[message_id]
        code = "old-result"
        blocks: list[Block] = list(message.blocks)
        for shown in self._results.get(message_id, ()):
            stale = self._stale.get((message_id, shown.block))
            if only_stale and stale is None:
                continue
            block = blocks[shown.block]
            if isinstance(block, ToolResult):
                blocks[shown.block] = self._short(shown, block, 0 if stale else detail)
                code = stale or code
        if tuple(blocks) != message.blocks:
            self._put(message_id, replace(message, blocks=tuple(blocks)), code)

    def _short(self, shown: ShownResult, block: ToolResult, detail: int) -> ToolResult:
        """The result as a digest; itself where that is no shorter, or the user speaks in it."""
        text = block.text
        services = self._services
        if services.meter.raw(text) <= self._options.smallest or _spoken(block):
            return block
        if is_digest(text):
            shorter = shorten(text) if detail == 0 else text
        else:
            original = services.original_result(shown.message.id, shown.block, block)
            outcome = services.outcome(shown.call, original)
            ref = ref_of(original.text)
            shorter = render(outcome, detail=detail, language=services.language, ref=ref)
        return block.with_text(shorter, keep_opaque=False)

    def _drop_thinking(self, ids: list[str], goal: int) -> None:
        """Thinking goes oldest first, whole; a record of nothing else goes with it."""
        for message_id in ids:
            if self._tokens <= goal:
                return
            message = self._now[message_id]
            kept = tuple(b for b in message.blocks if not isinstance(b, Thinking))
            if len(kept) == len(message.blocks):
                continue
            if kept:
                self._put(message_id, replace(message, blocks=kept), "old-thinking")
            elif message.group in self._speaking:
                self._put(message_id, None, "old-thinking")

    def _shorten_arguments(self, message_id: str) -> None:
        if self._gone(message_id):
            return
        message = self._now[message_id]
        limit = self._options.arguments
        blocks: list[Block] = []
        for block in message.blocks:
            if isinstance(block, ToolCall) and not surely_within(block.arguments, limit):
                context = CutContext(ref=ref_of(block.arguments), language=self._services.language)
                short = shorten_arguments(block.arguments, limit, self._services.meter.raw, context)
                blocks.append(replace(block, arguments=short))
            else:
                blocks.append(block)
        if tuple(blocks) != message.blocks:
            self._put(message_id, replace(message, blocks=tuple(blocks)), "old-arguments")


def _spoken(result: ToolResult) -> bool:
    """Whether the user speaks through this result; their words stay."""
    return any(getattr(part, "words", "").strip() for part in result.parts)


LAYER = HistoryShrink()
