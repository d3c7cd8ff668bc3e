"""Short answers: "B.", "yes, do that", "1-3", 「第二个，就这样」, with the option or question they answer.

An answer counts only where the assistant offered something; thanks and "good" after a plain
statement settle nothing. Owns the reading of options and of a question tool's answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 120
_TAIL = 3_000
_MOST = 300
_OPTION = re.compile(
    r"(?:^|(?<=[:：;；,，。.?？]\s)|(?<=[:：；，。？]))\s*(?:[-*•]\s*)?(?:\*\*)?(?:option|choice|approach|方案|选项)?\s*[(（]?(?P<key>[A-Ha-h]|\d{1,2}|[一二三四五六])\s*"
    r"(?:[.):：、）]|\*\*\s*[:：—–-]|\s[—–-]\s)(?!\d)\s*(?:\*\*)?\s*(?P<text>[^\n]+)",
    re.MULTILINE | re.IGNORECASE,
)
_NEXT = re.compile(r"\s(?:[(（]?[B-Hb-h2-9][.):：、）])\s")
_KEY = r"(?:[A-H]|\d{1,2}|[一二三四五六])"
_ORDINALS = "first|second|third|fourth|last|former|latter"
_JOIN = r"(?:\s*(?:,|、|，|and|&|\+|/|和|与|or|或|-|–|to|到|至)\s*)"
_PICK = re.compile(
    rf"^(?:(?:yes|ok(?:ay)?|好的?|行|嗯)[,，]?\s*)?(?:(?:let'?s )?(?:go (?:with|for)|take|pick|choose|i(?:'d| would)? (?:prefer|take|pick|choose|go with|like)|allow|both|do|选择?|就?用|就|走|按|那就|我选)\s*)*"
    rf"(?:the\s+)?(?:options?|choices?|approach|number|no\.|方案|选项|第)?\s*[#(（]?(?P<keys>{_KEY}(?:{_JOIN}{_KEY})*|(?:{_ORDINALS})(?: (?:one|two|option))?|前者|后者|两个都要?|都要|全部|both|all(?: of (?:them|it))?|neither|none)[)）]?"
    r"(?:\s*(?:个|种|项|条|吧|来|方案|one|option|please|then|is (?:fine|good|best)))*(?:[.,，。:!！;；—-]+\s*(?P<rest>.*)|\s*)$",
    re.IGNORECASE | re.DOTALL,
)
_YES = re.compile(
    r"^\s*(?:(?:hmm+|oh|嗯|哦)[,，]?\s*)?(?P<yes>(?:yes|yep|yeah|yup|y|ok(?:ay)?|sure|agreed?|correct|right|exactly|perfect|great|absolutely|definitely|of course|go(?: ahead| for it)?|do (?:it|that|so|both|all)|that'?s (?:correct|right|fine|good)"
    r"|sounds good|looks (?:good|right|fine)|lgtm|proceed|continue|approved?|confirm(?:ed)?|please do|make it so|ship it|implement(?: it)?|no|nope|no thanks|don'?t|not now|skip(?: it)?"
    r"|好(?:的|吧|啊|呀)?|可以(?:的|啊)?|行(?:吧|啊)?|对(?:的)?|是(?:的|啊)?|嗯+|同意|没问题|确认|就这样(?:吧|做)?|就这么(?:办|做|定)|执行吧?|继续吧?|开始吧?|按你说的(?:来|做|办)?|需要|要(?:的)?|不用了?|不要|不需要|不行|先不用|不必了?)"
    r"(?:\s*(?:please|then|thanks|both|吧|了|谢谢))*)(?![A-Za-z0-9一-鿿])(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NO = re.compile(r"^(?:no|nope|don'?t|not|skip|neither|none|不|先不)", re.IGNORECASE)
_THANKS = re.compile(
    r"^[\s,，.。!！~～:)]*(?:(?:that|this|looks?|sounds?)\b[^.]*|thanks?[^.]*|thank you[^.]*|please|谢谢.*|多谢.*|感谢.*|辛苦.*)?[\s,，.。!！~～:)]*$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")
_OFFER = re.compile(
    r"\b(?:want|shall|should|would you|do you (?:want|prefer|like)|ok(?:ay)? (?:to|if|with)|proceed|prefer|which|ready|or\b|sounds?|looks? (?:right|good|ok)|make sense|does (?:this|that|the)|is (?:this|that) (?:ok|right|correct|fine|what)|can i|may i|let me know|go ahead|continue|agree|correct|approve|confirm|try)\b"
    r"|要不要|是否|需要(?:我|先|再)|可以吗|行吗|好吗|对吗|选|哪(?:个|一|种)|如何处理|怎么处理|还是|同意|确认|继续|我(?:来|先|可以|帮|就|直接|现在)|要.{0,30}吗|吗[？?]",
    re.IGNORECASE,
)
_FACT = re.compile(
    r"知道|记得|了解|认识|看过|听过|喜欢|remember|know about|have you (?:seen|heard)", re.IGNORECASE
)
_TOLD = re.compile(r"\"(?P<q>[^\"\n]{3,400}[?？]?)\"\s*=\s*\"(?P<a>[^\"]{1,600})\"")
_WORDS = {
    "一": "1", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6",
    "first": "1", "second": "2", "third": "3", "fourth": "4", "former": "1", "latter": "2",
    "前者": "1", "后者": "2",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: its words, what it accepts (or refuses: `sign` -1), and what is said behind it."""

    quote: str
    accepted: str
    sign: int = 1
    rest: str = ""


