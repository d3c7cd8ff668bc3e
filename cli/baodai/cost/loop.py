"""The walk with the pipeline in the loop: what each call's context would have been.

Layers 5 and 1 act when results enter; above the trigger all layers run on the context as it then
is, and the conversation goes on from what they left. Linear in the transcript: between two
compactions nothing is looked at twice, and a compaction looks at one context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from baodai.accounting import Change, LayerReport
from baodai.cost.calls import Call
from baodai.edits import Fact
from baodai.heading import summary_range
from baodai.layers import RUN_ORDER
from baodai.model import Conversation, Message
from baodai.pipeline import Options, Run
from baodai.summarizers.extractive import SUMMARIZER as EXTRACTIVE
from baodai.window import Sizing

_ENTRY = ("live_output", "turn_budget")
_REST = 0.25
"""Where a compaction ends above the trigger, the next one waits until the context has grown by this
share of what lies between target and trigger: with each call a new one would break the cache."""

_NEVER = 1 << 62


@dataclass(frozen=True, slots=True)
class Step:
    """The context of one call, in counted tokens: without (`base`) and with compaction.

    `shared` is how much of it the previous call's prompt began with (`None`: the first call),
    `head` the part that no layer has touched since the start, `entry` what layers 5 and 1 took off
    what came in since the previous call, `saved` what each layer has taken out so far, in the run
    order. `compaction` is the number of the one right before the call, 0 for none.
    """

    call: int
    base: int
    context: int
    shared: int | None
    head: int
    entry: int
    compaction: int
    saved: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """One compaction. Tokens as counted; `saved` by layer in the run order, `prefix` unchanged.

    `asked` are the tokens a summariser would have read, `told` those of the summary, `facts` those
    of what went to memory.
    """

    number: int
    call: int
    before: int
    after: int
    prefix: int
    saved: tuple[int, ...]
    asked: int
    told: int
    facts: int


@dataclass(frozen=True, slots=True)
class Walk:
    """A conversation walked with compaction.

    `carried` gives for each message with results its size from which call (as an index into
    `steps`) on; `too_large` counts calls whose context exceeds the budget all the same.
    """

    steps: tuple[Step, ...]
    events: tuple[Event, ...]
    final: Conversation
    facts: tuple[Fact, ...]
    carried: dict[str, list[tuple[int, int]]]
    too_large: int


def walk(
    conversation: Conversation, calls: Sequence[Call], options: Options, sizing: Sizing
) -> Walk:
    """Walk a conversation; `calls` are those of its timeline.

    The summary is the offline summariser's, whoever is charged for it.
    """
    options = replace(options, summarizer=EXTRACTIVE)
    loop = _Loop(conversation, options, sizing)
    for call in calls:
        if call.first >= 0:
            loop.call(call)
    loop.enter(len(conversation.messages))
    return loop.walked()


def _entered(
    conversation: Conversation, options: Options, sizing: Sizing
) -> tuple[tuple[Message, ...], ...]:
    """The messages as they come in, after layer 5 and after layer 1 of each step alone."""
    calm = replace(sizing, budget=replace(sizing.budget, trigger=_NEVER))
    run = Run(conversation, options, calm)
    found = []
    for name in _ENTRY:
        run.layer(options.layers[name])
        found.append(run.outcome[0].messages)
    return tuple(found)


@dataclass(slots=True)
class _Loop:
    conversation: Conversation
    options: Options
    sizing: Sizing
    steps: list[Step] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    carried: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    too_large: int = 0
    _context: list[Message] = field(default_factory=list)
    _entering: tuple[tuple[Message, ...], ...] = ()
    _position: int = 0
    _tokens: int = 0
    _base: int = 0
    _head: int = _NEVER
    _entry: int = 0
    _sent: int = 0
    _sent_tokens: int = 0
    _first_turn: int = 1
    _wait: int = 0
    _saved: list[int] = field(default_factory=lambda: [0] * len(RUN_ORDER))

    def __post_init__(self) -> None:
        self._entering = _entered(self.conversation, self.options, self.sizing)
        self._tokens = self._base = self.sizing.meter.fixed(self.conversation)
        self._first_turn = self.conversation.first_turn
        self._wait = self.sizing.budget.trigger

    def enter(self, until: int) -> None:
        """The messages before an index come in, cut by layers 5 and 1."""
        size = self.sizing.meter.message
        for i in range(self._position, until):
            came = self.conversation.messages[i]
            cut, spread = self._entering[0][i], self._entering[1][i]
            sizes = (size(came), size(cut), size(spread))
            if spread is not came:
                self._head = min(self._head, self._tokens)
            self._saved[0] += sizes[0] - sizes[1]
            self._saved[1] += sizes[1] - sizes[2]
            self._entry += sizes[0] - sizes[2]
            self._base += sizes[0]
            self._tokens += sizes[2]
            self._context.append(spread)
            if spread.results:
                self.carried[spread.id] = [(len(self.steps), sizes[2])]
        self._position = until

    def call(self, call: Call) -> None:
        """A call is made; above the trigger a compaction comes first."""
        self.enter(call.first)
        shared = self._sent_tokens if self.steps else None
        number = 0
        if self._tokens > self._wait:
            prefix = self._compact(call)
            if prefix is not None:
                number = len(self.events)
                shared = None if shared is None else prefix
        self.too_large += self._tokens > self.sizing.budget.budget
        self.steps.append(
            Step(
                call.number,
                self._base,
                self._tokens,
                shared,
                min(self._head, self._tokens),
                self._entry,
                number,
                tuple(self._saved),
            )
        )
        self._entry = 0
        self._sent, self._sent_tokens = len(self._context), self._tokens

    def _compact(self, call: Call) -> int | None:
        """Run all layers on the context; the prefix that stays, `None` where nothing changed."""
        now = replace(self.conversation, messages=tuple(self._context), first_turn=self._first_turn)
        run = Run(now, self.options, self.sizing)
        for name in RUN_ORDER:
            run.layer(self.options.layers[name])
        run.never_larger()
        after, tokens, reports, facts = run.outcome
        budget = self.sizing.budget
        rest = int((budget.trigger - budget.target) * _REST)
        self._wait = max(budget.trigger, tokens + max(rest, 1))
        if tokens < budget.budget:
            self._wait = min(self._wait, budget.budget)
        if after is now or tokens == self._tokens:
            return None
        kept = self._kept(after.messages)
        saved = _saved(reports)
        asked, told = _summary(reports)
        spoken = sum(self.sizing.meter.text(fact.text) for fact in facts)
        self.events.append(
            Event(
                len(self.events) + 1,
                call.number,
                self._tokens,
                tokens,
                self._prefix(kept, min(kept, self._sent)),
                saved,
                asked,
                told,
                spoken,
            )
        )
        self._head = min(self._head, self._prefix(kept, kept))
        self._saved = [had + more for had, more in zip(self._saved, saved, strict=True)]
        self._shrunk(after.messages)
        self._context, self._tokens = self._renamed(after.messages), tokens
        self.facts.extend(facts)
        covered = (summary_range(m.text) for m in after.messages if m.is_summary)
        self._first_turn = next((r[1] + 1 for r in covered if r), self._first_turn)
        return self.events[-1].prefix

    def _renamed(self, after: Sequence[Message]) -> list[Message]:
        """What was put in gets a name of its own, as it would when read again."""
        known = {m.id for m in self._context}
        mark = f" #{len(self.events)}"
        return [m if m.id in known else replace(m, id=m.id + mark) for m in after]

    def _kept(self, after: Sequence[Message]) -> int:
        """How many messages from the start on are as they were."""
        pairs = zip(self._context, after, strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a is not b), len(self._context))

    def _prefix(self, kept: int, sent: int) -> int:
        """Tokens of so many messages from the start on."""
        meter = self.sizing.meter
        messages = self._context[: min(kept, sent)]
        return meter.fixed(self.conversation) + sum(map(meter.message, messages))

    def _shrunk(self, after: Sequence[Message]) -> None:
        """Note what the results weigh from now on; what went weighs nothing."""
        now = {m.id: m for m in after}
        size = self.sizing.meter.message
        for message in self._context:
            if not message.results:
                continue
            left = now.get(message.id)
            if left is not message:
                weight = 0 if left is None else size(left)
                self.carried[message.id].append((len(self.steps), weight))

    def walked(self) -> Walk:
        """The whole walk."""
        final = replace(
            self.conversation, messages=tuple(self._context), first_turn=self._first_turn
        )
        return Walk(
            tuple(self.steps),
            tuple(self.events),
            final,
            tuple(self.facts),
            self.carried,
            self.too_large,
        )


def _saved(reports: Sequence[LayerReport]) -> tuple[int, ...]:
    by_name = {report.layer: report.saved for report in reports}
    return tuple(by_name.get(name, 0) for name in RUN_ORDER)


def _summary(reports: Sequence[LayerReport]) -> tuple[int, int]:
    """Tokens of what was folded, an earlier summary among it, and of what stands for it."""
    edits = [e for report in reports if report.layer == "cold_fold" for e in report.edits]
    return (
        sum(e.tokens_before for e in edits if e.change is Change.DROP),
        sum(e.tokens_after for e in edits if e.change is Change.INSERT),
    )
