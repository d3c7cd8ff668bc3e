"""Recognises our own summary in the place where a format carries it.

Its first line names the turns it covers and a checksum of what follows; text that merely looks like
it (a user's, a page's) does not stand in a carrier, or its checksum is wrong.
"""

from __future__ import annotations

import re
from hashlib import blake2b

_HEAD = re.compile(
    r"<!-- baodai:summary v1 turns=(?P<first>\d+)-(?P<last>\d+) lang=[a-z]+ ref=bd:[0-9a-f]{8} "
    r"sum=(?P<sum>[0-9a-f]{8}) -->\n"
)


def summary_range(text: str) -> tuple[int, int] | None:
    """First and last turn that a summary of ours covers; `None` where the text is none."""
    head = _HEAD.match(text)
    if head is None:
        return None
    body = text[head.end() :].encode("utf-8", "replace")
    if blake2b(body, digest_size=4).hexdigest() != head.group("sum"):
        return None
    return int(head.group("first")), int(head.group("last"))