def told(text: str) -> Iterator[Answer]:
    """The answers of a question tool: `"question"="answer"`."""
    for found in _TOLD.finditer(text):
        yield Answer(found.group("a"), found.group("q").strip()[:_MOST])


def without_told(text: str) -> str:
    """The text without the answers of a question tool."""
    return _TOLD.sub(" ", text)


def answer(text: str, previous: str) -> Answer | None:
    """The answer that `text` gives to `previous`, the assistant's last words ("": not known)."""
    bare = text.strip()
    first = re.split(r"\n|(?<=[.。!！])\s", bare, maxsplit=1)[0].strip()
    if len(first) > _LONGEST or first.endswith(("?", "？")):
        return None
    return _picked(bare, first, previous) or _agreed(bare, first, previous)


def _picked(bare: str, first: str, previous: str) -> Answer | None:
    found = _PICK.match(first)
    if found is None:
        return None
    keys = found.group("keys")
    rest = (found.group("rest") or "") + bare[len(first) :]
    quote = first[: found.start("rest")].strip() if found.group("rest") else first
    options = _options(previous)
    chosen = _chosen(keys, options)
    if chosen:
        return Answer(quote, "; ".join(f"{k}: {options[k]}" for k in chosen)[:_MOST], 1, rest)
    plain = keys.lower() in {"both", "all", "neither", "none", "两个都", "两个都要", "都要", "全部"}
    if previous and (plain or _question(previous)):
        # A number may answer another question than which of a list.
        return (
            Answer(quote, _question(previous), -1 if _NO.match(keys) else 1, rest)
            if (_question(previous))
            else None
        )
    # Whose question is not in the transcript: a capital letter or a named one is an answer still.
    named = (len(first) > 3 and not keys.isdigit()) or (len(keys) == 1 and keys.isupper())
    return (
        Answer(quote, "", 1, rest)
        if not previous and named and keys.isascii() is not plain
        else None
    )


def _agreed(bare: str, first: str, previous: str) -> Answer | None:
    found = _YES.match(first)
    asked = _question(previous)
    if found is None:
        return None
    rest = found.group("rest")
    refused = _NO.match(found.group("yes")) is not None
    thanks = _THANKS.match(rest) is not None
    if not previous and not thanks:
        return None
    if not previous:
        # "Yes, do that." answers a question that is not in the transcript.
        return Answer(first, "") if re.search(r"do (?:that|it)|就这样|就这么", first) else None
    if not asked or not _OFFER.search(asked) or _FACT.search(asked):
        return None
    if not thanks:
        return None
    return Answer(first, asked, -1 if refused else 1, bare[len(first) :])


def _question(previous: str) -> str:
    """The last question the assistant asked, where it closes what it said."""
    parts = [p.strip(" *-\n>_") for p in _ENDS.split(previous[-_TAIL:])]
    return next((p[-_MOST:] for p in reversed(parts) if p.endswith(("?", "？")) and len(p) > 1), "")


def _options(previous: str) -> dict[str, str]:
    """The options on offer, by key; of several lists the last one counts."""
    found: dict[str, str] = {}
    for option in _OPTION.finditer(previous[-_TAIL * 2 :]):
        key = option.group("key").upper()
        key = _WORDS.get(key, key)
        text = option.group("text")
        cut = _NEXT.search(text)
        found[key] = (text[: cut.start()] if cut else text).strip(" *")[:200]
        if cut:
            more = _options(text[cut.start() :].strip())
            found.update(more)
    return found


def _chosen(keys: str, options: dict[str, str]) -> list[str]:
    """The keys of the options that are picked; letters and numbers stand for each other."""
    low = keys.lower()
    if low.startswith(("both", "all", "两个都", "都要", "全部")):
        return list(options)
    parts = [p for p in re.split(r"[\s,、，&+/和与或]+|and|or", low) if p]
    found: list[str] = []
    for part in parts:
        span = re.fullmatch(r"(\d{1,2})(?:-|–|to|到|至)(\d{1,2})", part)
        wanted = (
            [str(n) for n in range(int(span.group(1)), int(span.group(2)) + 1)]
            if span
            else [_WORDS.get(part.split()[0], part).upper()]
        )
        found.extend(k for w in wanted if (k := _named(w, options)))
    return found


def _named(key: str, options: dict[str, str]) -> str:
    if key in options:
        return key
    if key == "LAST" and options:
        return list(options)[-1]
    if key.isdigit() and 0 < int(key) <= 8:
        letter = "ABCDEFGH"[int(key) - 1]
        return letter if letter in options else ""
    if len(key) == 1 and key.isalpha():
        number = str("ABCDEFGH".find(key) + 1)
        return number if number in options else ""
    return ""
