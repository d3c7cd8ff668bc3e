"""mini-swe-agent trajectories, in three variants.

1.1 holds chat messages with the whole answer of the API as a copy beside each, and a last message
of the role `exit` that no model reads; 1.0 is a bare list with the commands in the text; another
one holds Responses objects in the place of answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from baodai.formats._copies import Copy, hide
from baodai.formats._dialect import Place
from baodai.formats._item_types import is_item
from baodai.formats._items import Spot, messages_of
from baodai.formats._items_write import changes_of, fresh_item
from baodai.formats._layouts import at, is_message, is_shell_run
from baodai.formats._listed import Listed, under
from baodai.formats._sheet import Changes
from baodai.formats._told import Around
from baodai.formats._writing import Desk
from baodai.formats.openai_chat import OpenAIChat
from baodai.model import Message, Role, Text, Usage, Voice

_EXIT = "exit"
_COPIES = (("extra", "response"), ("extra", "actions"), ("provider_specific_fields",))


class _Reader(OpenAIChat):
    """Messages of a run."""

    def messages(self, value: Mapping[str, object], place: Place) -> Iterator[Message]:
        """The message of an element, or those of a Responses object."""
        if value.get("role") == _EXIT:
            return
        output = value.get("output")
        if value.get("object") == "response" and isinstance(output, list):
            yield from _items(output, place)
        elif is_item(value) and "role" not in value:
            spot = Spot(place.id, place.record, place.line, place.path, place.path)
            yield from messages_of(value, spot)
        else:
            yield _told(self.read(value, place), value)

    def changes(self, old: Message, new: Message, record: object) -> Changes:
        """Of a chat message, or of an item."""
        if is_item(at(record, old.path)) and at(record, (*old.path, "role")) is None:
            return changes_of(old, new, record)
        return super().changes(old, new, record)

    def fresh(self, message: Message, near: object) -> object:
        """A chat message, or an item beside items."""
        item = at(near, ("type",)) is not None and at(near, ("role",)) is None
        return fresh_item(message) if item else super().fresh(message, near)

    def mend(self, desk: Desk) -> None:
        """Hide what the harness keeps of answers and outputs."""
        hide(desk, _copies(desk))


def _items(output: list[object], place: Place) -> Iterator[Message]:
    """The items of an answer, which are one message of the API."""
    for i, item in enumerate(output):
        path = (*place.path, "output", i)
        spot = Spot(f"{place.id}.{i}", place.record, place.line, path, path)
        yield from (replace(m, group=place.id) for m in messages_of(item, spot))


def _told(read: Message, value: Mapping[str, object]) -> Message:
    """What the copy of the API's answer tells; a format error is the harness speaking."""
    if read.role is Role.USER and at(value, ("extra", "interrupt_type")) is not None:
        texts = (b for b in read.blocks if isinstance(b, Text))
        return replace(
            read, blocks=tuple(replace(t, voice=Voice.HARNESS, spoken=None) for t in texts)
        )
    answer = at(value, ("extra", "response"))
    if read.role is not Role.ASSISTANT or not isinstance(answer, Mapping):
        return read
    stop, model = at(answer, ("choices", 0, "finish_reason")), at(answer, ("model",))
    return replace(
        read,
        usage=_usage(answer.get("usage")),
        stop_reason=stop if isinstance(stop, str) else "",
        model=model if isinstance(model, str) else "",
    )


def _usage(value: object) -> Usage | None:
    prompt, answer = at(value, ("prompt_tokens",)), at(value, ("completion_tokens",))
    if not isinstance(prompt, int) or not isinstance(answer, int):
        return None
    cached = at(value, ("prompt_tokens_details", "cached_tokens"))
    thought = at(value, ("completion_tokens_details", "reasoning_tokens"))
    read = cached if isinstance(cached, int) else 0
    return Usage(prompt, answer, read, 0, thought if isinstance(thought, int) else 0)


def _copies(desk: Desk) -> Iterator[Copy]:
    """An answer's copies go with any edit of it; a result's raw output becomes its new text."""
    for old, _ in desk.edited:
        for result in old.results:
            yield Copy(result.call_id, old.record, (*old.path, "extra", "raw_output"))
        idents = [old.id] if old.text else []
        for ident in (*idents, *(call.id for call in old.calls)):
            yield from (Copy(ident, old.record, (*old.path, *copy)) for copy in _COPIES)


def _claims(value: object) -> bool:
    return is_shell_run(value) if isinstance(value, list) else _is_run(value)


def _is_run(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(is_message, value))
    if not isinstance(value, Mapping) or not isinstance(value.get("messages"), list):
        return False
    named = str(value.get("trajectory_format", "")).startswith("mini-swe-agent")
    return named or at(value, ("info", "mini_version")) is not None


def _about(value: object) -> Around:
    model = at(value, ("info", "config", "model", "model_name"))
    name = model.rpartition("/")[2] if isinstance(model, str) else ""
    return Around(model=name)


FORMAT = Listed(
    "mini-swe-agent",
    "mini-swe-agent trajectories",
    "a system message right after the system prompt",
    _Reader(),
    under("messages"),
    _is_run,
    about=_about,
    claims=_claims,
)
