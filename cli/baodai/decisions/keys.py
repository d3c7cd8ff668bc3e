"""The keys of a statement: stems, Han bigrams, canonical numbers, identifiers."""

from __future__ import annotations

import re
from functools import cache

from baodai.decisions.values import values_of

_WORD = re.compile(r"[A-Za-z][A-Za-z'+#.-]*[A-Za-z+#]|[A-Za-z]")
_HAN_RUN = re.compile(r"[㐀-鿿]{2,}")
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "and",
        "or",
        "but",
        "is",
        "are",
        "be",
        "was",
        "were",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "we",
        "you",
        "i",
        "me",
        "my",
        "our",
        "your",
        "please",
        "let",
        "lets",
        "us",
        "with",
        "as",
        "by",
        "from",
        "so",
        "do",
        "does",
        "not",
        "no",
        "don",
        "never",
        "must",
        "should",
        "have",
        "has",
        "need",
        "use",
        "using",
        "will",
        "would",
        "can",
        "could",
        "just",
        "also",
        "then",
        "now",
        "actually",
        "instead",
        "make",
        "sure",
        "always",
        "all",
        "any",
        "only",
        "keep",
        "want",
        "go",
        "there",
        "here",
        "they",
        "them",
        "he",
        "she",
        "if",
        "when",
        "than",
        "rather",
        "switch",
    ]
)
_STOP_HAN = frozenset(
    [
        "不要",
        "必须",
        "一定",
        "需要",
        "使用",
        "我们",
        "你们",
        "这个",
        "那个",
        "可以",
        "就用",
        "请用",
        "改用",
        "改成",
        "换成",
        "还是",
        "应该",
    ]
)


@cache
def _stem(word: str) -> str:
    import snowballstemmer  # noqa: PLC0415 - loaded when a text is first judged

    return str(snowballstemmer.stemmer("english").stemWord(word))[:4]


def keys_of(text: str) -> frozenset[str]:
    """What a statement is about, without the words that every statement has."""
    words = {_stem(w) for w in (m.lower() for m in _WORD.findall(text)) if w not in _STOP}
    runs = _HAN_RUN.findall(text)
    pairs = {run[i : i + 2] for run in runs for i in range(len(run) - 1)} - _STOP_HAN
    return frozenset(words | pairs | set(values_of(text)))
