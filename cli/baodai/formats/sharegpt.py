"""ShareGPT rows: `from` and `value`, calls as JSON in a value, results paired by their order.

A call is one object or a list of parallel ones; some sets write it as `<tool_call>` behind the text
of an answer. Tool schemas are a JSON string beside the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from baodai.formats._blocks import Shape, changed, is_json, text_place
from baodai.formats._dialect import Place
from baodai.formats._harness import user_text
from baodai.formats._layouts import at
from baodai.formats._listed import Listed, under
from baodai.formats._sharegpt_compose import composed_row
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice
from baodai.formats._told import Around
from baodai.formats._writing import Plain
from baodai.formats.source import Source, carried
from baodai.jsonl import dumps, loads
from baodai.model import Block, Message, Path, Role, Text, ToolCall, ToolResult, Voice

_ROLES = {
    "human": Role.USER,
    "user": Role.USER,
    "gpt": Role.ASSISTANT,
    "assistant": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "bard": Role.ASSISTANT,
    "bing": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "function_call": Role.ASSISTANT,
    "tool_call": Role.ASSISTANT,
    "observation": Role.TOOL,
    "tool": Role.TOOL,
    "function_response": Role.TOOL,
}
_TAGGED = re.compile(r"<tool_call>\s*(?P<call>.*?)\s*</tool_call>", re.DOTALL)
_HEAD = "head"
"""The place of the text before the calls in a value."""
_CALLS = frozenset({"function_call", "tool_call"})


class _Reader(Plain):
    """Turns of a row."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """The message of a turn."""
        said, speaker = value.get("value"), str(value.get("from"))
        role = _ROLES.get(speaker.lower(), Role.USER)
        path: Path = (*place.path, "value")
        blocks: Iterable[Block] = ()
        if not isinstance(said, str):
            blocks = ()
        elif speaker in _CALLS:
            blocks = _calls(said, path)
        elif role is Role.TOOL:
            parts = (Text(said, Voice.TOOL, path=path),)
            blocks = (ToolResult("", parts, path=place.path),)
        elif role is Role.USER:
            blocks = (user_text(said, path),)
        elif role is Role.ASSISTANT and _TAGGED.search(said):
            blocks = (*carried(value, place.path), *_tagged(said, path))
        else:
            voice = Voice.MODEL if role is Role.ASSISTANT else Voice.HARNESS
            blocks = (*carried(value, place.path), Text(said, voice, path=path))
        yield Message(place.id, role, tuple(blocks), place.line, place.record, place.path)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a turn."""
        return changed(old, new, record, _SHAPE)

    def fresh(self, message: Message, near: object) -> object:
        """A new turn."""
        del near
        names = {Role.ASSISTANT: "gpt", Role.SYSTEM: "system"}
        return {"from": names.get(message.role, "human"), "value": message.text}


def _calls(said: str, path: Path) -> Iterator[Block]:
    """The calls in a value; what is no call is what the model said."""
    try:
        found = loads(said.encode("utf-8", "replace"))
    except ValueError:
        found = None
    calls = found if isinstance(found, list) else [found]
    if not all(isinstance(at(call, ("name",)), str) for call in calls):
        yield Text(said, Voice.MODEL, path=path)
        return
    for i, call in enumerate(calls):
        arguments = at(call, ("arguments",))
        text = arguments if isinstance(arguments, str) else dumps(arguments or {}).decode()
        yield ToolCall("", str(at(call, ("name",))), text, path=(*path, i))


def _tagged(said: str, path: Path) -> Iterator[Block]:
    """The text of an answer up to its first call, and the calls behind it."""
    found = list(_TAGGED.finditer(said))
    calls = [_called(match.group("call")) for match in found]
    between = _TAGGED.sub("", said[found[0].start() :]).strip()
    if between or not all(isinstance(at(call, ("name",)), str) for call in calls):
        yield Text(said, Voice.MODEL, path=path)
        return
    head = said[: found[0].start()]
    if head.strip():
        yield Text(head, Voice.MODEL, path=(*path, _HEAD))
    for i, call in enumerate(calls):
        arguments = at(call, ("arguments",))
        text = arguments if isinstance(arguments, str) else dumps(arguments or {}).decode()
        yield ToolCall("", str(at(call, ("name",))), text, path=(*path, i))


def _called(text: str) -> object:
    try:
        return loads(text.encode("utf-8", "replace"))
    except ValueError:
        return None


def _put_arguments(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    """The calls of a value are one string, which is written anew."""
    place, index = old.path[:-1], old.path[-1]
    said = at(record, place)
    if not isinstance(said, str) or not is_json(new.arguments):
        return {}
    tagged = list(_TAGGED.finditer(said))
    if tagged:
        match = tagged[int(index)]
        call = _called(match.group("call"))
        held = dict(call) if isinstance(call, dict) else {}
        text = dumps({**held, "arguments": loads(new.arguments.encode())}).decode()
        return {place: said[: match.start("call")] + text + said[match.end("call") :]}
    found = loads(said.encode())
    calls: list[object] = found if isinstance(found, list) else [found]
    call = calls[int(index)]
    if not isinstance(call, dict):
        return {}
    calls[int(index)] = {**call, "arguments": loads(new.arguments.encode())}
    return {place: dumps(calls if isinstance(found, list) else calls[0]).decode()}


def _put(record: object, path: Path, text: str) -> dict[Path, object]:
    said = at(record, path[:-1])
    if path[-1] == _HEAD and isinstance(said, str):
        first = _TAGGED.search(said)
        return {path[:-1]: text + (said[first.start() :] if first else "")}
    return {text_place(record, path): text}


_SHAPE = replace(Shape(_put_arguments), put=_put, content="value", output="value")


def _is_row(value: object) -> bool:
    turns = at(value, ("conversations",))
    return isinstance(turns, list) and all(
        isinstance(turn, Mapping) and "from" in turn and "value" in turn for turn in turns
    )


def _system(part: Slice) -> Iterator[Message]:
    """The system prompt beside the turns."""
    said = at(part.value, ("system",))
    if isinstance(said, str) and said:
        block = Text(said, Voice.HARNESS, path=("system",))
        mark = f"{part.line}.{part.number}.s"
        yield Message(mark, Role.SYSTEM, (block,), part.line, part.index, ("system",))


def _about(value: object) -> Around:
    tools = at(value, ("tools",))
    return Around(tools=tools if isinstance(tools, str) else "")


class _ShareGPT(Listed):
    """The codec, which also writes rows from elsewhere."""

    __slots__ = ()

    alone = False
    ending = ".jsonl"

    def compose(self, source: Source) -> Iterator[object]:
        """A row that says what the source says."""
        yield composed_row(source)


FORMAT = _ShareGPT(
    "sharegpt",
    "ShareGPT rows: from and value, calls as JSON or text",
    "a system turn in front of the first turn",
    _Reader(),
    under("conversations"),
    _is_row,
    about=_about,
    head=_system,
)
