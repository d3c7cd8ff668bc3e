"""Where records of the Responses API keep their items: requests, responses, recorded exchanges.

A history may be spread over exchanges: a request that names the response before it repeats nothing.
Which of the exchanges the last one rests on is followed here; those it repeats tell what was paid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from baodai.formats._item_parts import texts_in
from baodai.formats._item_types import is_item, is_own, kind_of
from baodai.formats._items_view import Told
from baodai.formats._layouts import at
from baodai.formats._sse import is_stream, response_in
from baodai.model import Path, Usage

_REQUESTS: tuple[Path, ...] = (
    (),
    ("request", "body", "value"),
    ("request", "body"),
    ("request",),
    ("request_params",),
    ("body",),
    ("inputs",),
)
_RESPONSES: tuple[Path, ...] = (
    (),
    ("response", "body", "value"),
    ("response", "body"),
    ("response",),
)
_OBJECTS = frozenset({"response", "response.compaction"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, the response to it, or both, in a record.

    `base` and `answer` are their places; `request` and `response` what stands there (a stream is
    read into the response it told); `streamed`: the answer is a stream.
    """

    record: int
    line: int
    base: Path | None
    answer: Path | None
    request: Mapping[str, object]
    response: Mapping[str, object]
    streamed: bool = False

    @property
    def ident(self) -> object:
        """The id that a later request may name."""
        return self.response.get("id")

    @property
    def before(self) -> object:
        """The id of the response that the request goes on from."""
        return self.request.get("previous_response_id")

    @property
    def given(self) -> list[object]:
        """The items of the request; a bare text is none."""
        items = self.request.get("input")
        return items if isinstance(items, list) else []

    @property
    def output(self) -> list[object]:
        """The items of the answer."""
        items = self.response.get("output")
        return items if isinstance(items, list) else []

    @property
    def told(self) -> Told | None:
        """What the response reports."""
        usage = usage_of(self.response.get("usage"))
        if usage is None:
            return None
        why = at(self.response, ("incomplete_details", "reason"))
        stop = why if isinstance(why, str) else self.response.get("status")
        model = self.response.get("model")
        return Told(usage, str(stop or ""), model if isinstance(model, str) else "")


def exchanges_in(value: object, record: int, line: int) -> list[Exchange]:
    """The exchanges of a record that hold items, in order; an answer fetched later is joined."""
    held = at(value, ("exchanges",))
    found: list[Exchange] = []
    if not isinstance(held, list):
        one = _exchange(value, (), record, line)
        return [] if one is None else [one]
    for i, inner in enumerate(held):
        one = _exchange(inner, ("exchanges", i), record, line)
        if one is None:
            continue
        asked = next((k for k, e in enumerate(found) if _fetched(one, e)), None)
        if asked is None:
            found.append(one)
        elif one.output:
            found[asked] = replace(
                found[asked], answer=one.answer, response=one.response, streamed=one.streamed
            )
    return found


def _fetched(now: Exchange, before: Exchange) -> bool:
    """Whether an answer was only asked for again: it ran in the background."""
    return now.base is None and now.ident is not None and now.ident == before.ident


def _exchange(value: object, path: Path, record: int, line: int) -> Exchange | None:
    if "input_tokens" in str(at(value, ("uri",)) or at(value, ("request", "url")) or ""):
        return None
    base = next((p for p in _REQUESTS if _is_request(at(value, p), alone=not p)), None)
    for answer in _RESPONSES:
        held = at(value, answer)
        if is_stream(held):
            response: object = response_in(str(held))
        elif _is_response(held):
            response = held
        else:
            continue
        made = Exchange(
            record, line, None, (*path, *answer), {}, _mapping(response), held != response
        )
        return made if base is None else _asked(made, value, path, base)
    if base is None:
        return None
    return _asked(Exchange(record, line, None, None, {}, {}), value, path, base)


def _asked(exchange: Exchange, value: object, path: Path, base: Path) -> Exchange:
    return replace(exchange, base=(*path, *base), request=_mapping(at(value, base)))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _is_request(value: object, *, alone: bool) -> bool:
    """Whether a value is a request; alone it must say more than that it has an input."""
    if not isinstance(value, Mapping) or "messages" in value:
        return False
    given = value.get("input")
    named = isinstance(value.get("model"), str)
    if isinstance(given, str):
        return named and ("instructions" in value or not alone)
    if not isinstance(given, list) or not all(is_item(item) for item in given):
        return False
    return named or any(map(is_own, given)) or "previous_response_id" in value


def _is_response(value: object) -> bool:
    return isinstance(at(value, ("output",)), list) and at(value, ("object",)) in _OBJECTS


def chain(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """The last exchange that says something, after those whose responses it goes on from."""
    said = [e for e in exchanges if e.given or e.output or e.request.get("input")]
    if not said:
        return []
    known = {e.ident: e for e in said if e.ident is not None}
    links = [said[-1]]
    while True:
        before = known.get(links[0].before) if links[0].before is not None else None
        if before is None or any(before is link for link in links):
            return links
        links.insert(0, before)


def repeats(longer: Sequence[object], shorter: Sequence[object]) -> int | None:
    """How many items of a list another one repeats, where it begins with all of them.

    Agents shorten old outputs, and reasoning may go, so what is compared is who speaks, the ids of
    calls, and the user's words.
    """
    told = [(i, item) for i, item in enumerate(longer) if kind_of(item) != "reasoning"]
    wanted = [item for item in shorter if kind_of(item) != "reasoning"]
    if not wanted or len(wanted) > len(told):
        return None
    pairs = zip(told, wanted, strict=False)
    if any(_outline(item) != _outline(other) for (_, item), other in pairs):
        return None
    return told[len(wanted) - 1][0] + 1


def _outline(item: object) -> object:
    role = at(item, ("role",))
    words = list(texts_in(at(item, ("content",)))) if role == "user" else None
    return kind_of(item), role, at(item, ("call_id",)), words


def usage_of(value: object) -> Usage | None:
    """Reported usage; cached parts are in the input already."""
    if not isinstance(value, Mapping):
        return None
    return Usage(
        _int(value, "input_tokens"),
        _int(value, "output_tokens"),
        cache_read=_int(value, "input_tokens_details", "cached_tokens"),
        reasoning=_int(value, "output_tokens_details", "reasoning_tokens"),
    )


def _int(value: object, *path: str) -> int:
    found = at(value, path)
    return found if isinstance(found, int) else 0


def system_of(exchange: Exchange) -> Iterator[tuple[Path, str]]:
    """The instructions: of the request, or as the response repeats them."""
    for place, owner in ((exchange.base, exchange.request), (exchange.answer, exchange.response)):
        said = owner.get("instructions")
        if (
            place is not None
            and isinstance(said, str)
            and said
            and not (exchange.streamed and owner is exchange.response)
        ):
            yield (*place, "instructions"), said
            return
