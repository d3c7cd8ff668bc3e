"""Decides of one sentence whether it decides anything, and what: a short chain of judgements.

In this order, each with its words in the lexicon:

1. ignored: the user's own patterns say so; sarcasm; what is said in passing is taken out (idioms).
2. The sentence is cut into parts ("…, but …"), each judged for itself.
3. reported: another's words, unless the user takes them over ("…, so do that").
4. past: a story about then.
5. hypothetical: not decided.
6. question: unless it is a polite order, or names what the thing wanted must be.
7. conditional: what follows from a condition counts, not the condition.
8. Clauses are read for cues, explicit ones first; a verb that opens a clause is an order. A clause
   that tells what is ("the test only fails on CI") or asks for words ("explain …") is passed over.
9. contrast: "A, not B" asks for A and rules out B.

Quotes and code in a sentence are masked before: a cue counts only where it stands outside of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from baodai.decisions import Kind
from baodai.decisions.lexicon import Cue, Lexicon, Look

_MASKED = re.compile(
    r"`[^`\n]*`|[“「『][^”」』\n]*[”」』]|(?<![A-Za-z0-9])\"[^\"\n]*\"|(?<![\w])['‘](?=\S)[^'’\n]{3,}['’](?!\w)"
)
_MIX = re.compile(r"(?<=[㐀-鿿])(?=[A-Za-z\d`□])|(?<=[A-Za-z\d%`□])(?=[㐀-鿿])")
_ASKING = re.compile(r"(?:[?？]|(?:吗|呢|嘛|么)[。.！!~～]*)[\"”」』)）\s]*$")
_CONTRAST = re.compile(r"(?:and )?not\b(?! \w+ing\b)|而?不是", re.IGNORECASE)
_COMMA = re.compile(r"[,，]")
_FRAGMENT = 5
_FILLERS = 7
_EXPLICIT = frozenset(
    {"prohibition", "obligation", "limit", "preference", "negation that asks for it"}
)
"""Cues that count in a document below headings, which is full of orders to no one."""

MASK = "□"
_FIRST_SIGN = 0xE000
_SIGNED = re.compile(f"{MASK}(.)")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a sentence decides.

    `because` names the cue; `part` is the text it was found in, masked (`kept`: what is behind the
    masks), `whole` the part of the sentence with all its clauses; `start` and `end` are where the cue stands in it.
    """

    kind: Kind
    tier: int
    sign: int
    because: str
    part: str
    start: int = 0
    end: int = 0
    kept: tuple[str, ...] = ()
    whole: str = ""


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges sentences by a lexicon."""

    words: Lexicon

    def ruling(self, sentence: str, *, formal: bool = False) -> Ruling | None:
        """What the sentence decides; `None` where it decides nothing."""
        text, kept = folded(sentence)
        look = self.words.look(text)
        if look.find("ignore", text) or look.find("sarcasm", text):
            return None
        text = look.without("idiom", text)
        parts = [p for p in self.words.segment.split(text) if p and p.strip(" ,，.。!！?？")]
        best: Ruling | None = None
        for i, part in enumerate(parts):
            found = self._part(part.strip(), parts[i + 1 :], look)
            if found is not None and formal and found.because not in _EXPLICIT:
                continue
            if found is not None and (best is None or found.tier > best.tier):
                best = replace(found, whole=part)
        return None if best is None else replace(best, kept=kept)

    def points(self, sentence: str) -> bool:
        """Whether the sentence means what stands before it: "let's not do that"."""
        return self.words.look(sentence).find("pointing", sentence) is not None

    def _part(self, part: str, later: Sequence[str], look: Look) -> Ruling | None:
        part = look.without("adopting", part).strip()
        reported = look.find("reported", part)
        if reported is not None:
            return self._adopted(part, reported, later, look)
        if look.find("past", part) or look.find("hypothetical", part):
            return None
        if self._asks(part, look) and not self._polite(part, look):
            return self._wanted(part, look)
        return self._read(part, look) or self._wanted(part, look)

    def _adopted(
        self, part: str, reported: re.Match[str], later: Sequence[str], look: Look
    ) -> Ruling | None:
        """Another's words, where the user takes them over."""
        rest = part[reported.end() :]
        own = _COMMA.split(rest, maxsplit=1)[1:]
        taken = [p for p in (*own, *later) if look.find("adopted", p.strip(" ,，"))]
        if not taken:
            return None
        found = self._read(rest, look)
        if found is not None:
            return replace(found, because="adopted report")
        negative = look.find("prohibition", rest.strip()) is not None
        kind = Kind.CONSTRAINT if negative else Kind.REQUIREMENT
        return Ruling(kind, 2, -1 if negative else 1, "adopted report", rest, 0, 0)

    def _asks(self, part: str, look: Look) -> bool:
        """A question by its end; by its form only where it is one clause."""
        if _ASKING.search(part):
            return True
        return look.find("question", part) is not None and not self.words.clause.search(part)

    def _polite(self, part: str, look: Look) -> bool:
        return look.find("polite", part) is not None and look.find("telling", part) is None

    def _wanted(self, part: str, look: Look) -> Ruling | None:
        """A question that names what the thing wanted must be."""
        found = look.find("wanted", part)
        if found is None or look.find("condition", part):
            return None
        return Ruling(Kind.REQUIREMENT, 1, 1, "wanted quality", part, found.start(), found.end())

    def _read(self, part: str, look: Look) -> Ruling | None:
        """The cue of a part: on the whole, then clause by clause."""
        opened = look.find("opening", part)
        rest = part[opened.end() :] if opened is not None else part
        clauses = [c.strip() for c in self.words.clause.split(rest) if c and c.strip()]
        if len(clauses) > 1 and look.find("condition", clauses[0]):
            return self._consequence(clauses[1:], look)
        found = self._whole(rest, look) or self._best(clauses, look)
        if opened is None:
            return found
        if found is None:
            if look.find("revoking", part):
                return Ruling(Kind.CORRECTION, 2, -1, "withdrawal", part, 0, len(part))
            short = len(rest.split()) <= _FRAGMENT and len(rest) <= 24 and rest.strip(" .。!！")
            if not short or look.find("statement", rest):
                return None
            return Ruling(Kind.CORRECTION, 2, 1, "correction", rest)
        return replace(found, kind=Kind.CORRECTION, tier=2)

    def _consequence(self, clauses: Sequence[str], look: Look) -> Ruling | None:
        """What follows from a condition: a rule."""
        found = self._whole(", ".join(clauses), look) or self._best(clauses, look, alone=True)
        if found is None:
            return None
        return replace(found, kind=Kind.CONSTRAINT, tier=2, because="conditional rule")

    def _whole(self, part: str, look: Look) -> Ruling | None:
        for cue in self.words.cues:
            found = look.find(cue.name, part) if cue.whole else None
            if found is not None and not self._passes(part, cue, look):
                return self._signed(_ruled(cue, part, found), look)
        return None

    def _signed(self, found: Ruling, look: Look) -> Ruling:
        """A correction that only forbids: "no, don't do that"."""
        if found.because == "correction" and look.find("prohibition", found.part[: found.start]):
            rest = found.part[found.end :]
            if not look.find("choice", rest) and not look.find("correction", rest):
                return replace(found, sign=-1)
        return found

    def _best(self, clauses: Sequence[str], look: Look, *, alone: bool = False) -> Ruling | None:
        best: Ruling | None = None
        for clause in clauses:
            if best is not None and _CONTRAST.match(clause):
                continue  # "…, not to the readme": what the clause before rules out
            found = self._clause(clause, look, alone=alone)
            if found is not None and (best is None or found.tier > best.tier):
                best = found
        return best

    def _clause(self, clause: str, look: Look, *, alone: bool = False) -> Ruling | None:
        """The first cue that fits, with and without the words that open a clause."""
        if look.find("telling", clause) or (not alone and look.find("idle", clause)):
            return None
        if look.find("question", clause) and not look.find("polite", clause):
            return None
        forms = self._forms(clause)
        order: Ruling | None = None
        for cue in self.words.cues:
            if self._passes(clause, cue, look):
                continue
            for form in forms:
                found = look.find(cue.name, form)
                if found is not None:
                    return _ruled(cue, form, found)
            verb = self._verb(forms, alone=alone) if cue.imperative else None
            if verb is not None:
                order = Ruling(cue.kind, cue.tier, cue.sign, cue.name, verb[0], 0, verb[1])
        return order

    def _passes(self, clause: str, cue: Cue, look: Look) -> bool:
        """Whether a clause only tells what is: softer cues do not count in it."""
        if cue.name in {"prohibition", "permission", "negation that asks for it", "withdrawal"}:
            return False
        if cue.name == "choice" and look.find("deciding", clause):
            return False
        return look.find("statement", clause) is not None

    def _forms(self, clause: str) -> list[str]:
        forms = [clause]
        for _ in range(_FILLERS):
            form = forms[-1]
            found = next((m for f in self.words.fillers if (m := f.match(form))), None)
            if found is None or found.end() == 0 or found.end() >= len(form.rstrip(" .。!！")):
                break
            forms.append(form[found.end() :])
        return forms

    def _verb(self, forms: Sequence[str], *, alone: bool) -> tuple[str, int] | None:
        """The form that a verb opens, and where the verb ends; `alone`: it may be all there is."""
        for form in forms:
            first = re.match(r"[A-Za-z][A-Za-z-]*", form)
            end = first.end() if first and first.group().lower() in self.words.verbs else 0
            if not end and form and not form[0].isascii():
                end = next((n for n in (4, 3, 2, 1) if form[:n] in self.words.verbs), 0)
            if (
                end
                and (alone or len(form.strip(" .。!！")) > end)
                and not self.words.nouns.match(form[end:].lstrip())
            ):
                return form, end
        return None


def _ruled(cue: Cue, part: str, found: re.Match[str]) -> Ruling:
    return Ruling(cue.kind, cue.tier, cue.sign, cue.name, part, found.start(), found.end())


def folded(sentence: str) -> tuple[str, tuple[str, ...]]:
    """The sentence as it is judged, and what is masked in it (quotes, code).

    One kind of apostrophe, mixed scripts apart. A mask is `MASK` and a sign that tells which.
    """
    kept: list[str] = []

    def mask(found: re.Match[str]) -> str:
        kept.append(found.group())
        return f"{MASK}{chr(_FIRST_SIGN + len(kept) - 1)}"

    text = _MASKED.sub(mask, sentence.replace("’", "'") if "’" in sentence else sentence)
    return (text if text.isascii() else _MIX.sub(" ", text)), tuple(kept)


def unfolded(text: str, kept: Sequence[str]) -> str:
    """The text with what was masked in its place, without its quote signs."""
    return _SIGNED.sub(
        lambda m: kept[ord(m.group(1)) - _FIRST_SIGN].strip("`\"'“”「」『』‘’"), text
    )
