"""The words that ask a model to go on, by language; and the anchor they stand behind."""

from __future__ import annotations

from baodai.providers import JSON
from baodai.truncation._fit import tail_of

CONTINUE = {
    "en": "Your output was cut off. Continue exactly where it stopped; no apology, no repetition, "
    "no summary.",
    "zh": "你的输出被截断了。直接从中断处继续，不要道歉，不要复述，不要摘要。",
}
AGAIN = {
    "en": "Your output was cut off inside a tool call, which was not run. Make the complete "
    "call again, and only what is missing.",
    "zh": "你的输出在工具调用中被截断，该调用没有执行。请重新发出完整的调用，只补上缺少的部分。",
}
CAME = {
    "en": " These calls came whole and stand: {names}.",
    "zh": "以下调用已完整收到：{names}。",
}
NOTICE = {
    "en": "[output truncated: still cut off after {n} continuations"
    " · baodai recover --continue {handle}]",
    "zh": "[输出被截断：续写 {n} 次后仍未完成 · baodai recover --continue {handle}]",
}


def anchor_of(text: str, size: int) -> str:
    """The last `size` characters or fewer, whole lines where there are lines, no sign cut in two.

    Blanks at the end are left out: some endpoints refuse an assistant message that ends with them.
    """
    return tail_of(text.rstrip(), size)


def going_on(standing: str, words: str, size: int) -> tuple[JSON, ...]:
    """What stands behind the conversation to ask it to go on: anchor, then instruction."""
    anchor = anchor_of(standing, size)
    said: list[JSON] = [{"role": "assistant", "content": anchor}] if anchor else []
    return (*said, {"role": "user", "content": words})
