"""tau-bench results: a list of tasks, each with its conversation as chat messages.

Tool schemas are not in the file, and ids of calls repeat inside a conversation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._dialect import Place
from baodai.formats._listed import Listed, under
from baodai.formats.openai_chat import OpenAIChat
from baodai.model import Message


class _Reader(OpenAIChat):
    """Chat messages as they are."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """A chat message."""
        yield self.read(value, place)


def _is_task(value: object) -> bool:
    return isinstance(value, Mapping) and "task_id" in value and isinstance(value.get("traj"), list)


FORMAT = Listed(
    "tau-bench",
    "tau-bench results: tasks with their conversations",
    "a system message right after the system prompt",
    _Reader(),
    under("traj"),
    _is_task,
)
