"""Where a record of a chat API keeps its messages: alone, in a request, in a log of exchanges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

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
_RESPONSES: tuple[Path, ...] = (
    ("response",),
    ("response", "body", "value"),
    ("response", "body"),
)
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The messages of a record: the array's place, the request around it, an answer beside it.

    `response` is the place of the body around the answer; `log` tells that a later record may
    repeat this one's messages with more behind them.
    """

    base: Path
    messages: Path
    answer: Path | None = None
    response: Path = ()
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
    """Whether a value is one message of a chat API; its content may be absent."""
    return (
        isinstance(value, Mapping)
        and isinstance(value.get("role"), str)
        and "messages" not in value
        and value.get("type", "message") == "message"
        and ("content" in value or value["role"] in _ROLES)
        and not {"parts", "message"} & value.keys()
    )


def is_shell_run(value: object) -> bool:
    """Whether a bare list is an agent's run, with commands in fenced blocks of its answers."""
    if not isinstance(value, list) or not value or not all(map(is_message, value)):
        return False
    answers = [m for m in value if m.get("role") == "assistant"]
    fenced = sum(_FENCED.search(str(m.get("content"))) is not None for m in answers)
    plain = all({"role", "content"} == set(m) for m in value)
    return plain and len(answers) > 1 and fenced * 2 > len(answers)


_FENCED = re.compile(r"```(?:mswea_)?bash\w*\n")
_FOREIGN = (
    {"info", "messages"},
    {"termination_reason", "messages"},
    {"values", "checkpoint"},
    {"target", "messages"},
)


def is_foreign(value: object) -> bool:
    """Whether chat messages stand in a container that another codec knows more of."""
    if isinstance(value, Mapping):
        marked = str(value.get("role")).startswith("_")
        return marked or any(keys <= value.keys() for keys in _FOREIGN)
    return is_shell_run(value)


def layout_of(value: object) -> Layout | None:
    """Where the messages of a record are, `None` where it has none (or is a message itself)."""
    if isinstance(value, list):
        return Layout((), ()) if value and all(map(is_message, value)) else None
    if not isinstance(value, Mapping):
        return None
    exchanges = value.get("exchanges")
    if isinstance(exchanges, list):
        return next((_exchange(value, i) for i in _conversing(value, len(exchanges))), None)
    for base in _REQUESTS:
        messages = at(value, (*base, "messages"))
        if isinstance(messages, list) and messages and is_message(messages[0]):
            layout = Layout(base, (*base, "messages"), log=bool(base))
            return _with_answer(value, layout)
    return None


def _conversing(value: object, count: int) -> Iterator[int]:
    """The exchanges whose requests hold messages, the last one first."""
    for i in range(count - 1, -1, -1):
        inner = layout_of(at(value, ("exchanges", i)))
        if inner is not None and inner.base:
            yield i


def _exchange(value: object, i: int) -> Layout | None:
    inner = layout_of(at(value, ("exchanges", i)))
    if inner is None:
        return None
    here: Path = ("exchanges", i)
    return Layout(
        (*here, *inner.base),
        (*here, *inner.messages),
        None if inner.answer is None else (*here, *inner.answer),
        (*here, *inner.response),
    )


def earlier_exchanges(value: object, live: Layout) -> Iterator[Layout]:
    """The exchanges of a recording before the live one, in order."""
    match live.base:
        case ("exchanges", int(last), *_):
            for i in reversed(list(_conversing(value, last))):
                layout = _exchange(value, i)
                if layout is not None:
                    yield layout
        case _:
            return


def _with_answer(value: object, layout: Layout) -> Layout:
    """The layout with the message that answered the request, where the record holds it as JSON."""
    for path in _RESPONSES:
        found = answer_in(at(value, path))
        if found is not None:
            return replace(layout, answer=(*path, *found), response=path)
    return layout


def answer_in(response: object) -> Path | None:
    """Where a response body keeps the assistant's message."""
    if is_message(response):
        return ()
    first = at(response, ("choices", 0, "message"))
    return ("choices", 0, "message") if isinstance(first, Mapping) else None
