"""Digest of searches: the query, how many hits, the first ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import distinct, failures, one_line, said, size_of
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, arguments_of, target_of

_COUNT = re.compile(r"\b(?:Found|found) (\d[\d,]*) \w+|共?找到 ?(\d+)")
_TITLE = re.compile(
    r"^(?:\d+[.)]\s*|title[\"']?\s*:\s*[\"']?|#+\s*|-\s*\[)(?P<title>.{5,160})",
    re.IGNORECASE | re.MULTILINE,
)
_NONE = re.compile(r"^\s*(?:No (?:matches|files|results) found|未找到)", re.IGNORECASE)
_TOP = 5


@dataclass(frozen=True, slots=True)
class SearchDigest:
    """Reads greps, globs, listings and web searches."""

    name: str = "search"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a search."""
        text = result.text
        lines = list(said(text[:50_000]))
        nothing = not lines or _NONE.match(text) is not None
        titles = [m.group("title").strip(" \"',") for m in _TITLE.finditer(text[:50_000])]
        hits = titles if len(titles) >= 2 else lines
        count = _COUNT.search(text[:500])
        number = next((g for g in count.groups() if g), "") if count else f"{len(hits):,}"
        found = ("no hits",) if nothing else (f"{number} hits", *(one_line(h, 120) for h in hits))
        return Outcome(
            kind="search",
            tool=call.name if call is not None else result.name,
            action="searched",
            target=_query(call),
            status=Status.FAILED if result.is_error else Status.OK,
            conclusions=distinct(found, _TOP + 1),
            errors=failures(text, 1) if result.is_error else (),
            size=size_of(result),
        )


def _query(call: ToolCall | None) -> str:
    if call is None:
        return ""
    query = target_of(call, Kind.SEARCH)
    path = arguments_of(call).get("path")
    return f"{query} in {path}" if isinstance(path, str) and path and path != query else query


DIGEST = SearchDigest()
