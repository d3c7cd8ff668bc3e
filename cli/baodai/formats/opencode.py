"""opencode exports: messages with parts, a call and its result in one part.

A compaction is a user message with a `compaction` part and the answer after it, whose text is the
summary; `tail_start_id` names the first message that stays. An output whose time says `compacted`
is a stub for the model, though still stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._blocks import Shape, changed, object_changes
from baodai.formats._harness import user_text, with_spoken
from baodai.formats._layouts import at
from baodai.formats._links import fresh_id
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Desk, Plain, encode_folded, encode_units, folds
from baodai.jsonl import Record, dumps
from baodai.model import (
    Block,
    Conversation,
    Message,
    Opaque,
    Path,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)

_CLEARED = "[Old tool result content cleared]"
_END = 1 << 30
"""An index past the end of any list: the place to append."""
_UNSEEN = frozenset(
    {"step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction"}
)


@dataclass(frozen=True, slots=True)
class OpenCode(Plain):
    """The codec of opencode's exported sessions."""

    name: str = "opencode"
    title: str = "opencode exports"
    carrier: str = "a compaction message and its summary at the end"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure of messages with info and parts."""
        return 0.97 if any(_is_session(record.value) for record in head) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """The conversation of an export."""
        for part in slices(records, [()], _is_session):
            messages, aside = _view(part)
            ident = at(part.value, ("info", "id"))
            folder = at(part.value, ("info", "directory"))
            around = Around(
                project=folder if isinstance(folder, str) else "",
                aside=tuple(replace(m, blocks=()) for m in aside if m.usage is not None),
                user_carrier=True,
            )
            named = ident if isinstance(ident, str) else source
            yield assembled(self.name, named, part.records, messages, around)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes with the edits; a fold is written as the program writes one."""
        if folds(conversation):
            yield from encode_folded(self, conversation, _append)
        else:
            yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a message's parts."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new message with the session and the time of its neighbour."""
        return _fresh(message, near, {}, [{"type": "text", "text": message.text}])

    def mend(self, desk: Desk) -> None:
        """What the screen shows of outputs repeats them."""
        for old, now in desk.edited:
            kept = {b.path: b for b in now.blocks} if now is not None else {}
            for result in old.results:
                if result.path in kept and kept[result.path] != result:
                    place = (*result.path, "metadata")
                    if desk.sheet.at(old.record, place):
                        desk.sheet.put(old.record, place, {})


def _is_session(value: object) -> bool:
    messages = at(value, ("messages",))
    return (
        isinstance(messages, list)
        and bool(messages)
        and all(
            isinstance(at(m, ("info", "role")), str) and isinstance(at(m, ("parts",)), list)
            for m in messages
        )
    )


def _view(part: Slice) -> tuple[list[Message], list[Message]]:
    """The messages of the context, and those that were folded."""
    listed = at(part.value, ("messages",))
    values = listed if isinstance(listed, list) else []
    done = [i for i in range(1, len(values)) if _is_pair(values[i - 1], values[i])]
    made = [list(_read(value, part, i)) for i, value in enumerate(values)]
    pairs = {k for i in done for k in (i - 1, i)}
    plain = [i for i in range(len(values)) if i not in pairs]
    if not done:
        return [m for i in plain for m in made[i]], []
    last = done[-1]
    start = _tail(values[last - 1])
    ids = [at(value, ("info", "id")) for value in values]
    first = ids.index(start) if start in ids else last
    summary = [replace(m, is_summary=True, role=Role.USER) for m in made[last]]
    stay = [i for i in plain if i >= first]
    gone = [i for i in range(len(values)) if i not in {*stay, last}]
    return [*summary, *(m for i in stay for m in made[i])], [m for i in gone for m in made[i]]


def _is_pair(before: object, after: object) -> bool:
    """A compaction that was completed: its message, and a summary."""
    asked = any(at(p, ("type",)) == "compaction" for p in _parts(before))
    return asked and at(after, ("info", "summary")) is True


def _parts(value: object) -> list[object]:
    parts = at(value, ("parts",))
    return parts if isinstance(parts, list) else []


def _tail(value: object) -> object:
    found = (at(p, ("tail_start_id",)) for p in _parts(value))
    return next((ident for ident in found if ident), None)


def _read(value: object, part: Slice, i: int) -> Iterator[Message]:
    """A message, and the results in its parts."""
    path: Path = ("messages", i)
    user = at(value, ("info", "role")) == "user"
    blocks: list[Block] = []
    results: list[ToolResult] = []
    for j, item in enumerate(_parts(value)):
        here = (*path, "parts", j)
        block = _block(item, here, user=user)
        if block is not None:
            blocks.append(block)
        if isinstance(block, ToolCall):
            results.extend(_result(item, block, here))
    role = Role.USER if user else Role.ASSISTANT
    mark = f"{part.line}.{i}"
    message = Message(mark, role, tuple(blocks), part.line, part.index, path)
    if blocks:
        yield message if user else _told(message, at(value, ("info",)))
    if results:
        yield Message(f"{mark}.r", Role.TOOL, tuple(results), part.line, part.index, path)


