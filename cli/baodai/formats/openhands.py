"""OpenHands: event lists of 0.x, rows of its benchmarks, events of the 1.x SDK.

A condensation is an event that names what the context forgets and the summary that stands for it.
Histories that have no ids, or hold pairs of action and observation, are edited in place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._blocks import Shape, changed, is_json, object_changes
from baodai.formats._copies import Copy, hide
from baodai.formats._layouts import at
from baodai.formats._openhands_read import Event, forgotten, message_of, summary_of
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_folded, encode_units, folds
from baodai.jsonl import Record
from baodai.model import Conversation, Message, Path, Role, ToolCall

_MEMBERS = {"args", "extras", "source", "is_confirmed", "security_risk"}
_END = 1 << 30
"""An index past the end of any list: the place to append."""


@dataclass(frozen=True, slots=True)
class OpenHands(Plain):
    """The codec of OpenHands' histories."""

    name: str = "openhands"
    title: str = "OpenHands events and benchmark rows"
    carrier: str = "an appended condensation; in histories without ids a message in front"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of events, and of rows with a history of them."""
        values = [record.value for record in head]
        return 0.97 if any(_is_event(v) or _is_history(v) for v in values) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """A conversation a row or a list of events; events that are lines are one."""
        found = list(records)
        if any(_is_event(record.value) for record in found):
            raws = [record.raw for record in found]
            lines = [
                Event(r.value, i, r.number, (), str(r.number))
                for i, r in enumerate(found)
                if isinstance(r.value, Mapping)
            ]
            yield _conversation(self.name, source, raws, lines)
            return
        for part in slices(found, [()], _is_history):
            ident = f"{source}:{part.line}" if part.number or len(found) > 1 else source
            yield _conversation(self.name, ident, part.records, list(_events(part)))

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold is an appended condensation where events have ids."""
        if folds(conversation) and _has_ids(conversation):
            yield from encode_folded(self, conversation, _append, all_stay=True)
        else:
            yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an event."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new event in the version of its neighbour."""
        source = "agent" if message.role is Role.ASSISTANT else "user"
        stamp = at(near, ("timestamp",))
        if at(near, ("kind",)) is not None and at(near, ("args",)) is None:
            role = "assistant" if source == "agent" else "user"
            said = {"role": role, "content": [{"type": "text", "text": message.text}]}
            event = {"kind": "MessageEvent", "id": f"baodai-{message.id}", "timestamp": stamp}
            return {**event, "source": source, "llm_message": said}
        if at(near, ("args",)) is None and at(near, ("extras",)) is None:
            return {"source": source, "action": "message", "content": message.text}
        args = {"content": message.text, "wait_for_response": False}
        event = {"timestamp": stamp, "source": source, "message": message.text}
        return {**event, "action": "message", "args": args}

    def mend(self, desk: Desk) -> None:
        """Hide the API's whole answer beside an action, and what an observation says twice."""
        hide(desk, _copies(desk))


