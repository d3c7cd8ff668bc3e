"""Which decisions still hold: later ones on the same thing override, permissions withdraw.

A later decision is compared with the earlier live ones that share a word, a topic or a family of
alternatives with it, the most alike first, then the newest:

- everything: "ignore all we said" withdraws all that was said before.
- withdrawal: "forget the tabs rule" withdraws what it names, or the last decision where it names none.
- permission: "TypeScript is fine now" withdraws what forbade it.
- turned: the same thing, now asked for, then forbidden, or the reverse.
- another value: a new number, name or alternative for the same topic, where nothing tells the two
  topics apart (two budgets of two projects stay two).
- override: words like "actually", "make that", 改成 reach further: a shared word, one family of
  alternatives, or, for an ellipsis, the last decision that fits.

Another scope ("in tests") is never overridden; what was said twice is one decision.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from baodai.decisions import Decision, Kind, State
from baodai.decisions.lexicon import lexicon
from baodai.decisions.topics import Topic, topic_of

_ELLIPTICAL = 90
"""Characters of an utterance that may leave out what it is about."""

_NEAR = 4
"""Turns back to which an ellipsis without a family or a number reaches."""

_SHARED = 0.34
_TURNED = 0.7
_MOST = 64
"""Earlier decisions that one is compared with at most, the newest."""

_GENERAL = frozenset({"@limit", "@budget", "@date", "@time", "@name"})
"""Topics that do not tell two things apart: what has a limit is said by other words."""

_ELLIPSES = frozenset({Kind.CHOICE, Kind.CONVENTION, Kind.CORRECTION, Kind.PREFERENCE})


def resolve(decisions: Sequence[Decision], *, settled: int = 0) -> tuple[Decision, ...]:
    """The decisions in order with `state` and `superseded_by` settled; repeated ones once.

    The first `settled` ones are known from an earlier summary: only later ones override them.
    """
    book = _Book()
    for i, decision in enumerate(decisions):
        book.add(decision, settled=i < settled)
    return tuple(book.found)


def scope_of(text: str) -> str:
    """The place a decision is for ("test", "production", …); empty: everywhere."""
    return next((name for name, p in lexicon(han=True).scopes if p.search(text)), "")


@dataclass(slots=True)
class _Book:
    """The decisions so far, and where to find those that share a word."""

    found: list[Decision] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)
    _by_key: dict[str, list[int]] = field(default_factory=dict)
    _seen: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, new: Decision, *, settled: bool) -> None:
        """Take a decision in; a repeated one that still holds is known already."""
        folded = (" ".join(new.quote.lower().split()), new.accepted)
        known = self._seen.get(folded)
        if known is not None and self.found[known].state is State.LIVE:
            return
        topic = topic_of(new)
        if (
            not settled
            and new.state is State.LIVE
            and new.because != "answer"
            and (new.tier == 2 or topic.marks)
        ):
            self._override(new, topic)
        self._seen[folded] = len(self.found)
        for key in topic.keys:
            self._by_key.setdefault(key, []).append(len(self.found))
        self.found.append(new)
        self.topics.append(topic)

    def _override(self, new: Decision, topic: Topic) -> None:
        if topic.marks & {"everything", "plan"} and topic.marks & {"withdraw", "override"}:
            self._reset(new, rules="everything" in topic.marks)
            return
        for i in self._candidates(new, topic):
            state = _relation(self.found[i], self.topics[i], new, topic)
            if state is not None:
                self._close(i, new, state)
                if "withdraw" not in topic.marks:
                    return
        if topic.marks & {"override", "opening"} and not topic.marks & {"permit"}:
            self._elliptical(new, topic)

    def _reset(self, new: Decision, *, rules: bool) -> None:
        """All that was settled before is off; the rules only where they are meant too."""
        for i, old in enumerate(self.found):
            if old.turn < new.turn and (rules or old.kind in _ELLIPSES):
                self._close(i, new, State.WITHDRAWN)

    def _candidates(self, new: Decision, topic: Topic) -> Iterable[int]:
        """The live ones that share something: those that share most first, then the newest."""
        near = {i for key in topic.keys for i in self._by_key.get(key, ())[-_MOST:]}
        live = (i for i in near if self._open(i, new, topic))
        return sorted(live, key=lambda i: (*_likeness(self.topics[i], topic), i), reverse=True)

    def _open(self, i: int, new: Decision, topic: Topic) -> bool:
        old = self.found[i]
        return bool(
            old.state is State.LIVE
            and (old.turn < new.turn or topic.marks & {"opening", "replacing", "revoking"})
            and (old.tier == 2 or topic.marks & {"override", "opening", "withdraw"})
            and (old.scope == topic.scope or (not old.scope and "withdraw" in topic.marks))
        )

    def _elliptical(self, new: Decision, topic: Topic) -> None:
        """What an utterance overrides that does not say what it is about."""
        if len(new.quote) > _ELLIPTICAL:
            return
        for i in range(len(self.found) - 1, max(-1, len(self.found) - 1 - _MOST), -1):
            if self._open(i, new, topic) and _leans(self.found[i], self.topics[i], new, topic):
                state = State.WITHDRAWN if "withdraw" in topic.marks else State.SUPERSEDED
                self._close(i, new, state)
                return

    def _close(self, i: int, new: Decision, state: State) -> None:
        if self.found[i].state is State.LIVE:
            self.found[i] = replace(self.found[i], state=state, superseded_by=new.id)


def _likeness(theirs: Topic, mine: Topic) -> tuple[int, float]:
    """How much two speak of one thing: words they share, then their share of all that is named."""
    together = theirs.about | mine.about
    shared = len(theirs.about & mine.about) / len(together) if together else 0.0
    return len(theirs.names & mine.names), shared


def _relation(old: Decision, theirs: Topic, new: Decision, mine: Topic) -> State | None:
    """What the new one makes of the old one; `None`: nothing."""
    if "withdraw" in mine.marks and _names_it(theirs, mine):
        return State.WITHDRAWN
    if "permit" in mine.marks and old.polarity < 0 < new.polarity and _names_it(theirs, mine):
        return State.WITHDRAWN
    if old.polarity != new.polarity:
        return State.SUPERSEDED if _turned(theirs, mine) else None
    if mine.marks & {"override", "opening"} and _reaches(theirs, mine):
        return State.SUPERSEDED
    return State.SUPERSEDED if _another_value(theirs, mine) else None


def _names_it(theirs: Topic, mine: Topic) -> bool:
    """Whether what is taken back is named: half of its words, or the thing itself."""
    if theirs.kinds & mine.kinds or theirs.proper & mine.proper:
        return True
    shared = theirs.about & mine.about
    return bool(shared) and 2 * len(shared) >= min(len(theirs.about), len(mine.about))


def _turned(theirs: Topic, mine: Topic) -> bool:
    """The same thing with the other sign: nearly the same words, the same things."""
    a = theirs.about | theirs.proper | {k for _, k in theirs.kinds}
    b = mine.about | mine.proper | {k for _, k in mine.kinds}
    return bool(a & b) and len(a & b) >= _TURNED * len(a | b)


def _reaches(theirs: Topic, mine: Topic) -> bool:
    """Whether a word like "actually" reaches from one to the other."""
    if theirs.families & mine.families:
        told = theirs.about & mine.about
        return bool(told) or not theirs.about or not mine.about
    shared = theirs.about & mine.about
    least = min(len(theirs.about), len(mine.about))
    if not shared or len(shared) < _SHARED * least:
        return False
    if bool(theirs.quantities) != bool(mine.quantities) and not theirs.names & mine.names:
        return False  # a new date of the release is not who approves it
    # Two budgets of two projects: a word on each side tells them apart.
    apart = (mine.about - shared - _GENERAL) and (theirs.about - shared - _GENERAL)
    return not (_measured(theirs, mine) and apart)


def _measured(theirs: Topic, mine: Topic) -> bool:
    return _comparable(theirs, mine) and len(mine.topics & theirs.topics) > 0


def _another_value(theirs: Topic, mine: Topic) -> bool:
    """A new value for the same topic, without a word that says so."""
    if not mine.about and not theirs.about:
        kinds = theirs.families & mine.families
        return (
            bool(kinds)
            and theirs.kinds != mine.kinds
            and not mine.proper - {k for _, k in mine.kinds}
        )
    shared = theirs.about & mine.about
    told = mine.topics & theirs.topics or len(shared) >= 2
    if not told or not (mine.about <= theirs.about):
        return False
    if _comparable(theirs, mine):
        return {str(q) for q in theirs.quantities} != {str(q) for q in mine.quantities}
    if theirs.families & mine.families:
        return theirs.kinds != mine.kinds
    named = bool(mine.proper) and bool(theirs.proper) and theirs.proper != mine.proper
    return named and theirs.about == mine.about


def _comparable(theirs: Topic, mine: Topic) -> bool:
    """Whether numbers of both measure the same; a bare number measures anything but a date."""
    a, b = ({q.kind for q in t.quantities} for t in (theirs, mine))
    if a & b:
        return True
    bare = {"number", "money", "count", "size", "time", "length", "share"}
    return bool(a and b) and ("number" in a | b) and a <= bare and b <= bare


def _leans(old: Decision, theirs: Topic, new: Decision, mine: Topic) -> bool:
    """Whether an utterance that says little leans on this earlier one."""
    if old.because == "answer" and not old.accepted:
        return False
    if new.polarity < 0 and mine.marks & {"revoking", "withdraw"}:
        # "Scratch that", "ignore the earlier instruction": the last thing said before.
        return 0 < new.turn - old.turn <= _NEAR and not mine.kinds and len(mine.names) <= 1
    if mine.quantities and not mine.names:
        return _comparable(theirs, mine) and mine.topics <= theirs.topics
    if mine.families:
        apart = mine.about and theirs.about and not mine.about & theirs.about
        return bool(mine.families & theirs.families) and mine.kinds != theirs.kinds and not apart
    empty = bool(theirs.families) and not mine.names | mine.proper
    elsewhere = "naming" in mine.marks and not mine.about & theirs.about
    if empty or elsewhere:
        return False
    near = new.turn - old.turn <= _NEAR and old.turn < new.turn
    replaces = "replacing" in mine.marks
    most = 10 if replaces else 3
    apart = bool(mine.topics) and not (replaces and not theirs.topics)
    return near and not apart and {old.kind, new.kind} <= _ELLIPSES and len(mine.names) <= most
