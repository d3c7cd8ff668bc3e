"""SWE-agent trajectories: `history` is what the model read, `trajectory` a second view of the run.

Demonstrations in the history are not the run. A result names its calls in the plural.
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
from baodai.model import Message, Role, Text, ToolResult, Voice

_VIEW = ("observation", "response", "thought", "query", "messages")


class _Reader(OpenAIChat):
    """Messages of a history."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """A message of the run; an observation as text is a tool's, not the user's."""
        if value.get("is_demo") is True or value.get("message_type") == "demonstration":
            return
        read = self.read(value, place)
        ids = value.get("tool_call_ids")
        first = ids[0] if isinstance(ids, list) and ids else None
        if isinstance(first, str):
            blocks = (
                replace(b, call_id=first) if isinstance(b, ToolResult) else b for b in read.blocks
            )
            read = replace(read, blocks=tuple(blocks))
        yield read

    def mend(self, desk: Desk) -> None:
        """The other view repeats answers and observations word by word."""
        hide(desk, _copies(desk))


def observed(messages: list[Message]) -> list[Message]:
    """The messages with all user texts but the first, the task, as the tools' that they are."""
    asked = False
    found: list[Message] = []
    for message in messages:
        user = message.role is Role.USER
        found.append(_as_output(message) if user and asked else message)
        asked = asked or user
    return found


def _as_output(message: Message) -> Message:
    texts = (
        replace(b, voice=Voice.TOOL, spoken=None) if isinstance(b, Text) else b
        for b in message.blocks
    )
    return replace(message, blocks=tuple(texts))


def _copies(desk: Desk) -> Iterator[Copy]:
    said: dict[str, str] = {}
    for old, _ in desk.edited:
        said[old.text.strip()] = old.id
        said.update((result.text.strip(), result.call_id) for result in old.results)
    said.pop("", None)
    for record in {m.record for m in desk.before}:
        steps = desk.sheet.at(record, ("trajectory",))
        for i, step in enumerate(steps if isinstance(steps, list) else ()):
            for key in _VIEW:
                text = at(step, (key,))
                found = said.get(text.strip()) if isinstance(text, str) else None
                if found is not None:
                    yield Copy(found, record, ("trajectory", i, key))


def _is_run(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("history"), list)
        and isinstance(value.get("trajectory"), list)
    )


FORMAT = Listed(
    "swe-agent",
    "SWE-agent trajectories",
    "a system message right after the system prompt",
    _Reader(),
    under("history"),
    _is_run,
    finish=observed,
)
