"""The short content hash that a marker shows, and how it is written.

`bd:3f9c2a10` is looked up in the ledger by `baodai expand`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

REF = re.compile(r"bd:[0-9a-f]{8}")


def ref_of(text: str) -> str:
    """The reference of a text: `bd:` and eight hex digits of its hash."""
    return "bd:" + blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def ref_of_all(refs: Iterable[str]) -> str:
    """The reference of a range: the hash of the references in it."""
    return ref_of("\n".join(refs))
