"""tau2-bench results: simulations in which the user calls tools too.

What passes between the user and its own tools is not for the agent: it is carried through and never
read. A result is known by its call's id under `id`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._copies import Copy, hide
from baodai.formats._dialect import Place
from baodai.formats._layouts import at
from baodai.formats._listed import Listed, under
from baodai.formats._writing import Desk
from baodai.formats.openai_chat import OpenAIChat
from baodai.model import Message, Path, Role, Text, ToolCall, ToolResult, Usage, Voice

_USER = "user"


class _Reader(OpenAIChat):
    """Messages of a simulation."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """What the agent sees of an element."""
        several = value.get("tool_messages")
        if isinstance(several, list):
            for i, one in enumerate(several):
                if isinstance(one, Mapping):
                    path = (*place.path, "tool_messages", i)
                    inner = Place(f"{place.id}.{i}", place.record, place.line, path)
                    yield from self.messages(one, inner)
            return
        if value.get("role") == "tool":
            if value.get("requestor") != _USER:
                yield _result(value, place)
            return
        read = self.read(value, place)
        if read.role is Role.USER:
            blocks = tuple(b for b in read.blocks if not isinstance(b, ToolCall))
            if blocks:
                yield replace(read, blocks=blocks)
            return
        stamp = at(value, ("timestamp",))
        yield replace(
            read,
            usage=_usage(value.get("usage")),
            stop_reason=str(at(value, ("raw_data", "finish_reason")) or ""),
            timestamp=stamp if isinstance(stamp, str) else "",
        )

    def fresh(self, message: Message, near: object) -> object:
        """A new message with the turn of its neighbour."""
        turn = at(near, ("turn_idx",))
        return {"role": message.role.value, "content": message.text, "turn_idx": turn}

    def mend(self, desk: Desk) -> None:
        """The whole answer of the API is a copy of a message."""
        hide(desk, (Copy(m.id, m.record, (*m.path, "raw_data")) for m in desk.before))


def _result(value: Mapping[str, object], place: Place) -> Message:
    said, path = value.get("content"), (*place.path, "content")
    parts = (Text(said, Voice.TOOL, path=path),) if isinstance(said, str) and said else ()
    result = ToolResult(
        str(value.get("id", "")), parts, value.get("error") is True, path=place.path
    )
    return Message(place.id, Role.TOOL, (result,), place.line, place.record, place.path)


def _usage(value: object) -> Usage | None:
    prompt, answer = at(value, ("prompt_tokens",)), at(value, ("completion_tokens",))
    return Usage(prompt, answer) if isinstance(prompt, int) and isinstance(answer, int) else None


def _is_simulation(value: object) -> bool:
    return isinstance(value, Mapping) and {"messages", "termination_reason", "task_id"} <= set(
        value
    )


_LISTS: tuple[Path, ...] = (("simulations",), ())

FORMAT = Listed(
    "tau2-bench",
    "tau2-bench results: simulations with their conversations",
    "a system message before the first message",
    _Reader(),
    under("messages"),
    _is_simulation,
    _LISTS,
)
