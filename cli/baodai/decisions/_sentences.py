"""Sentences of a human's text, as they stand in it; quotes and code are no one's decision."""

from __future__ import annotations

import re
from collections.abc import Iterator

from baodai.decisions.pasted import ends_of, looks_printed, spans

_END = re.compile(
    r"(?<=[.!?])[\"'”)]*\s+(?=[A-Z\"“'(`\d-])|(?<=[。！？；])[”』」]*|\n+|(?<=;)\s+|(?<=[a-z])\. (?=[a-z])"
)
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)、]|\(?[a-z]\))\s*")
_QUOTED = re.compile(r"^\s*[\"“「『'].*[\"”」』']\s*$", re.DOTALL)
_MOST = 600


def sentences(text: str) -> Iterator[str]:
    """The sentences that were typed, stripped; each is a part of the text, verbatim."""
    shown = ends_of(text)
    for span in spans(shown):
        if span.pasted:
            continue
        for part in _END.split(shown[span.start : span.end]):
            said = _ITEM.sub("", part).strip()
            if said and not _QUOTED.match(said) and not looks_printed(said):
                yield said[:_MOST]
