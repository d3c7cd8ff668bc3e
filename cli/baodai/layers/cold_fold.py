"""Layer 3: the oldest messages become one structured summary.

An earlier summary is merged, not summarised again. Goes first for the target; where the hot zone
alone exceeds the budget its old steps are folded too, its prompts and newest steps stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from baodai.accounting import Note
from baodai.edits import Drop, Edit, Insert, Reason
from baodai.errors import SummaryRefusedError
from baodai.layers import Plan, Pressure, Services
from baodai.layers._folding import Fold, Share, choose, earlier_summaries
from baodai.marks import Size
from baodai.model import Conversation, Message, Role, Text, Turn, Voice
from baodai.refs import ref_of, ref_of_all
from baodai.structure import turns
from baodai.summarizers import Summary, SummaryTask
from baodai.summarizers.document import render
from baodai.summarizers.foreign import adopt
from baodai.tokens.meter import PER_MESSAGE

_FOLDED = Reason("folded", "told in the summary")
_MERGED = Reason("merged", "merged into the new summary")
_SUMMARY = Reason("summary", "stands for what was folded")
_GAP = Reason("fold-mark", "keeps question and answer in turn where steps were folded")
_MARK = {
    "en": "[baodai · {ref} · the steps of this turn are folded into the summary above]",
    "zh": "[baodai · {ref} · 本轮步骤已折叠进上面的摘要]",
}
_SQUEEZES = 6
_TRIES = 3
"""How often the fold is chosen anew when the summary turns out larger than planned."""


@dataclass(frozen=True, slots=True)
class ColdFold:
    """Folds the fewest oldest steps that meet the target."""

    of_folded: Annotated[float, "size of the summary as a share of what is folded"] = 0.15
    least: Annotated[int, Size(), "tokens a summary may always take"] = 800
    most: Annotated[int, Size(), "tokens a summary takes at most, but for what must stay"] = 8_000
    of_goal: Annotated[float, "largest share of the target that the summary takes"] = 0.40
    name: str = "cold_fold"
    number: int = 3

    @property
    def share(self) -> Share:
        """The bounds of the summary's size."""
        return Share(self.of_folded, self.least, self.most, self.of_goal)

    def reserve(self, budget: int, folded: int) -> int:
        """Tokens kept for the summary of `folded` tokens when the hot zone has to give way."""
        return self.share.estimate(folded, 0, budget)

    def to_fold(
        self, conversation: Conversation, pressure: Pressure, services: Services
    ) -> frozenset[str]:
        """Ids of the messages this layer would fold."""
        found = self._settle(conversation, pressure, services)
        return frozenset() if found is None else found[0].ids

    def plan(self, conversation: Conversation, pressure: Pressure, services: Services) -> Plan:
        """Drops of what is folded, and the summary put in."""
        found = self._settle(conversation, pressure, services)
        if found is None:
            return Plan()
        fold, task = found
        edits, size, summary = self._folded(conversation, fold, task, services)
        rest = pressure.tokens - _size(earlier_summaries(conversation), services) - fold.tokens
        for tries in range(1, _SQUEEZES + 1):
            over = rest + size - fold.goal
            if over <= 0 or task.limit <= 1:
                break
            # What must stay may be over its share; a harder bound each time cuts more of it.
            less = max(over, task.limit * tries // 10)
            task = replace(task, limit=max(1, task.limit - less))
            edits, size, summary = self._folded(conversation, fold, task, services)
        warned = tuple(Note("warning", SummaryRefusedError.code, text) for text in summary.warnings)
        notes = (*_narrowing(fold), *_coarser(summary), *warned)
        return Plan(edits, notes, summary.calls)

    def _folded(
        self, conversation: Conversation, fold: Fold, task: SummaryTask, services: Services
    ) -> tuple[tuple[Edit, ...], int, Summary]:
        """The edits of a fold, what they put in weighs, and the summary."""
        summary = services.summarizer.summarize(task)
        message = _carrier(summary, task, services)
        edits = tuple(_edits(conversation, fold, message, task.ref, services.language))
        added = [e.message for e in edits if isinstance(e, Insert)]
        return edits, _size(added, services), summary

    def _settle(
        self, conversation: Conversation, pressure: Pressure, services: Services
    ) -> tuple[Fold, SummaryTask] | None:
        """The fold and its task, chosen anew while what must stay is larger than planned."""
        summary: int | None = None
        found: tuple[Fold, SummaryTask] | None = None
        for _ in range(_TRIES):
            fold = choose(conversation, pressure, services, self.share, summary)
            if fold is None or not fold.elements:
                return found
            earlier = _size(earlier_summaries(conversation), services)
            rest = pressure.tokens - earlier - fold.tokens
            room = min(fold.goal - rest - PER_MESSAGE, self.most)
            task = _task(conversation, fold, services, room)
            floor = services.summarizer.floor(task)
            found = (fold, replace(task, limit=max(room, floor)))
            if floor <= room or (summary is not None and floor <= summary):
                return found
            summary = floor + PER_MESSAGE
        return found


def _size(messages: Iterable[Message], services: Services) -> int:
    return sum(services.meter.message(message) for message in messages)


def _task(conversation: Conversation, fold: Fold, services: Services, limit: int) -> SummaryTask:
    going = fold.ids
    carriers = earlier_summaries(conversation)
    gone = [m for m in conversation.messages if m.id in going]
    refs = [ref_of(services.original(m.id).text or m.id) for m in (*carriers, *gone)]
    return SummaryTask(
        turns=tuple(_folded_turns(conversation, going, services)),
        decisions=services.decisions,
        earlier=_earlier(carriers, conversation, services.language),
        limit=limit,
        count=services.meter.text,
        outcome=services.outcome,
        language=services.language,
        ref=ref_of_all(refs),
        pins=services.pins,
        focus=services.focus,
        measure=services.measure,
    )


def _folded_turns(
    conversation: Conversation, going: frozenset[str], services: Services
) -> Iterator[Turn]:
    """The turns of what goes, with the messages as they came in."""
    for turn in turns(conversation):
        steps = tuple(
            replace(step, messages=tuple(services.original(m.id) for m in step.messages))
            for step in turn.steps
            if any(m.id in going for m in step.messages)
        )
        prompt = turn.prompt if turn.prompt is not None and turn.prompt.id in going else None
        if prompt is not None or steps:
            yield Turn(turn.number, prompt, steps)


def _earlier(
    carriers: Sequence[Message], conversation: Conversation, language: str
) -> Summary | None:
    if not carriers:
        return None
    text = "\n".join(m.text for m in carriers)
    return adopt(text, conversation.first_turn - 1, language)


def _carrier(summary: Summary, task: SummaryTask, services: Services) -> Message:
    clean = replace(
        summary,
        sections=tuple(
            (name, tuple(replace(line, text=services.redact(line.text)) for line in lines))
            for name, lines in summary.sections
        ),
    )
    text = render(clean)
    block = Text(text, Voice.HARNESS)
    return Message(f"summary {task.ref}", Role.SYSTEM, (block,), is_summary=True)


def _edits(
    conversation: Conversation, fold: Fold, summary: Message, ref: str, language: str
) -> Iterator[Edit]:
    going = fold.ids
    placed = False
    previous: Message | None = None
    gap = False
    for message in conversation.messages:
        if message.is_summary or message.id in going:
            reason = _MERGED if message.is_summary else _FOLDED
            yield Drop(message.id, reason)
            gap = gap or not message.is_summary
            continue
        if not placed and message.role is not Role.SYSTEM:
            yield Insert(message.id, summary, _SUMMARY)
            placed = True
        if gap and previous is not None and previous.starts_turn and message.starts_turn:
            mark = _MARK[language].format(ref=ref)
            block = Text(mark, Voice.HARNESS)
            yield Insert(
                message.id, Message(f"fold before {message.id}", Role.ASSISTANT, (block,)), _GAP
            )
        if message.role is not Role.SYSTEM:
            previous, gap = message, False
    if not placed:
        yield Insert("", summary, _SUMMARY)


def _narrowing(fold: Fold) -> tuple[Note, ...]:
    if not fold.narrowed:
        return ()
    text = (
        f"the last turns alone exceed the budget: {fold.narrowed} of their older steps are folded"
    )
    return (Note("note", "narrowed", text),)


def _coarser(summary: Summary) -> tuple[Note, ...]:
    return tuple(Note("note", "coarser", text) for text in summary.coarser)


LAYER = ColdFold()