def _block(item: object, path: Path, *, user: bool) -> Block | None:
    """A part as the model reads it; `None` for one that is for the program."""
    kind, text = at(item, ("type",)), at(item, ("text",))
    if kind in _UNSEEN:
        return None
    if kind == "text" and isinstance(text, str):
        return _text(item, text, path, user=user)
    if kind == "reasoning":
        sealed = at(item, ("metadata", "openai", "reasoningEncryptedContent"))
        sealed = sealed or at(item, ("metadata", "anthropic", "signature"))
        return Thinking(str(text or ""), sealed if isinstance(sealed, str) else "", path)
    if kind == "tool":
        arguments = dumps(at(item, ("state", "input")) or {}).decode()
        call_id, name = at(item, ("callID",)), at(item, ("tool",))
        return ToolCall(str(call_id or ""), str(name or ""), arguments, path=path)
    visible = "" if kind == "file" else dumps(item).decode()
    note = str(at(item, ("filename",)) or kind)
    return Opaque(str(kind), visible=visible, note=note, path=path)


def _text(item: object, text: str, path: Path, *, user: bool) -> Text | None:
    if at(item, ("ignored",)) is True or not text:
        return None
    if not user:
        return Text(text, Voice.MODEL, path=path)
    synthetic = at(item, ("synthetic",)) is True
    return Text(text, Voice.HARNESS, path=path) if synthetic else user_text(text, path)


def _result(item: object, call: ToolCall, path: Path) -> Iterator[ToolResult]:
    state = (*path, "state")
    status = at(item, ("state", "status"))
    key = "error" if status == "error" else "output"
    text = at(item, ("state", key))
    if status not in {"completed", "error"} or not isinstance(text, str):
        return
    parts: tuple[Text | Opaque, ...] = (Text(text, Voice.TOOL, path=(*state, key)),)
    if at(item, ("state", "time", "compacted")):
        parts = (Opaque("cleared", visible=_CLEARED, path=(*state, key)),)
    yield with_spoken(ToolResult(call.id, parts, status == "error", call.name, state))


def _told(message: Message, info: object) -> Message:
    tokens = at(info, ("tokens",))
    finish, model = at(info, ("finish",)), at(info, ("modelID",))
    return replace(
        message,
        usage=_usage(tokens) if isinstance(tokens, Mapping) else None,
        stop_reason=finish if isinstance(finish, str) else "",
        model=model if isinstance(model, str) else "",
    )


def _usage(tokens: Mapping[str, object]) -> Usage | None:
    """The input is without the cached tokens; reasoning is paid as output."""

    def number(*path: str) -> int:
        found = at(tokens, path)
        return found if isinstance(found, int) else 0

    read, write = number("cache", "read"), number("cache", "write")
    reasoning = number("reasoning")
    prompt = number("input") + read + write
    answer = number("output") + reasoning
    return Usage(prompt, answer, read, write, reasoning) if prompt + answer else None


def _fresh(
    message: Message, near: object, more: Mapping[str, object], parts: list[dict[str, object]]
) -> dict[str, object]:
    ident = f"msg_{fresh_id(message, at(near, ('info',)), 26)}"
    session = at(near, ("info", "sessionID"))
    role = "user" if message.role is not Role.ASSISTANT else "assistant"
    info = {"id": ident, "sessionID": session, "role": role, "time": at(near, ("info", "time"))}
    marked = [
        {**part, "id": f"prt_{ident[4:28]}{k:02d}", "sessionID": session, "messageID": ident}
        for k, part in enumerate(parts)
    ]
    return {"info": {**info, **more}, "parts": marked}


def _append(desk: Desk, summary: Message, first: Message | None) -> None:
    """The two messages of a compaction, as the program leaves them behind."""
    host = desk.before[-1]
    near = desk.sheet.at(host.record, host.path)
    start = desk.sheet.at(first.record, (*first.path, "info", "id")) if first is not None else None
    tail = {"tail_start_id": start} if start else {}
    asked = {"type": "compaction", "auto": True, **tail}
    user = _fresh(replace(summary, role=Role.USER, id=f"{summary.id}.c"), near, {}, [asked])
    parent = {"parentID": at(user, ("info", "id")), "mode": "compaction", "agent": "compaction"}
    said: dict[str, object] = {"type": "text", "text": summary.text}
    answer = _fresh(
        replace(summary, role=Role.ASSISTANT), near, {**parent, "summary": True}, [said]
    )
    place = (*host.path[:-1], _END)
    desk.sheet.change(host.record, Changes(inserts={place: [user, answer]}))


def _put_input(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del record
    return object_changes(old.arguments, new.arguments, (*old.path, "state", "input"))


_SHAPE = Shape(_put_input, content="parts", output="output")

FORMAT = OpenCode()
