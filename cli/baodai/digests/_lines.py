"""What the digests share: plain lines of an output, exit codes, sizes, the telling lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from baodai.model import ToolResult
from baodai.truncation.failures import error_lines
from baodai.truncation.unlike import unlike_lines

HEAD, TAIL = 1_500, 5_000
"""Characters of the beginning and the end in which conclusions are looked for."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?!\n)", re.MULTILINE)
_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?[: ]+|exited with code |returncode>?\s*[:>]?\s*"
    r'|"exit_code"\s*:\s*|Exit code:? ?|退出码[:： ]*)(-?\d{1,3})\b',
    re.IGNORECASE,
)
_WRAPPER = re.compile(
    r"^(?:Chunk ID: \w+|Wall time: [\d.]+ seconds?|Process exited with code -?\d+"
    r"|Original token count: \d+|Total output lines: \d+|Output:|<returncode>.*</returncode>|</?output>)$"
)
_VALUE = re.compile(r"[\w)\]]\s?[=:]\s?[\w\"'$¥€.-]")
_LONGEST = 400
_SPACES = re.compile(r"\s+")


def plain(text: str) -> str:
    """The text without colours and without what a carriage return overwrote."""
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _OVERWRITTEN.sub("", text) if "\r" in text else text


def ends(text: str) -> str:
    """The beginning and the end of a text, plain, joined where the middle is left out."""
    if len(text) <= HEAD + TAIL:
        return plain(text)
    head, tail = text[:HEAD], text[-TAIL:]
    return plain(head[: head.rfind("\n") + 1] or head) + plain(tail[tail.find("\n") + 1 :])


def exit_code(text: str) -> int | None:
    """The exit code that an output states, at its beginning or its end."""
    for part in (text[:400], text[-400:]):
        found = _EXIT.search(part)
        if found is not None:
            return int(found.group(1))
    return None


def said(text: str) -> Iterator[str]:
    """The lines that say something: not blank, no wrapper of the agent, no rule of signs."""
    for line in text.splitlines():
        bare = line.strip()
        if bare and not _WRAPPER.match(bare) and any(c.isalnum() for c in bare):
            yield bare


def one_line(text: str, most: int = 200) -> str:
    """A text on one line, at most `most` characters, cut at a word with an ellipsis."""
    flat = _SPACES.sub(" ", text).strip()
    if len(flat) <= most:
        return flat
    cut = flat.rfind(" ", most // 2, most)
    return flat[: cut if cut > 0 else most].rstrip() + " …"


def distinct(lines: Iterable[str], most: int) -> tuple[str, ...]:
    """The first `most` different lines."""
    return tuple(dict.fromkeys(lines))[:most]


def failures(text: str, most: int = 4) -> tuple[str, ...]:
    """Error lines verbatim: the first and the last ones, at most `most`."""
    found: list[str] = []
    for begin, end in error_lines(text, 0, min(len(text), 100_000), 40):
        line = plain(text[begin:end]).strip()
        if line and len(line) <= 400:
            found.append(line)
    unique = list(dict.fromkeys(found))
    if len(unique) <= most:
        return tuple(unique)
    return (*unique[: most // 2], *unique[-(most - most // 2) :])


def standing_out(text: str, most: int = 4) -> tuple[str, ...]:
    """Lines unlike the others, those with values ("name=…", "name: …") first, at most `most`."""
    found = [plain(text[begin:end]).strip() for begin, end in unlike_lines(text, 0, len(text))]
    short = [
        line for line in dict.fromkeys(found) if len(line) <= _LONGEST and not _WRAPPER.match(line)
    ]
    return tuple(sorted(short, key=lambda line: _VALUE.search(line) is None)[:most])


def size_of(result: ToolResult) -> str:
    """How large a result was, in lines."""
    lines = result.text.count("\n") + 1 if result.text else 0
    return f"{lines:,} lines" if lines > 1 else ""
