"""Exact counters of `o200k_base` and `cl100k_base`: tiktoken as reference, splintr where installed.

Owns the choice of the engine and the guards that make all engines give the same number. What it
never does: download anything, or treat special-token text in content as anything but plain text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Protocol

from baodai.tokens._cuts import PIECE, pieces
from baodai.tokens._vocabulary import VocabularyMissingError, reference
from baodai.tokens.estimate import Estimator

ENCODINGS = ("o200k_base", "cl100k_base")


class TokenCounter(Protocol):
    """Counts the tokens of a text. `exact`: it counts as the named tokenizer does."""

    @property
    def name(self) -> str:
        """The tokenizer's name, the same whatever engine runs."""
        ...

    @property
    def exact(self) -> bool:
        """Whether a count is the tokenizer's own."""
        ...

    def count(self, text: str) -> int:
        """Tokens of `text`, special-token text counted as plain text. Never raises."""
        ...


class ExactCounter:
    """Counts as an encoding does. `engine` says what runs ("splintr" or "tiktoken")."""

    exact = True

    def __init__(self, name: str, engine: str, count: Callable[[str], int]) -> None:
        self.name = name
        self.engine = engine
        self._count = count

    def count(self, text: str) -> int:
        """Tokens of `text`; a text above `PIECE` characters is counted in pieces."""
        if len(text) > PIECE:
            whole = _whole(text) if _HALF.search(text) else text
            return sum(map(self._count, pieces(whole)))
        try:
            return self._count(text)
        except UnicodeEncodeError:
            return self._count(_whole(text))


_HALF = re.compile("[\ud800-\udfff]")


def _whole(text: str) -> str:
    """Half surrogates replaced as tiktoken does it, so that all engines see the same text."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@cache
def counter_for(encoding: str, *, fast: bool = True) -> TokenCounter:
    """The counter of an encoding: splintr after a self-test, else tiktoken, else an estimate.

    `fast=False` asks for the reference. Kept for the life of the process: loading takes 0.1 s with
    splintr and 0.3 s with tiktoken.
    """
    count = _splintr(encoding) if fast else None
    if count is not None:
        return ExactCounter(encoding, "splintr", count)
    try:
        return ExactCounter(encoding, "tiktoken", _tiktoken(encoding))
    except VocabularyMissingError as error:
        return Estimator(str(error))


def _tiktoken(encoding: str) -> Callable[[str], int]:
    encode = reference(encoding).encode_ordinary
    return lambda text: len(encode(text))


_SELF_TEST: tuple[tuple[str, int, int], ...] = (
    ("hello world", 2, 2),
    ("<|endoftext|> <|im_start|>user<|im_end|>", 20, 19),
    ("  indented\n\n\n\tcode()  \n", 7, 7),
    ("It's WE'LL don'T I'm", 7, 9),
    ("camelCaseHTTPServer2 x1234567890", 10, 10),
    ("用户要求修复登录模块的错误，然后重新运行全部测试。", 14, 20),
    ("これはテスト。한국어 문장", 8, 11),
    ("naïve Ünïcödé — “quotes”…", 11, 15),
    ("\U0001f680\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\u2705", 14, 23),
    ("e\u0301\u0302a\u200d\xa0\u3000x", 8, 10),
    ('{"path": "src/a_b.py", "n": [1, 2.50, null]}\r\n', 23, 23),
    ("//////=====-----*****     \t\t\t\n\n \n", 8, 8),
    ("\u01c4 \u01c5 \u02bcn \u1fb3 \u2177 \xb2 \u0663\u0664\u0665\u0666 \u0488", 23, 29),
    ("\x00\x1b[31mred\x1b[0m", 10, 8),
)
"""Text, tokens in o200k_base, tokens in cl100k_base; counted with tiktoken 0.14."""


def _splintr(encoding: str) -> Callable[[str], int] | None:
    """The counting function of splintr with its guards; `None` where absent or not trustworthy."""
    try:
        import splintr  # noqa: PLC0415  # an extra

        tokenizer = splintr.Tokenizer.from_pretrained(encoding)
        if not all(name.startswith("<|") for name in tokenizer.special_tokens()):
            return None
    except Exception:  # noqa: BLE001  # another release may fail in any way: the reference counts
        return None
    # The flat call (four bytes for each id) is a tenth faster than a list of them; but it reads
    # special-token text as one token, so text that could hold any goes the other way.
    flat, plain = tokenizer.encode_flat, tokenizer.encode_ordinary
    slow: list[Callable[[str], int]] = []

    def count(text: str) -> int:
        # The long s folds to "s" in a contraction's pattern; splintr's o200k does not see that.
        if "\u017f" in text:
            if not slow:
                slow.append(_reference_or(encoding, lambda rest: len(plain(rest))))
            return slow[0](text)
        return len(plain(text)) if "<|" in text else len(flat(text)) // 4

    column = ENCODINGS.index(encoding)
    good = all(count(text) == (o200k, cl100k)[column] for text, o200k, cl100k in _SELF_TEST)
    return count if good else None


def _reference_or(encoding: str, other: Callable[[str], int]) -> Callable[[str], int]:
    try:
        return _tiktoken(encoding)
    except VocabularyMissingError:
        return other
