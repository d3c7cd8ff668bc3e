"""An opencode session as messages: usage, answers that are paid for but folded away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from baodai.formats._layouts import at
from baodai.formats._members import (
    Members,
    count_at,
    list_at,
    members_at,
    moment,
    text_at,
    unique,
)
from baodai.formats._opencode_parts import Step, answer_blocks, user_blocks
from baodai.formats._opencode_view import order, steps
from baodai.model import Message, Path, Role, Text, Usage


@dataclass(slots=True)
class Session:
    """Reads the messages of one session. `line` is where its document starts."""

    value: object
    record: int
    line: int
    unknown: dict[str, int] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)

    def read(self) -> tuple[list[Message], list[Message]]:
        """The messages in the model's order, and the answers aside."""
        elements = list_at(self.value, "messages")
        summary, places = order(elements)
        seen = [] if summary < 0 else [self._summary(elements[summary], summary)]
        for i in places:
            seen.extend(self._messages(elements[i], i))
        shown = {m.path for m in seen if m.usage is not None}
        aside = [
            replace(message, blocks=())
            for i, element in enumerate(elements)
            if ("messages", i) not in shown
            for message in self._paid(element, i)
        ]
        return seen, aside

    def _summary(self, element: object, i: int) -> Message:
        """The summary without its usage, which is that of the conversation before."""
        parts = list_at(element, "parts")
        step = answer_blocks(parts, range(len(parts)), ("messages", i, "parts"))
        texts = tuple(block for block in step.blocks if isinstance(block, Text))
        message = self._message(element, i, Role.USER)
        return replace(message, blocks=texts, is_summary=True)

    def _messages(self, element: object, i: int) -> Iterator[Message]:
        parts, path = list_at(element, "parts"), ("messages", i, "parts")
        if text_at(element, "info", "role") != "assistant":
            step = self._counted(user_blocks(parts, path))
            if step.blocks:
                user = self._message(element, i, Role.USER)
                yield replace(user, blocks=tuple(step.blocks))
            return
        if _unsent(element):
            return
        answers = [self._counted(answer_blocks(parts, p, path)) for p in steps(parts)]
        answers = [step for step in answers if step.blocks]
        for n, step in enumerate(answers):
            said = self._message(element, i, Role.ASSISTANT)
            last = n == len(answers) - 1
            usage = _usage(members_at(element, "info", "tokens")) if last else None
            finish = text_at(element, "info", "finish") if last else "tool-calls"
            yield replace(said, blocks=tuple(step.blocks), usage=usage, stop_reason=finish)
            if step.results:
                yield replace(
                    self._message(element, i, Role.TOOL), blocks=tuple(step.results), model=""
                )

    def _counted(self, step: Step) -> Step:
        for kind in step.unknown:
            self.unknown[kind] = self.unknown.get(kind, 0) + 1
        return step

    def _message(self, element: object, i: int, role: Role) -> Message:
        path: Path = ("messages", i)
        name = text_at(element, "info", "id") or f"{self.line}.{i}"
        return Message(
            unique(name, self._used),
            role,
            (),
            line=self.line,
            record=self.record,
            path=path,
            model=text_at(element, "info", "modelID"),
            timestamp=moment(at(element, ("info", "time", "created"))),
        )

    def _paid(self, element: object, i: int) -> Iterator[Message]:
        usage = _usage(members_at(element, "info", "tokens"))
        if usage is not None and (usage.input or usage.output):
            finish = text_at(element, "info", "finish")
            message = self._message(element, i, Role.ASSISTANT)
            yield replace(message, usage=usage, stop_reason=finish)


def _unsent(element: object) -> bool:
    """Whether opencode leaves an answer out: it failed, and not because the user stopped it."""
    name = text_at(element, "info", "error", "name")
    return "error" in members_at(element, "info") and name != "MessageAbortedError"


def _usage(tokens: Members) -> Usage | None:
    """Reported usage. Where a total is told, reasoning is no part of the output."""
    if not tokens:
        return None
    read, write = count_at(tokens, "cache", "read"), count_at(tokens, "cache", "write")
    prompt = count_at(tokens, "input") + read + write
    output, reasoning = count_at(tokens, "output"), count_at(tokens, "reasoning")
    if count_at(tokens, "total") == prompt + output + reasoning:
        output += reasoning
    return Usage(prompt, output, read, write, reasoning)
