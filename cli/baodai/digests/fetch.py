"""Digest of fetched pages: the address, the title, how the page opens. A page's words are data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line, said, size_of
from baodai.model import ToolCall, ToolResult
from baodai.tools import Kind, target_of

_TITLE = re.compile(
    r"<title>([^<]{1,300})</title>|^#[ \t]+([^\n]+)$|^title:[ \t]*([^\n]+)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class FetchDigest:
    """Reads fetches and browsers."""

    name: str = "fetch"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """The outcome of a fetch; what the page says is quoted as the page's."""
        text = result.text
        title = _TITLE.search(text[:20_000])
        name = one_line(next(g for g in title.groups() if g), 120) if title else ""
        opening = next((line for line in said(text[:5_000]) if line.lstrip("# ") != name), "")
        told = [f"title: {name}"] if name else []
        told.append(f"the page says: “{one_line(opening, 200)}”" if opening else "empty page")
        return Outcome(
            kind="fetch",
            tool=call.name if call is not None else result.name,
            action="fetched",
            target=target_of(call, Kind.FETCH) if call is not None else "",
            status=Status.FAILED if result.is_error else Status.OK,
            conclusions=tuple(told),
            size=size_of(result),
        )


DIGEST = FetchDigest()
