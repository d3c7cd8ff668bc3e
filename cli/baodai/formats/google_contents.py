"""Google contents: requests and responses of the Gemini API, and recorded exchanges of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.formats._parts import (
    fresh_content,
    fresh_parts,
    is_content,
    part_changes,
    read_content,
    read_part,
    usage_of,
)
from baodai.formats._repair import alternating
from baodai.formats._sheet import Changes
from baodai.formats._slices import Slice, slices
from baodai.formats._told import Around, assembled
from baodai.formats._writing import Plain, encode_units
from baodai.formats.source import Source
from baodai.jsonl import Record, dumps
from baodai.model import Conversation, Message, Path, Role, Text, Voice

_BODIES: tuple[Path, ...] = ((), ("body", "value"), ("body",))
_BASES: tuple[Path, ...] = ((), *(("request", *path) for path in _BODIES))
_RESPONSES: tuple[Path, ...] = ((), *(("response", *path) for path in _BODIES))
_SYSTEM = ("systemInstruction", "system_instruction")
_END = 1 << 30
"""An index past the end of any list: the place to append."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a record keeps its contents: the request around them, the response beside it."""

    base: Path | None
    response: Path | None


@dataclass(frozen=True, slots=True)
class GoogleContents(Plain):
    """The codec of Gemini API requests and responses."""

    name: str = "google-contents"
    title: str = "Google contents: Gemini API requests, responses, recorded exchanges"
    carrier: str = "another part of the system instruction"
    alone: bool = False
    ending: str = ".jsonl"

    def sniff(self, head: Sequence[Record]) -> float:
        """Sure where contents with parts of Google's kinds show."""
        found = [_layout(record.value) for record in head]
        return 0.96 if any(layout is not None for layout in found) else 0.0

    def decode(self, records: Iterable[Record], source: str) -> Iterator[Conversation]:
        """A conversation for each record that holds one."""
        for part in slices(records, [()], lambda value: _layout(value) is not None):
            layout = _layout(part.value)
            if layout is not None:
                yield _conversation(self.name, source, part, layout)

    def encode(self, conversation: Conversation) -> Iterator[bytes]:
        """The bytes of the conversation's record with its edits."""
        yield from encode_units(self, conversation)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of a content."""
        return part_changes(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A new content."""
        del near
        return fresh_content(message)

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """A summary is another part of the system instruction."""
        owner = at(request, base)
        if not isinstance(owner, Mapping) or "contents" not in owner:
            return None
        key = next((key for key in _SYSTEM if key in owner), _SYSTEM[0])
        part = {"text": message.text}
        said = owner.get(key)
        if isinstance(said, Mapping) and isinstance(said.get("parts"), list):
            return Changes(inserts={(*base, key, "parts", _END): [part]})
        before = [{"text": said}] if isinstance(said, str) and said else []
        return Changes(puts={(*base, key): {"parts": [*before, part]}})

    def compose(self, source: Source) -> Iterator[object]:
        """A request that says what the source says; turns are taken as the API wants it."""
        system = [{"text": m.text} for m in source.systems() if m.text]
        contents = [
            {
                "role": "model" if message.role is Role.ASSISTANT else "user",
                "parts": [p for b in message.blocks for p in fresh_parts(b, source)],
                **source.beyond(message),
            }
            for message in alternating(source.spoken(), source.notes)
        ]
        declared = [
            {"name": t.name, "description": t.description, "parametersJsonSchema": t.parameters}
            for t in source.tools
        ]
        model = source.conversation.model
        yield {
            **({"model": model} if model else {}),
            **({"systemInstruction": {"parts": system}} if system else {}),
            "contents": [content for content in contents if content["parts"]],
            **({"tools": [{"functionDeclarations": declared}]} if declared else {}),
        }


def _layout(value: object) -> _Layout | None:
    """Where a record's contents are; the last exchange of a recording counts."""
    exchanges = at(value, ("exchanges",))
    if isinstance(exchanges, list):
        for i in range(len(exchanges) - 1, -1, -1):
            found = _layout(exchanges[i])
            if found is not None and found.base is not None:
                below: Path = ("exchanges", i)
                response = None if found.response is None else (*below, *found.response)
                return _Layout((*below, *found.base), response)
        return None
    base = next((base for base in _BASES if _holds(at(value, (*base, "contents")))), None)
    answers = (path for path in _RESPONSES if is_content(at(value, _candidate(path))))
    response = next(answers, None)
    return None if base is None and response is None else _Layout(base, response)


