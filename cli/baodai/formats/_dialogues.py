"""Utterances of dialogue sets: who speaks and what is said, without tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._blocks import Shape, changed
from baodai.formats._dialect import Place
from baodai.formats._layouts import at
from baodai.formats._sheet import Changes
from baodai.formats._writing import Desk, Plain
from baodai.model import Message, Path, Role, Text, ToolCall, Voice

_SPEAKERS = {
    "usr": Role.USER,
    "sys": Role.ASSISTANT,
    "client": Role.USER,
    "counselor": Role.ASSISTANT,
    "system": Role.SYSTEM,
}
_SAID = ("content", "message")


def _no_calls(old: ToolCall, new: ToolCall, record: object) -> dict[Path, object]:
    del old, new, record
    return {}


class Utterances(Plain):
    """Utterances; where they do not say who speaks, the two take turns."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """The message of an utterance."""
        key = next((k for k in _SAID if isinstance(value.get(k), str)), "")
        role = _SPEAKERS.get(str(value.get("role")))
        index = place.path[-1]
        if role is None:
            even = isinstance(index, int) and index % 2 == 0
            role = Role.USER if even else Role.ASSISTANT
        if not key:
            return
        voices = {Role.USER: Voice.HUMAN, Role.ASSISTANT: Voice.MODEL}
        block = Text(str(value[key]), voices.get(role, Voice.HARNESS), path=(*place.path, key))
        yield Message(place.id, role, (block,), place.line, place.record, place.path)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """The changes of an utterance."""
        return changed(old, new, record, Shape(_no_calls))

    def fresh(self, message: Message, near: object) -> object:
        """A new utterance in the words of its neighbour."""
        if isinstance(at(near, ("message",)), str):
            return {"message": message.text, "role": "system" if message.is_summary else "sys"}
        names = {role: name for name, role in _SPEAKERS.items()}
        client = at(near, ("role",)) in {"client", "counselor"}
        spoken = {Role.USER: "client", Role.ASSISTANT: "counselor"} if client else {}
        role = spoken.get(message.role, names.get(message.role, "usr"))
        return {"role": role, "content": message.text}

    def mend(self, desk: Desk) -> None:
        """Where utterances do not say who speaks, one out of its turn says it."""
        for i, message in enumerate(desk.conversation.messages):
            path = (*message.path, "role")
            bare = message.id not in desk.made and desk.sheet.at(message.record, path) is None
            turn = Role.USER if i % 2 == 0 else Role.ASSISTANT
            inside = message.path and isinstance(message.path[-1], int)
            if bare and inside and message.role is not turn:
                name = "usr" if message.role is Role.USER else "sys"
                desk.sheet.put(message.record, path, name)

    def beside(self, message: Message, base: Path, request: object) -> Changes | None:
        """Where messages stand in no list, a summary is a member of the conversation."""
        del base
        if not isinstance(request, dict) or not {"chat", "question"} & set(request):
            return None
        return Changes(puts={("meta_instruction",): message.text})
