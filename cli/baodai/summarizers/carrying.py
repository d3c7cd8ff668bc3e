"""Decisions that an earlier summary carries, read back: what was settled before the first message.

So a second compaction knows of them what the first one knew, and tells what becomes of them. Only
what stands in quotes in a summary of ours is the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from baodai.decisions import Decision, State
from baodai.decisions.detect import Found, decision_of, detect_text, found_in
from baodai.decisions.lexicon import NO_EXTRAS, Extras
from baodai.decisions.supersession import resolve
from baodai.model import Conversation
from baodai.summarizers import VERBATIM, Line, lines_of
from baodai.summarizers.document import parse

_QUOTE = re.compile(
    r"^“(?P<said>.*?)”(?: \((?:that is|即): (?P<accepted>.*)\))?(?P<rest>(?:\s?[(（].*)?)$",
    re.DOTALL,
)
_GONE = re.compile(r"(?:superseded|已被取代)[:：]\s?“(?P<quote>.*?)”", re.DOTALL)
_STATED = ("decisions", "preferences")


def decided(conversation: Conversation, extras: Extras = NO_EXTRAS) -> tuple[Decision, ...]:
    """All decisions of a conversation with their states, those of an earlier summary among them."""
    earlier = list(carried(conversation, extras))
    return resolve([*earlier, *found_in(conversation, extras)], settled=len(earlier))


def carried(conversation: Conversation, extras: Extras = NO_EXTRAS) -> Iterator[Decision]:
    """The decisions that the summaries of a conversation state, as they state them."""
    seen: set[tuple[str, int]] = set()
    for message in conversation.messages:
        summary = parse(message.text) if message.is_summary else None
        if summary is None:
            continue
        # What has a line of its own says its state; longer quotes are searched for the rest.
        for name in (*_STATED, *(s for s in ("goal", "requirements") if s in VERBATIM)):
            for line in lines_of(summary, name):
                for decision in _of_line(line, name, extras):
                    key = (decision.quote, decision.turn)
                    if key not in seen:
                        seen.add(key)
                        yield decision


def _of_line(line: Line, name: str, extras: Extras) -> Iterator[Decision]:
    quoted = _QUOTE.match(line.text)
    if quoted is None:
        return
    said = quoted.group("said")
    gone = {m.group("quote") for m in _GONE.finditer(quoted.group("rest"))}
    if name in _STATED:
        yield _stated(said, quoted.group("accepted") or "", line, extras)
        return
    for found in detect_text(said, extras=extras):
        state = State.SUPERSEDED if found.quote in gone else State.LIVE
        yield decision_of(found, turn=line.turn, state=state)


def _stated(said: str, accepted: str, line: Line, extras: Extras) -> Decision:
    """A line that is a decision: read again for its kind, its words and its state as they stand."""
    read = next((f for f in detect_text(said, extras=extras) if f.quote == said), None)
    found = read if read is not None and not accepted else Found.plain(said, accepted)
    state = State(line.status) if line.status else State.LIVE
    return decision_of(found, turn=line.turn, state=state)
