"""What a text of sentences says in few lines: the lines that conclude, name things, give numbers."""

from __future__ import annotations

import re

from baodai.digests._lines import one_line

CONCLUDES = re.compile(
    r"\b(?:found|root cause|the (?:issue|problem|bug|reason)|because|turns out|fixed|works?|working|passes|passed|fails?|"
    r"failed|done|complete[d]?|confirmed|verified|decided|implemented|added|removed|created|committed|pushed|"
    r"released|conclusion|summary|result|instead|cannot|missing|wrong|correct|error|non-issue|never|only|must)\b"
    r"|发现|原因|问题|因为|所以|因此|修复|解决|完成|通过|失败|确认|验证|已(?:经)?|结论|结果|实现|新增|删除|提交|推送|错误|不支持|缺少",
    re.IGNORECASE,
)
"""Words by which a conclusion is told, English and Chinese."""

_NUMBERS = re.compile(r"\d[\d.,:/-]*|\b[0-9a-f]{7,40}\b")
_EMPTY_TALK = re.compile(
    r"(?:now )?(?:i (?:now )?have|let me|here is|here's|perfect|great|good)\b[^`\d]{0,120}$|^#+\s[^`\d]{0,60}$",
    re.IGNORECASE,
)


def gist(text: str, most: int, *, glue: str = " / ") -> str:
    """The lines that tell most, in their order, in at most `most` characters; the first is kept."""
    lines = [one_line(raw, 400) for raw in text.splitlines() if any(c.isalnum() for c in raw)]
    if sum(len(line) + len(glue) for line in lines) <= most:
        return glue.join(lines)
    ranked = sorted(range(len(lines)), key=lambda i: (-_tells(lines[i]) - (i == 0) * 4, i))
    chosen: set[int] = set()
    room = most
    for i in ranked:
        cost = len(lines[i]) + len(glue)
        if cost <= room:
            chosen.add(i)
            room -= cost
    if not chosen:
        return one_line(lines[ranked[0]], most) if lines else ""
    return glue.join(lines[i] for i in sorted(chosen))


def _tells(line: str) -> float:
    """How much a line tells: conclusions, names of things, numbers; items of a list more than talk."""
    if _EMPTY_TALK.match(line):
        return -4.0
    names = min(4, line.count("`") // 2) + min(4, len(_NUMBERS.findall(line)))
    listed = line.startswith(("-", "*", "|", "•")) or line[:1].isdigit()
    return len(CONCLUDES.findall(line)) + 0.5 * names + 0.5 * listed
