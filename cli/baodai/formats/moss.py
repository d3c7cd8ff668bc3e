"""MOSS conversations: turns under their names, each speaker's text with its marker around it.

Inner thoughts, commands and tool responses are texts of the training format, not calls of an API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._dialogues import Utterances
from baodai.formats._layouts import at
from baodai.formats._listed import Listed, under
from baodai.formats._slices import Slice
from baodai.model import Message, Path, Role, Text, Voice

_SPEAKERS = {
    "Human": (Role.USER, Voice.HUMAN),
    "Inner Thoughts": (Role.ASSISTANT, Voice.MODEL),
    "Commands": (Role.ASSISTANT, Voice.MODEL),
    "Tool Responses": (Role.TOOL, Voice.TOOL),
    "Results": (Role.TOOL, Voice.TOOL),
    "MOSS": (Role.ASSISTANT, Voice.MODEL),
}


def _is_chat(value: object) -> bool:
    chat = at(value, ("chat",))
    return isinstance(chat, Mapping) and any(str(key).startswith("turn_") for key in chat)


def _turns(part: Slice) -> Iterator[Message]:
    """The messages, with the system prompt that stands beside the turns in front."""
    said = at(part.value, ("meta_instruction",))
    if isinstance(said, str) and said:
        path: Path = ("meta_instruction",)
        block = Text(said, Voice.HARNESS, path=path)
        yield Message(f"{part.number}.s", Role.SYSTEM, (block,), part.line, part.index, path)
    chat = at(part.value, ("chat",))
    for name, turn in chat.items() if isinstance(chat, Mapping) else ():
        group = f"{part.number}.{name}"
        for key, (role, voice) in _SPEAKERS.items():
            text = at(turn, (key,))
            if not isinstance(text, str):
                continue
            path = ("chat", name, key)
            # What its tools said stands in the format as text, without a call to answer.
            block = Text(text, voice, path=path)
            role_ = Role.ASSISTANT if role is Role.TOOL else role
            yield Message(
                f"{group}.{key}",
                role_,
                (block,),
                part.line,
                part.index,
                path,
                group=group if role_ is Role.ASSISTANT else "",
            )


FORMAT = Listed(
    "moss",
    "MOSS conversations: turns with markers",
    "a member beside the turns",
    Utterances(),
    under("none"),
    _is_chat,
    head=_turns,
)
