"""Chinese dialogue sets, where they are plain messages: CrossWOZ, KdConv, SMILE.

None of them has tools; what an annotation says beside a message is no part of the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping

from baodai.formats._dialogues import Utterances
from baodai.formats._layouts import at
from baodai.formats._listed import Listed
from baodai.model import Path


def _where(value: object) -> Path:
    return () if isinstance(value, list) else ("messages",)


def _is_dialogue(value: object) -> bool:
    listed = at(value, _where(value))
    if not isinstance(listed, list) or not listed:
        return False
    spoken = [item for item in listed if at(item, ("role",)) != "system"]
    return bool(spoken) and all(map(_is_utterance, spoken))


def _is_utterance(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    if value.get("role") in {"usr", "sys", "client", "counselor"}:
        return isinstance(value.get("content", value.get("message")), str)
    other = {"tool_calls", "function_call", "type", "action", "observation", "finish_reason"}
    return isinstance(value.get("message"), str) and not other & set(value)


FORMAT = Listed(
    "dialogue-zh",
    "Chinese dialogue sets: CrossWOZ, KdConv, SMILE",
    "an utterance of the role system",
    Utterances(),
    _where,
    _is_dialogue,
)
