"""Layers propose, the pipeline disposes: plan, apply, check, count.

The only place that applies edits and that decides whether an output may be written. Reads no file,
writes none: bytes come in with the conversation, bytes go out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from baodai.accounting import Account, AppliedEdit, Change, LayerReport, ModelCall, Note
from baodai.decisions.language import language_of
from baodai.decisions.lexicon import NO_EXTRAS, Extras
from baodai.digests import Outcome
from baodai.digests.outcome import outcome
from baodai.edits import Fact, Insert, Remember, apply
from baodai.errors import GuaranteeBrokenError
from baodai.formats import Format
from baodai.invariants import unknown_to, violations
from baodai.layers import RUN_ORDER, Layer, Plan, Pressure, Services, layers
from baodai.layers.cold_fold import ColdFold
from baodai.model import (
    Conversation,
    Measure,
    Role,
    ToolCall,
    ToolResult,
)
from baodai.readback import encoded
from baodai.receipts import Clerk, fates
from baodai.redaction import redact
from baodai.structure import turn_numbers, turns
from baodai.summarizers import Summarizer
from baodai.summarizers.carrying import decided
from baodai.summarizers.extractive import SUMMARIZER as EXTRACTIVE
from baodai.tools import ToolTable
from baodai.window import Sizing, WindowOptions, budget_for


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that shapes a compaction.

    `layers` are the configured layers by name, `off` the names of those that do not run; `pins` are
    texts to keep, `pinned_turns` turns never to touch; `smallest` asks for the smallest valid
    result where nothing fits; `extras` are the user's own words by which decisions are told; `last`
    is a layer behind all others, for what they could not bring inside.
    """

    window: WindowOptions = field(default_factory=WindowOptions)
    layers: Mapping[str, Layer] = field(default_factory=layers)
    off: frozenset[str] = frozenset()
    toolbox: ToolTable = field(default_factory=ToolTable)
    summarizer: Summarizer = EXTRACTIVE
    keep_turns: int = 3
    pins: tuple[str, ...] = ()
    pinned_turns: frozenset[int] = frozenset()
    focus: tuple[str, ...] = ()
    smallest: bool = False
    extras: Extras = NO_EXTRAS
    last: Layer | None = None


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result: the conversation and its bytes, what it was, and the account.

    `data` is `None` where nothing may be written (it does not fit and the smallest was not asked
    for).
    """

    before: Conversation
    after: Conversation
    data: bytes | None
    account: Account


def compact(
    conversation: Conversation, codec: Format, options: Options, *, source: str
) -> Compaction:
    """Bring a conversation inside its window.

    Raises:
        GuaranteeBrokenError: the output would break a guarantee; nothing may be written.
        WindowTooSmallError: the reserve leaves nothing of the window.
    """
    run = Run(conversation, options)
    for name in RUN_ORDER:
        run.layer(options.layers[name])
    if options.last is not None:
        run.layer(options.last)
    run.never_larger()
    after = run.measured()
    run.check(after)
    data = encoded(codec, conversation, after)
    account = run.account(codec.name, source, len(data))
    return Compaction(conversation, after, data if account.written else None, account)


class Run:
    """One conversation on its way through the layers; `sizing` where it is measured already."""

    def __init__(
        self, conversation: Conversation, options: Options, sizing: Sizing | None = None
    ) -> None:
        self.conversation = conversation
        self._before = conversation
        self._options = options
        self._sizing = sizing or budget_for(conversation, options.window)
        self._meter = self._sizing.meter
        self._tokens_before = self._meter.conversation(conversation)
        self._tokens = self._tokens_before
        self._reports: list[LayerReport] = []
        self._notes: list[Note] = list(self._sizing.notes)
        self._facts: list[Fact] = []
        self._calls: list[ModelCall] = []
        self._folds: dict[str, str] = {}
        self._clerk = Clerk.of(conversation, self._meter, options.toolbox)
        self._decisions = decided(conversation, options.extras)
        self._broken = violations(conversation)
        self._services = self._make_services()

    def _make_services(self) -> Services:
        options = self._options
        fixed = self._meter.fixed(self._before)
        systems = [m for m in self._before.messages if m.role is Role.SYSTEM and not m.is_summary]
        messages = self._clerk.messages
        fold = _cold_fold(options.layers)
        folds, budget = fold.name not in options.off, self._sizing.budget.budget
        return Services(
            meter=self._meter,
            toolbox=options.toolbox,
            summarizer=options.summarizer,
            decisions=self._decisions,
            original=lambda message_id: messages[message_id],
            outcome=_outcomes(options.toolbox),
            to_fold=lambda c, p: fold.to_fold(c, p, self._services) if folds else frozenset(),
            redact=lambda text: redact(text, self._services.language).text,
            language=language_of(self._before),
            keep_turns=options.keep_turns,
            fixed_tokens=fixed + sum(self._meter.message(m) for m in systems),
            summary_reserve=lambda folded: fold.reserve(budget, folded) if folds else 0,
            pinned_turns=options.pinned_turns,
            pinned=_pinned(self._before, options),
            pins=options.pins,
            focus=options.focus,
            measure=self._measure(),
        )

    def layer(self, layer: Layer) -> None:
        """Plan one layer, apply its edits and report them."""
        name, before = layer.name, self._tokens
        if name in self._options.off:
            self._reports.append(LayerReport(name, layer.number, "off", before, before))
            return
        pressure = Pressure(self._sizing.budget, self._tokens)
        plan = layer.plan(self.conversation, pressure, self._services)
        self._notes.extend(plan.notes)
        self._calls.extend(plan.calls)
        self._facts.extend(edit.fact for edit in plan.edits if isinstance(edit, Remember))
        if plan.edits:
            self._apply(plan)
        status = "done" if plan.edits else "nothing to do"
        if not plan.edits and layer.number not in {1, 5} and not pressure.above_trigger:
            status = "not needed"
        applied = self._applied(name, plan) if plan.edits else ()
        self._reports.append(LayerReport(name, layer.number, status, before, self._tokens, applied))

    def _apply(self, plan: Plan) -> None:
        self._previous = self.conversation
        self.conversation = apply(self.conversation, plan.edits)
        self._tokens = self._meter.conversation(self.conversation)

    def _applied(self, name: str, plan: Plan) -> tuple[AppliedEdit, ...]:
        ref = next(
            (
                e.message.id.partition(" ")[2]
                for e in plan.edits
                if isinstance(e, Insert) and e.message.is_summary
            ),
            "",
        )
        applied = self._clerk.applied(name, plan.edits, self._previous, ref)
        if ref:
            self._folds.update({a.message_id: ref for a in applied if a.change is Change.DROP})
        return applied

    @property
    def outcome(self) -> tuple[Conversation, int, tuple[LayerReport, ...], tuple[Fact, ...]]:
        """The conversation as it is now, its tokens, what layers did and what is to be kept."""
        return self.conversation, self._tokens, tuple(self._reports), tuple(self._facts)

    def never_larger(self) -> None:
        """Take everything back where the output would be larger than the input."""
        if self._tokens <= self._tokens_before:
            return
        self.conversation, self._tokens = self._before, self._tokens_before
        self._facts.clear()
        same = self._tokens_before
        self._reports = [
            replace(r, tokens_before=same, tokens_after=same, edits=(), status=_undone(r.status))
            for r in self._reports
        ]
        text = "compacting would make it larger; the input stays as it is"
        self._notes.append(Note("note", "BD303", text))

    def measured(self) -> Conversation:
        """The output, with the measure it was made by, for formats that keep it."""
        kept = self._measure()
        if kept is not None and self.conversation is not self._before:
            self.conversation = replace(self.conversation, measure=kept)
        return self.conversation

    def _measure(self) -> Measure | None:
        fit = self._sizing.fit
        return None if fit is None else Measure(fit.factor, fit.overhead, fit.error, fit.fitted)

    def check(self, after: Conversation) -> None:
        """Guarantee 5: no violation that the input had not."""
        found = () if after is self._before else unknown_to(self._broken, after)
        if found:
            line = next((m.line for m in after.messages if m.id == found[0].message_id), 0)
            raise GuaranteeBrokenError(f"{found[0].rule}: {found[0].text}", f"line {line}")

    def _broken_notes(self) -> Iterator[Note]:
        """What was broken in the input, by rule; said, never silently mended."""
        for v in self._broken:
            line = self._clerk.messages[v.message_id].line
            yield Note("note", v.rule, f"line {line}: {v.text}")

    def account(self, codec: str, source: str, size: int) -> Account:
        """The account of the run."""
        before, after = self._before, self.conversation
        budget = self._sizing.budget
        fits = self._tokens <= budget.budget
        fate = fates(self._decisions, after, self._facts, self._services.redact)
        notes = [*self._notes, *self._broken_notes()]
        notes.extend(
            Note("error", "BD302", f"a live decision is lost (turn {d.turn}): {d.quote[:80]}")
            for d in fate
            if d.where == "lost"
        )
        if not fits:
            notes.append(Note("error", "BD301", self._what_stays()))
        return Account(
            conversation=before.id,
            source=source,
            format=codec,
            model=self._sizing.model.name,
            counter=self._meter.name,
            exact=self._meter.exact,
            budget=budget,
            tokens_before=self._tokens_before,
            tokens_after=self._tokens,
            bytes_before=sum(map(len, before.origin.records)),
            bytes_after=size,
            messages_before=len(before.messages),
            messages_after=len(after.messages),
            turns=len(turns(before)),
            layers=tuple(self._reports),
            decisions=fate,
            originals=self._clerk.originals(after, self._folds),
            facts=tuple(self._facts),
            notes=tuple(notes),
            fits=fits,
            project=before.project,
            written=fits or self._options.smallest,
            calls=tuple(self._calls),
        )

    def _what_stays(self) -> str:
        """The sizes of what must stay, largest first, for the message that it does not fit."""
        meter = self._meter
        left = self.conversation.messages
        parts = {
            "overhead and tool schemas": meter.fixed(self.conversation),
            "system prompts": sum(
                meter.message(m) for m in left if m.role is Role.SYSTEM and not m.is_summary
            ),
            "summary with the user's decisions": sum(
                meter.message(m) for m in left if m.is_summary
            ),
            "the user's messages": sum(meter.message(m) for m in left if m.starts_turn),
        }
        rest = self._tokens - sum(parts.values())
        parts["newest steps"] = rest
        sizes = ", ".join(
            f"{name} {size:,}" for name, size in sorted(parts.items(), key=lambda p: -p[1]) if size
        )
        budget = self._sizing.budget.budget
        return f"what must stay needs {self._tokens:,} tokens, the budget is {budget:,}: {sizes}"


def _undone(status: str) -> str:
    """The status of a layer whose edits were taken back."""
    return "nothing to do" if status == "done" else status


def _pinned(conversation: Conversation, options: Options) -> frozenset[str]:
    """Ids of the messages that the user pinned, by their turn or by a text in a result."""
    if not options.pins and not options.pinned_turns:
        return frozenset()
    numbers = turn_numbers(conversation)
    return frozenset(
        m.id
        for m in conversation.messages
        if numbers[m.id] in options.pinned_turns
        or any(
            pin in block.text
            for block in m.blocks
            if isinstance(block, ToolResult)
            for pin in options.pins
        )
    )


def _cold_fold(configured: Mapping[str, Layer]) -> ColdFold:
    layer = configured["cold_fold"]
    return layer if isinstance(layer, ColdFold) else ColdFold()


def _outcomes(toolbox: ToolTable) -> Callable[[ToolCall | None, ToolResult], Outcome]:
    """Outcomes by call and result, each read once."""
    known: dict[tuple[int, int], tuple[ToolCall | None, ToolResult, Outcome]] = {}

    def read(call: ToolCall | None, result: ToolResult) -> Outcome:
        key = (id(call), id(result))
        if key not in known:
            kind = toolbox.kind_of(call.name if call is not None else result.name, call)
            known[key] = (call, result, outcome(call, result, kind))
        return known[key][2]

    return read
