"""What was done, edit by edit, and what became of the originals and the decisions.

Turns plans into the plain values of `accounting`. Never decides anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.accounting import AppliedEdit, Change, DecisionFate, Original
from baodai.decisions import Decision, State
from baodai.decisions.presence import KEPT, present
from baodai.edits import Drop, Edit, Fact, Insert, Remember, Rewrite
from baodai.model import Conversation, Message, Path, Text, Thinking, ToolCall, ToolResult
from baodai.refs import ref_of
from baodai.structure import pair, turn_numbers
from baodai.tokens import Meter
from baodai.tools import ToolTable


@dataclass(frozen=True, slots=True)
class Clerk:
    """Writes the receipts of one conversation. `messages` are the ones that came in, by id."""

    messages: Mapping[str, Message]
    turns: Mapping[str, int]
    calls: Mapping[tuple[str, int], ToolCall]
    meter: Meter
    toolbox: ToolTable

    @classmethod
    def of(cls, conversation: Conversation, meter: Meter, toolbox: ToolTable) -> Clerk:
        """The clerk of a conversation as it came in."""
        messages = conversation.messages
        calls: dict[tuple[str, int], ToolCall] = {}
        for (r, j), (c, k) in pair(messages).call_of.items():
            block = messages[c].blocks[k]
            if isinstance(block, ToolCall):
                calls[(messages[r].id, j)] = block
        known = {message.id: message for message in messages}
        return cls(known, turn_numbers(conversation), calls, meter, toolbox)

    def applied(
        self, layer: str, edits: Sequence[Edit], before: Conversation, fold_ref: str
    ) -> tuple[AppliedEdit, ...]:
        """One receipt for each edit of a layer; `before` is the conversation it was planned on."""
        now = {message.id: message for message in before.messages}
        found: list[AppliedEdit] = []
        for edit in edits:
            match edit:
                case Rewrite():
                    old = now[edit.message.id]
                    ref = next(iter(self._refs(edit.message)), "")
                    found.append(self._receipt(layer, edit, old, edit.message, ref))
                case Drop():
                    found.append(self._receipt(layer, edit, now[edit.message_id], None, fold_ref))
                case Insert():
                    found.append(self._receipt(layer, edit, None, edit.message, fold_ref))
                case Remember():
                    continue
        return tuple(found)

    def _receipt(
        self,
        layer: str,
        edit: Rewrite | Drop | Insert,
        old: Message | None,
        new: Message | None,
        ref: str,
    ) -> AppliedEdit:
        message = old or new
        assert message is not None  # noqa: S101 - one of the two always is there
        change = {Rewrite: Change.REWRITE, Drop: Change.DROP, Insert: Change.INSERT}[type(edit)]
        tool, target = self._about(message)
        return AppliedEdit(
            layer=layer,
            change=change,
            message_id=message.id,
            line=message.line,
            turn=self.turns.get(message.id, 0),
            tool=tool,
            target=target[:500],
            reason_code=edit.reason.code,
            reason=edit.reason.text,
            tokens_before=self.meter.message(old) if old is not None else 0,
            tokens_after=self.meter.message(new) if new is not None else 0,
            ref=ref,
        )

    def _about(self, message: Message) -> tuple[str, str]:
        """The tool of the first result or call of a message, and what it is about."""
        for j, block in enumerate(message.blocks):
            if isinstance(block, ToolResult):
                call = self.calls.get((message.id, j))
                if call is None:
                    return block.name, ""
                return call.name, self.toolbox.target(call)
            if isinstance(block, ToolCall):
                return block.name, self.toolbox.target(block)
        return "", ""

    def _refs(self, new: Message) -> Iterator[str]:
        for _, _, text in self._taken(new):
            yield ref_of(text)

    def _taken(self, new: Message) -> Iterator[tuple[Path, str, str]]:
        """Place, tool and text of each block that is not in `new` as it was."""
        old = self.messages.get(new.id)
        if old is None:
            return
        kept = set(new.blocks)
        for j, block in enumerate(old.blocks):
            if block in kept:
                continue
            match block:
                case ToolResult():
                    call = self.calls.get((old.id, j))
                    yield block.path, call.name if call else block.name, block.text
                case ToolCall():
                    yield block.path, block.name, block.arguments
                case Thinking() | Text():
                    yield block.path, "", block.text
                case _:
                    continue

    def originals(self, after: Conversation, folds: Mapping[str, str]) -> tuple[Original, ...]:
        """What the output no longer holds: shrunk blocks, and messages that went.

        `folds` gives the reference under which a message that went can be found.
        """
        left = {message.id: message for message in after.messages}
        found: list[Original] = []
        for message in self.messages.values():
            new = left.get(message.id)
            if new is message:
                continue
            if new is None:
                ref = folds.get(message.id) or ref_of(plain(message))
                place = _pointer(message.path)
                tool, _ = self._about(message)
                found.append(
                    Original(ref, len(found), message.id, message.line, place, tool, plain(message))
                )
                continue
            for path, tool, text in self._taken(new):
                where = _pointer(path)
                found.append(
                    Original(ref_of(text), len(found), message.id, message.line, where, tool, text)
                )
        return tuple(found)


def plain(message: Message) -> str:
    """A message as text for a reader: its role, its blocks one after the other."""
    parts = [f"[{message.role}]"]
    for block in message.blocks:
        match block:
            case Text() | Thinking():
                parts.append(block.text)
            case ToolCall():
                parts.append(f"-> {block.name} {block.arguments}")
            case ToolResult():
                parts.append(f"<- {block.name} {block.text}")
            case _:
                parts.append(f"({block.kind} {block.note})".replace(" )", ")"))
    return "\n".join(parts)


def _pointer(path: Path) -> str:
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


def fates(
    decisions: Sequence[Decision],
    after: Conversation,
    facts: Sequence[Fact],
    redact: Callable[[str], str],
) -> tuple[DecisionFate, ...]:
    """Where each decision is in the output: in place, in the summary, in memory, or lost.

    Secrets are hidden in what is told of it, as they are in the summary and the memory.
    """
    words = {message.id: message.words for message in after.messages}
    summary = "\n".join(m.text for m in after.messages if m.is_summary)
    remembered = {(fact.quote, fact.turn) for fact in facts}
    return tuple(
        DecisionFate(
            id=d.id,
            kind=d.kind,
            state=d.state,
            tier=d.tier,
            polarity=d.polarity,
            object=redact(d.object),
            quote=redact(d.quote),
            turn=d.turn,
            line=d.line,
            language=d.language,
            superseded_by=d.superseded_by,
            where=_where(d, redact(d.quote), words.get(d.message_id, ""), summary, remembered),
        )
        for d in decisions
    )


def _where(
    decision: Decision, clean: str, words: str, summary: str, remembered: set[tuple[str, int]]
) -> str:
    if decision.quote and decision.quote in words:
        return "verbatim"
    if summary and present(replace(decision, quote=clean), summary) in KEPT:
        return "summary"
    if (clean, decision.turn) in remembered:
        return "memory"
    return "lost" if decision.state is State.LIVE else "gone"