def _candidate(path: Path) -> Path:
    return (*path, "candidates", 0, "content")


def _holds(contents: object) -> bool:
    if isinstance(contents, list):
        return bool(contents) and all(map(is_content, contents))
    return isinstance(contents, Mapping) and is_content(contents)


def _conversation(name: str, source: str, part: Slice, layout: _Layout) -> Conversation:
    request = None if layout.base is None else at(part.value, layout.base)
    model = _model(part.value, request, layout)
    messages = [m for m in _messages(part, layout, model) if m.blocks]
    tools = at(request, ("tools",))
    around = Around(
        rules="google",
        tools=dumps(tools).decode() if tools else "",
        model=model,
        aside=tuple(_earlier(part.value, layout)),
    )
    return assembled(name, f"{source}:{part.line}", part.records, messages, around)


def _messages(part: Slice, layout: _Layout, model: str) -> Iterator[Message]:
    if layout.base is not None:
        yield from _systems(part, layout.base)
        path: Path = (*layout.base, "contents")
        contents = at(part.value, path)
        listed = contents if isinstance(contents, list) else []
        for i, content in enumerate(listed):
            here = (*path, i)
            yield read_content(content, _place(part, f"c{i}", here), here)
        if isinstance(contents, Mapping):
            yield read_content(contents, _place(part, "c", path), path)
    if layout.response is not None:
        path = _candidate(layout.response)
        place = _place(part, "a", path)
        answer = read_content(at(part.value, path), place, path)
        body = at(part.value, layout.response)
        stop = at(body, ("candidates", 0, "finishReason"))
        yield Message(
            place.id,
            Role.ASSISTANT,
            answer.blocks,
            part.line,
            part.index,
            path,
            model=model,
            usage=usage_of(at(body, ("usageMetadata",))),
            stop_reason=stop if isinstance(stop, str) else "",
        )


def _place(part: Slice, mark: str, path: Path) -> Message:
    return Message(f"{part.line}.{mark}", Role.USER, (), part.line, part.index, path)


def _systems(part: Slice, base: Path) -> Iterator[Message]:
    """A message for each part of the system instruction, so that a summary is one of its own."""
    for key in _SYSTEM:
        said = at(part.value, (*base, key))
        if isinstance(said, str) and said:
            path: Path = (*base, key)
            blocks = (Text(said, Voice.HARNESS, path=path),)
            yield Message(f"{part.line}.s", Role.SYSTEM, blocks, part.line, part.index, path)
        parts = at(said, ("parts",))
        for i, value in enumerate(parts if isinstance(parts, list) else ()):
            path = (*base, key, "parts", i)
            block = read_part(value, path, Role.SYSTEM)
            if block is not None:
                mark = f"{part.line}.s{i}"
                yield Message(mark, Role.SYSTEM, (block,), part.line, part.index, path)


def _model(value: object, request: object, layout: _Layout) -> str:
    """The model of the request, of the response, or in the address that was called."""
    asked = at(request, ("model",))
    answered = None
    if layout.response is not None:
        answered = at(value, (*layout.response, "modelVersion"))
    found = asked or answered
    return found if isinstance(found, str) else ""


def _earlier(value: object, layout: _Layout) -> Iterator[Message]:
    """The answers of exchanges before the live one: paid for, and repeated in its contents."""
    exchanges = at(value, ("exchanges",))
    live = layout.base or ()
    count = live[1] if len(live) > 1 and isinstance(live[1], int) else 0
    for i, exchange in enumerate(exchanges[:count] if isinstance(exchanges, list) else ()):
        for path in _RESPONSES:
            usage = usage_of(at(exchange, (*path, "usageMetadata")))
            model = at(exchange, (*path, "modelVersion"))
            if usage is not None:
                named = model if isinstance(model, str) else ""
                yield Message(f"e{i}", Role.ASSISTANT, (), usage=usage, model=named)
                break


FORMAT = GoogleContents()
