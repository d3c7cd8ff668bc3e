"""The first line of a summary of ours: which turns it covers, and a checksum of what follows.

Written by `summarizers.document`, looked for by the codecs in the place where their format carries
a summary. Text that merely looks like one (a user's, a page's) does not stand there, or its
checksum is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from baodai.model import Measure

OPENS = "<!-- baodai:summary "
"""How a heading begins."""

_HEAD = re.compile(
    OPENS + r"v1 turns=(?P<first>\d+)-(?P<last>\d+) lang=(?P<lang>[a-z]+) "
    r"ref=(?P<ref>bd:[0-9a-f]{8})"
    r"(?: measure=(?P<measure>[\de.+-]+/\d+/[\de.+-]+/[01]))? "
    r"sum=(?P<sum>[0-9a-f]{8}) -->\n"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What a heading says: first and last turn, language, reference of what was folded.

    `measure` is how the conversation was measured when it was written, where usage told.
    """

    first: int
    last: int
    language: str
    ref: str
    measure: Measure | None = None


def headed(heading: Heading, body: str) -> str:
    """The body under its heading."""
    turns = f"turns={heading.first}-{heading.last}"
    about = f"{turns} lang={heading.language} ref={heading.ref}"
    if heading.measure is not None:
        about += f" measure={_written(heading.measure)}"
    return f"{OPENS}v1 {about} sum={_checksum(body)} -->\n{body}"


def read(text: str) -> tuple[Heading, str] | None:
    """Heading and body; `None` where the text has none of ours, or was touched since."""
    head = _HEAD.match(text)
    if head is None or _checksum(text[head.end() :]) != head.group("sum"):
        return None
    first, last = int(head.group("first")), int(head.group("last"))
    measure = _measure(head.group("measure"))
    about = Heading(first, last, head.group("lang"), head.group("ref"), measure)
    return about, text[head.end() :]


def _written(measure: Measure) -> str:
    return f"{measure.factor}/{measure.overhead}/{measure.error}/{int(measure.fitted)}"


def _measure(text: str | None) -> Measure | None:
    if text is None:
        return None
    factor, overhead, error, fitted = text.split("/")
    return Measure(float(factor), int(overhead), float(error), fitted == "1")


def measure_of(text: str) -> Measure | None:
    """How the conversation was measured when this summary of ours was written."""
    found = read(text)
    return None if found is None else found[0].measure


def summary_range(text: str) -> tuple[int, int] | None:
    """First and last turn that a summary of ours covers; `None` where the text is none."""
    found = read(text)
    return None if found is None else (found[0].first, found[0].last)


def _checksum(body: str) -> str:
    return blake2b(body.encode("utf-8", "replace"), digest_size=4).hexdigest()
