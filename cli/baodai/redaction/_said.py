"""Secrets that a word before them betrays: assignments, options, prose in English and Chinese.

After `password` nearly everything is one; after `token` or `key` only what looks random, since
code and documents are full of keys and tokens that are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from baodai.redaction._haystack import Haystack, Span

_PASSWORDS = ("passw", "passphrase", "pass phrase", "passcode", "_pass", "pwd", "密码", "口令")
_TOKENS = ("token", "secret", "key", "bearer", "authoriz", "密钥", "令牌")
_ANY = re.compile("|".join(w for w in (*_PASSWORDS, *_TOKENS) if w.isascii()).encode())
_SHORT = 1_000  # characters up to which one pattern is faster than a search for each word
_LONGEST = 500  # characters of a quoted value

# What may stand between the word and the value. The quotes may be escaped, as in JSON strings.
_TAIL = re.compile(
    r"(?P<word>[A-Za-z0-9_-]{0,40})"
    r"(?:\\{0,4}[\"'`\])]){0,3}"
    r"(?:"
    r"[ \t]{0,4}(?P<sign>:=|=>|={1,3}|!==?|[:：＝])[ \t]{0,8}"
    r"|(?:[ ]for[ ][^\n:=.]{1,40}?)?[ ](?P<is>is|was)(?:[ ]now)?:?[ ]"
    r"|[ ]?(?P<shi>是|为|改成|改为|设为|设成)[ :：]{0,2}"
    r"|(?P<gap>[ ]|=[ ]?)"
    r")"
    r"(?:[bruf@]{0,2}(?P<open>\\{0,4}[\"'`“「『]))?"
)
_BARE = re.compile(r"[^\s\"'`\\，。；、！？<>&|]{1,200}")
_WORDS = re.compile(r"[A-Za-z'-]+(?: [A-Za-z'-]+){0,7}")
_CLOSING = {"“": "”", "「": "」", "『": "』"}
_QUALIFIED = re.compile(
    rb"(?:api|access|auth|secret|client|account|service|encryption|signing|master|database|db"
    rb"|storage|subscription|license|private|priv|ssh|session|shared)[ _-]?$"
)
# `token_count`, `secret_name`, `key_path` say something about a secret, not the secret.
_ABOUT = re.compile(
    r".*(?:name|id|ref|path|file|type|url|uri|count|limit|size|len|length|field|header|policy"
    r"|label|hint|version|algorithm|ttl|usage|izer|ized|izing|board|hash|reset|rules?|min|max)s?",
    re.IGNORECASE,
)
_MARK = re.compile(r"\[[^\[\]\n]{2,30}(?: hidden|已隐藏)\]")
_PLACEHOLDER = re.compile(
    r"[$<{%].*|\*+|[xX.•]+|-+|(?:none|null|nil|true|false|undefined|str|string|bytes|text|any"
    r"|number|int|bool|boolean|object|optional|required|password|passwd|token|secret|changeme"
    r"|wrong|incorrect|invalid|missing|empty|unset|set|not|too|the|an?|in|on|at|only|stored|hashed"
    r"|encrypted|needed|never|still|being|now|ok|okay|fine|right|correct|same|different|unknown"
    r"|what|where|when|how|why|it|this|that|my|your|our|used|sent|asked|shown|hidden|safe|weak)",
    re.IGNORECASE,
)
# Words that judge a pass phrase where they stand alone, and begin one where others follow.
_FIRST_OF_SEVERAL = re.compile(
    r"correct|right|safe|weak|same|fine|hidden|any|number", re.IGNORECASE
)
_SENTENCE = re.compile(
    r"[A-Z].*\s.*[.!?…:]|.*\b(?:must|should|is|are|was|your|the|at least|enter|required|invalid"
    r"|cannot|can't|please|or|and)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_CODE = re.compile(r"[^(\[]*[(\[{].*|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+", re.DOTALL)
_PLACE = re.compile(r"[/~]|\.{1,2}/|[A-Za-z]:[\\/]|https?:")  # PWD is a folder in a shell
_RANDOM = re.compile(
    r"(?=\D*\d\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9+/_.=~:%-]{12,}"
    r"|(?=\D*\d)(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/_=-]{20,}"
)
_ALONE = re.compile(r"[ .!)。]{0,3}(?:\n|\r|\\[nr]|\Z)")
_LETTERS = re.compile(r"[A-Za-z_-]+")
_STRONG_ZH = re.compile(r"[!-~]*[A-Za-z0-9][!-~]{3,}.*|.*[A-Za-z0-9]{4,}.*|[!-~]{3,}[A-Za-z0-9].*")


@dataclass(frozen=True, slots=True)
class _Saying:
    """A word for a secret, and what follows it."""

    tail: re.Match[str]
    start: int
    end: int
    value: str
    quoted: bool
    loud: bool  # as in the environment: PASSWORD=value, no blanks

    @property
    def prose(self) -> bool:
        """Whether a verb leads to the value."""
        return bool(self.tail["is"] or self.tail["shi"])


def said(haystack: Haystack) -> Iterator[Span]:
    """The secrets of a text that are named by the word before them."""
    text = haystack.text
    if len(text) <= _SHORT and text.isascii() and _ANY.search(haystack.bytes) is None:
        return
    for word in _PASSWORDS:
        for place in haystack.places(word):
            yield from _password(text, place, word)
    for word in _TOKENS:
        for place in haystack.places(word):
            yield from _token(haystack, place, word)


def _password(text: str, start: int, word: str) -> Iterator[Span]:
    saying = _saying(text, start, start + len(word))
    if saying is None or (saying.tail["gap"] and not text.startswith("--", max(0, start - 2))):
        return
    if "phrase" in word and saying.prose and not saying.quoted:
        yield from _phrase(text, saying)
    elif _is_password(text, saying):
        yield saying.start, saying.end, "password"


def _token(haystack: Haystack, start: int, word: str) -> Iterator[Span]:
    if word == "key" and not _QUALIFIED.search(haystack.bytes, max(0, start - 16), start):
        return
    saying = _saying(haystack.text, start, start + len(word))
    if saying is None or (saying.tail["gap"] and word not in ("bearer", "authoriz")):
        return
    if _RANDOM.fullmatch(saying.value) and (saying.quoted or not _CODE.fullmatch(saying.value)):
        yield saying.start, saying.end, "secret"


def _saying(text: str, start: int, end: int) -> _Saying | None:
    """What is said after a word for a secret; `None` where nothing is, or it is hidden already."""
    tail = _TAIL.match(text, end)
    if tail is None or _ABOUT.fullmatch(tail["word"]):
        return None
    begin = tail.end()
    quote = tail["open"]
    stop = _closing(text, begin, quote) if quote else -1
    if stop < 0:
        bare = _BARE.match(text, begin)
        if bare is None:
            return None
        stop = begin + len(bare[0].rstrip(",;:.)}]"))
    value = text[begin:stop]
    if not value or _MARK.match(value):
        return None
    loud = tail["sign"] == "=" and text[start:end].isupper() and " " not in tail[0].strip()
    return _Saying(tail, begin, stop, value, bool(quote), loud)


def _closing(text: str, begin: int, quote: str) -> int:
    """Where the quoted value ends: before the same quote, equally escaped, on the same line."""
    mark = quote[:-1] + _CLOSING.get(quote[-1], quote[-1])
    stop = text.find(mark, begin, begin + _LONGEST)
    return -1 if stop < 0 or "\n" in text[begin:stop] else stop


def _is_password(text: str, saying: _Saying) -> bool:
    """Whether what follows a word for a password is one."""
    value = saying.value
    if _PLACEHOLDER.fullmatch(value) or _PLACE.match(value):
        return False
    if saying.quoted:
        return saying.loud or " " not in value or _SENTENCE.fullmatch(value) is None
    if saying.tail["shi"] or not value.isascii():
        return _STRONG_ZH.fullmatch(value) is not None
    if len(value) < 4 or _CODE.fullmatch(value):
        return False
    # One plain word: a password where it is all there is, the beginning of a sentence elsewhere.
    alone = _ALONE.match(text, saying.end) is not None
    return saying.loud or alone or _LETTERS.fullmatch(value) is None


def _phrase(text: str, saying: _Saying) -> Iterator[Span]:
    """A pass phrase said in prose: words up to the end of the clause, eight at most."""
    words = _WORDS.match(text, saying.start)
    spoken = words[0].count(" ") + 1 if words else 1
    if _PLACEHOLDER.fullmatch(saying.value) and not (
        spoken >= 3 and _FIRST_OF_SEVERAL.fullmatch(saying.value)
    ):
        return
    yield saying.start, max(saying.end, words.end() if words else 0), "password"
