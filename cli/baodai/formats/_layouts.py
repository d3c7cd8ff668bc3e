"""Where a record of a chat API keeps its messages: alone, in a request, in a log of exchanges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from baodai.model import Path

_REQUESTS: tuple[Path, ...] = (
    (),
    ("request_params",),
    ("request",),
    ("request", "body", "value"),
    ("request", "body"),
    ("body",),
    ("inputs",),
)
_ANSWERS: tuple[Path, ...] = (("response",), ("response", "body", "value"), ("response", "body"))


@dataclass(frozen=True, slots=True)
class Layout:
    """The messages of a record: the array's place, the request around it, an answer beside it.

    `log` tells that a later record may repeat this one's messages with more behind them.
    """

    base: Path
    messages: Path
    answer: Path | None = None
    log: bool = False


def at(value: object, path: Path) -> object:
    """What stands at a path; `None` where nothing does."""
    for key in path:
        match value, key:
            case dict(), str():
                value = value.get(key)
            case list(), int() if 0 <= key < len(value):
                value = value[key]
            case _:
                return None
    return value


def is_message(value: object) -> bool:
    """Whether a value is one message of a chat API."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and "messages" not in value
        and ("content" in value or "tool_calls" in value or "function_call" in value)
        and value.get("type", "message") == "message"
    )


def layout_of(value: object) -> Layout | None:
    """Where the messages of a record are, `None` where it has none (or is a message itself)."""
    if isinstance(value, list):
        return Layout((), ()) if value and all(is_message(item) for item in value) else None
    if not isinstance(value, Mapping):
        return None
    exchanges = value.get("exchanges")
    if isinstance(exchanges, list):
        return _last_exchange(exchanges)
    for base in _REQUESTS:
        messages = at(value, (*base, "messages"))
        if isinstance(messages, list) and messages and isinstance(messages[0], Mapping):
            return Layout(base, (*base, "messages"), _answer(value, ()), log=bool(base))
    return None


def _last_exchange(exchanges: Sequence[object]) -> Layout | None:
    """The last exchange whose request holds messages; the earlier ones are its prefixes."""
    for i in range(len(exchanges) - 1, -1, -1):
        inner = layout_of(exchanges[i])
        if inner is not None and inner.base:
            here: Path = ("exchanges", i)
            answer = None if inner.answer is None else (*here, *inner.answer)
            return Layout((*here, *inner.base), (*here, *inner.messages), answer)
    return None


def _answer(value: object, prefix: Path) -> Path | None:
    """The place of the message that answered the request, where the record holds it as JSON."""
    for path in _ANSWERS:
        found = answer_in(at(value, (*prefix, *path)))
        if found is not None:
            return (*prefix, *path, *found)
    return None


def answer_in(response: object) -> Path | None:
    """Where a response body keeps the assistant's message."""
    if is_message(response):
        return ()
    first = at(response, ("choices", 0, "message"))
    return ("choices", 0, "message") if isinstance(first, Mapping) else None
