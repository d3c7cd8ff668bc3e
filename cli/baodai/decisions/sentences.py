"""Sentences a human typed, as they stand in the text; pasted matter, quotes and roles are no one's.

Owns what is a sentence and what is not the user's own: labelled turns of an example dialogue,
headings, block quotes, whole quotations, printed lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from baodai.decisions.pasted import ends_of, looks_printed, spans

_END = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z\"“'(`\d*-])|(?<=[.!?][\"'”)])\s+(?=[A-Z\"“'(`\d*-])|(?<=[?!])\s+"
    r"|(?<=[。！？；])(?![”』」）。！？])|(?<=[。！？；][”』」）])|\n+|(?<=;)\s+"
    r"|(?<=[a-z)`])\. (?=[a-z])"
)
_ITEM = re.compile(r"^\s*(?:(?:[-*•+]|\d{1,2}[.)、．]|\(?[a-z]\)|\[[ x]\])\s+|\d{1,2}、|[•·])+")
_ANSWER = re.compile(r"^\s*(?:[-*•]\s+)?")
_EMPHASIS = re.compile(r"^(?:\*\*|__)(?P<in>.*?)(?:\*\*|__)")
_QUOTED = re.compile(r"^\s*[\"“「『'‘].*[\"”」』'’][.。!！]?\s*$", re.DOTALL)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_ROLE = re.compile(
    r"^[ \t]*(?:\*\*)?(?P<role>user|human|assistant|system|ai|bot|model|customer|agent|q|a|question|answer|用户|助手|系统|客服|问|答)"
    r"(?:\*\*)?[ \t]?[:：](?:\*\*)?(?=\s|\S)",
    re.MULTILINE | re.IGNORECASE,
)
_OTHERS = frozenset({"assistant", "system", "ai", "bot", "model", "agent", "助手", "系统", "客服"})
_MOST = 600


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, verbatim. `formal`: it stands below a heading, in a document."""

    text: str
    formal: bool = False


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences that were typed, stripped; each is a part of the text, verbatim."""
    shown = ends_of(text)
    formal = False
    for span in spans(shown):
        if span.pasted:
            continue
        part = shown[span.start : span.end]
        for raw in _END.split(_without_roles(part) if ":" in part or "：" in part else part):
            if _HEADING.match(raw):
                formal = True
                continue
            said = _ITEM.sub("", raw).strip()
            if said and not _QUOTED.match(said) and not looks_printed(said):
                yield Sentence(said[:_MOST], formal)


def _without_roles(text: str) -> str:
    """The text without an example dialogue: turns labelled with roles, from the first to the last.

    One label alone is a manner of writing ("User: …"), unless it names who is not the user.
    """
    labels = list(_ROLE.finditer(text))
    roles = {m.group("role").lower() for m in labels}
    if not labels or (len(roles) < 2 and not roles & _OTHERS and len(labels) < 2):
        return text if not labels else _ROLE.sub("", text)
    end = text.find("\n\n", labels[-1].end())
    return text[: labels[0].start()] + "\n" + (text[end:] if end >= 0 else "")
