"""What a strict provider asks of a conversation, brought about and told repair by repair.

A transcript in store may be broken; one that is exported to another API must not be. What the
model could read stays readable: a result that no call asked for becomes a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from baodai.model import Block, Message, Role, Text, ToolCall, ToolResult, Voice
from baodai.structure import Pairing, Place, pair, pending

_MISSING = "(no result was recorded)"


def repaired(messages: Sequence[Message]) -> tuple[list[Message], list[str]]:
    """The messages as an API takes them, and a sentence for each thing that was mended.

    Answers that were spread over records are one message; every call has an id of its own and one
    result (the first), right behind it in the order of the file; a call that may still be answered
    stays open.
    """
    whole = _whole(messages)
    notes: list[str] = []
    pairing = pair(whole)
    ids = _ids(whole)
    results = _results(whole, pairing, ids, notes)
    found: list[Message] = []
    for i, message in enumerate(whole):
        kept = tuple(_kept(message, i, pairing, ids, notes))
        if kept:
            found.append(replace(message, blocks=kept))
        calls = [(i, j) for j, block in enumerate(message.blocks) if isinstance(block, ToolCall)]
        answers = tuple(results[place] for place in calls if place in results)
        if answers:
            found.append(Message(f"{message.id}.r", Role.TOOL, answers))
    return found, notes


def _whole(messages: Sequence[Message]) -> list[Message]:
    """Records of one answer as one message, in the place of the first."""
    found: list[Message] = []
    places: dict[str, int] = {}
    for message in messages:
        at = places.get(message.group) if message.group else None
        if at is None:
            if message.group:
                places[message.group] = len(found)
            found.append(message)
            continue
        first = found[at]
        found[at] = replace(
            first,
            blocks=(*first.blocks, *message.blocks),
            usage=message.usage or first.usage,
            stop_reason=message.stop_reason or first.stop_reason,
        )
    return found


def _ids(messages: Sequence[Message]) -> Mapping[Place, str]:
    """An id for every call; one that is missing or taken gets a new one, by its place."""
    taken: set[str] = set()
    ids: dict[Place, str] = {}
    for i, message in enumerate(messages):
        for j, block in enumerate(message.blocks):
            if isinstance(block, ToolCall):
                fresh = block.id if block.id and block.id not in taken else f"call_{i}_{j}"
                taken.add(fresh)
                ids[(i, j)] = fresh
    return ids


def _results(
    messages: Sequence[Message], pairing: Pairing, ids: Mapping[Place, str], notes: list[str]
) -> dict[Place, ToolResult]:
    """The result of every call that has one or must have one."""
    found: dict[Place, ToolResult] = {}
    for call, (i, j) in pairing.result_of.items():
        block = messages[i].blocks[j]
        if isinstance(block, ToolResult):
            found[call] = replace(block, call_id=ids[call])
    waiting = set(pending(messages, pairing))
    for call in pairing.unanswered:
        if call in waiting:
            continue
        block = messages[call[0]].blocks[call[1]]
        name = block.name if isinstance(block, ToolCall) else ""
        parts = (Text(_MISSING, Voice.HARNESS),)
        found[call] = ToolResult(ids[call], parts, is_error=True, name=name)
        notes.append(f"call {ids[call]!r} ({name}) was never answered: an empty result was put in")
    return found


def _kept(
    message: Message, i: int, pairing: Pairing, ids: Mapping[Place, str], notes: list[str]
) -> Iterator[Block]:
    """The blocks that stay in their message; results move to their calls."""
    for j, block in enumerate(message.blocks):
        match block:
            case ToolCall():
                yield replace(block, id=ids[(i, j)])
            case ToolResult() if (i, j) in pairing.call_of:
                continue
            case ToolResult():
                why = "a second result" if _answered(block, ids) else "a result without a call"
                notes.append(f"{why} for {block.call_id!r} became a note")
                head = f"[{why}, call {block.call_id}]\n"
                yield Text(head + block.text, Voice.HARNESS)
            case _:
                yield block


def _answered(result: ToolResult, ids: Mapping[Place, str]) -> bool:
    return bool(result.call_id) and result.call_id in ids.values()


def alternating(messages: Sequence[Message], notes: list[str]) -> list[Message]:
    """The messages with neighbours of one speaker merged and a user speaking first.

    Anthropic and Google take turns only; results speak as the user, and before other text.
    """
    found: list[Message] = []
    for message in messages:
        assistant = message.role is Role.ASSISTANT
        if found and (found[-1].role is Role.ASSISTANT) == assistant:
            blocks = (*found[-1].blocks, *message.blocks)
            if not assistant:
                blocks = tuple(sorted(blocks, key=lambda b: not isinstance(b, ToolResult)))
            found[-1] = replace(found[-1], blocks=blocks)
        else:
            found.append(message)
    if found and found[0].role is Role.ASSISTANT:
        notes.append("the assistant spoke first: an empty user message was put in front")
        opening = Text("(the conversation begins)", Voice.HARNESS)
        found.insert(0, Message("opening", Role.USER, (opening,)))
    return found
