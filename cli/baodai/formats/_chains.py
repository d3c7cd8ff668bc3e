"""Which requests of a log are one conversation: each repeats the one before with more behind it.

Agents elide old outputs on the way, and a compaction of ours changes the live request only, so what
is compared is who speaks, the ids of calls and results, and what the user said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._layouts import Layout, at
from baodai.heading import summary_range

_OPENING = 4
"""Messages at the beginning of a request among which a summary stands."""


def begins(longer: object, shorter: object) -> bool:
    """Whether a list begins with the elements of another one."""
    if not (isinstance(longer, list) and isinstance(shorter, list)):
        return False
    return bool(longer[: len(shorter)] == shorter)


def goes_on(now: object, here: Layout, before: object, there: Layout) -> bool:
    """Whether the request in `now` continues the one in `before`."""
    if not (here.log and there.log):
        return False
    later, earlier = at(now, here.messages), at(before, there.messages)
    if not (isinstance(later, list) and isinstance(earlier, list)):
        return False
    if _system(now, here) != _system(before, there):
        return False
    if any(summary_range(text) is not None for text in _openings(now, here)):
        return True
    if len(later) < len(earlier):
        return False
    same = [_outline(a) == _outline(b) for a, b in zip(later, earlier, strict=False)]
    return all(same[:2]) and sum(same) * 2 > len(same)


def _outline(message: object) -> object:
    """What a compaction leaves of a message: who speaks, ids, the words of user and system."""
    if not isinstance(message, Mapping):
        return message
    role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
    parts = [*_mappings(calls), *_mappings(content)]
    ids = [message.get("tool_call_id"), *(p.get("id", p.get("tool_use_id")) for p in parts)]
    named = any(id_ is not None for id_ in ids)
    return role, ids, content if role in {"user", "system", "developer"} and not named else None


def _mappings(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Mapping))


def _system(value: object, layout: Layout) -> str:
    """The system prompt, wherever it stands; without a summary that was put behind it."""
    return next(_systems(value, layout), "")


def _systems(value: object, layout: Layout) -> Iterator[str]:
    for text in _texts(at(value, (*layout.base, "system"))):
        if summary_range(text) is None:
            yield text
    messages = at(value, layout.messages)
    for message in list(_mappings(messages))[:1]:
        if message.get("role") in {"system", "developer"}:
            yield from (t for t in _texts(message.get("content")) if summary_range(t) is None)


def _openings(value: object, layout: Layout) -> Iterator[str]:
    """The texts among which a summary of ours stands."""
    yield from _texts(at(value, (*layout.base, "system")))
    messages = at(value, layout.messages)
    for message in list(_mappings(messages))[:_OPENING]:
        if message.get("role") in {"system", "developer", "user"}:
            yield from _texts(message.get("content"))


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for part in _mappings(content):
        text = part.get("text")
        if isinstance(text, str):
            yield text