def _is_event(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    sdk = str(value.get("kind", "")).endswith("Event") or value.get("kind") == "Condensation"
    if sdk and "source" in value and "id" in value:
        return True
    acted = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return acted and bool(
        {"args", "extras", "source", "is_confirmed", "security_risk"} & set(value)
    )


def _is_history(value: object) -> bool:
    history = at(value, _where(value))
    if not isinstance(history, list) or not history:
        return False
    first = history[0]
    first = first[0] if isinstance(first, list) and first else first
    return _is_event(first)


def _where(value: object) -> Path:
    return () if isinstance(value, list) else ("history",)


def _events(part: Slice) -> Iterator[Event]:
    """The events of a history; of pairs, the action and what was observed share a key."""
    path = _where(part.value)
    history = at(part.value, path)
    last = ""
    for i, item in enumerate(history if isinstance(history, list) else ()):
        inner = item if isinstance(item, list) else [item]
        for k, value in enumerate(inner):
            if not isinstance(value, Mapping):
                continue
            here = (*path, i, k) if isinstance(item, list) else (*path, i)
            # An observation without ids follows its action.
            last = last if value.get("observation") is not None else f"{part.line}.{i}.{k}"
            yield Event(value, part.index, part.line, here, last)


def _conversation(
    name: str, ident: str, raws: Sequence[bytes], events: Sequence[Event]
) -> Conversation:
    calls: dict[object, str] = {}
    gone: set[object] = set()
    found: list[tuple[object, Message]] = []
    for event in events:
        listed = forgotten(event)
        if listed is not None:
            gone |= set(listed)
            summary = summary_of(event)
            found = [(key, m) for key, m in found if key not in gone and not m.is_summary]
            if summary is not None:
                first = next((i for i, (_, m) in enumerate(found) if m.role is not Role.SYSTEM), 0)
                found.insert(first, (None, summary))
            continue
        message = message_of(event, calls)
        if message is not None and message.blocks:
            found.append((event.value.get("id"), message))
        for call in message.calls if message is not None else ():
            calls[event.value.get("id", event.key)] = call.id
            calls[event.key] = call.id
    messages = [m for _, m in found]
    return assembled(name, ident, raws, messages, Around(user_carrier=True))


def _has_ids(conversation: Conversation) -> bool:
    """Whether every event has an id of its own and stands in a plain list."""
    messages = conversation.origin.messages
    pairs = any(len(m.path) > 1 and isinstance(m.path[-2], int) for m in messages)
    if pairs:
        return False
    desk_values = [m for m in messages if not m.is_summary]
    from baodai.formats._sheet import Sheet  # noqa: PLC0415 - only for a fold

    sheet = Sheet(conversation.origin.records)
    return all(sheet.at(m.record, (*m.path, "id")) is not None for m in desk_values)


def _append(desk: Desk, summary: Message, first: Message | None) -> None:
    """The condensation, in the version of the last event."""
    del first
    kept = {m.id for m in desk.conversation.messages}
    gone = [m for m in desk.before if m.id not in kept and not m.is_summary]
    ids = [desk.sheet.at(m.record, (*m.path, "id")) for m in gone]
    host = desk.before[-1]
    near = desk.sheet.at(host.record, host.path)
    stamp = at(near, ("timestamp",))
    told = {"forgotten_event_ids": ids, "summary": summary.text, "summary_offset": 1}
    event: dict[str, object] = {"timestamp": stamp, "source": "agent"}
    if at(near, ("kind",)) is not None and at(near, ("args",)) is None:
        event |= {"kind": "Condensation", "id": f"baodai-{summary.id}", **told}
    else:
        event |= {"id": -1, "message": summary.text, "action": "condensation", "args": told}
    if host.path:
        changes = Changes(inserts={(*host.path[:-1], _END): [event]})
        desk.sheet.change(host.record, changes)
    else:
        desk.sheet.insert(len(desk.sheet), event)


def _copies(desk: Desk) -> Iterator[Copy]:
    for message in desk.before:
        path = message.path
        idents = [r.call_id for r in message.results] + [c.id for c in message.calls]
        for ident in idents:
            yield Copy(ident, message.record, (*path, "tool_call_metadata", "model_response"))
        for result in message.results:
            for key in ("old_content", "new_content", "diff", "formatted_output_and_error"):
                yield Copy(result.call_id, message.record, (*path, "extras", key))
        if message.text:
            yield Copy(message.id, message.record, (*path, "message"))


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    """Into the event's arguments, or into the SDK's call, which holds them as a string."""
    for inside in (("arguments",), ("function", "arguments")):
        place = (*old.path, *inside)
        if isinstance(at(record, place), str):
            return {place: new.arguments} if is_json(new.arguments) else {}
    return object_changes(old.arguments, new.arguments, old.path)


_SHAPE = Shape(_put_arguments)

FORMAT = OpenHands()
