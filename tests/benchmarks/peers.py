"""A row for a table of peers: long real sessions at 32k, what each keeps, and how long it takes.

Time is a multiple of parsing the file and one tiktoken pass over the same visible text. The user's
words: the share, in characters, of all lines in messages that a human wrote which still stand in
the output, white space aside.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

from measure import ROOT

from baodai.formats.recognise import HEAD, recognise
from baodai.invariants import new_violations
from baodai.jsonl import open_records, read_records
from baodai.model import Conversation, Message
from baodai.pipeline import Options, compact
from baodai.tokens import counter_for
from baodai.window import WindowOptions

DATA = ROOT.parent / "shared" / "data"
SESSIONS = (
    "claude_code/JanDeDobbeleer__oh-my-posh/ef_231d69c9bf_1.jsonl",
    "claude_code/entireio__skills/96_7701736668_0.jsonl",
    "claude_code/entireio__cli/d9_7f777d07d9_0.jsonl",
    "claude_code/entireio__cli/5e_5207b424e2_0.jsonl",
    "claude_code/MoonshotAI__kimi-cli/29_77bc73228c_1.jsonl",
    "claude_code/MoonshotAI__kimi-cli/fc_3ecf3602c3_3.jsonl",
    "anthropic_messages/JanDeDobbeleer__oh-my-posh/oh-my-posh_d8_4718082c10_2.messages.json",
    "openai_chat/SWE-agent__mini-swe-agent/message_per_line_sqlfluff__sqlfluff-1733.jsonl",
)


def main() -> int:
    if not DATA.exists():
        sys.stdout.write("the shared data is not beside the project\n")
        return 0
    rows = [row(DATA / name) for name in SESSIONS]
    words = [r[3] for r in rows]
    count = len(rows)
    sys.stdout.write(
        f"sessions {count}: fits {sum(r[0] for r in rows)}/{count}, "
        f"valid {sum(r[1] for r in rows)}/{count}, "
        f"last user message verbatim {sum(r[2] for r in rows)}/{count}, "
        f"user words median {median(words):.0%} worst {min(words):.0%}, "
        f"second run unchanged {sum(r[4] for r in rows)}/{count}, "
        f"time {median(r[5] for r in rows):.1f}x (median, warm)\n"
    )
    return 0


def row(path: Path) -> tuple[bool, bool, bool, float, bool, float]:
    """Fits, valid, last message, share of words, unchanged, time of one session."""
    options = Options(window=WindowOptions(window=32_000))
    records = list(open_records(path))
    codec = recognise(records[:HEAD], path.name)
    (conversation,) = codec.decode(records, path.name)
    compact(conversation, codec, options, source=path.name)
    start = time.perf_counter()
    records = list(open_records(path))
    (conversation,) = codec.decode(records, path.name)
    made = compact(conversation, codec, options, source=path.name)
    taken = time.perf_counter() - start
    base = yardstick(path, conversation)
    data = made.data or b""
    (output,) = codec.decode(read_records([data]), path.name)
    again = compact(output, codec, options, source=path.name).data == data
    prompts = [m for m in conversation.messages if m.starts_turn]
    last = not prompts or any(m.text == prompts[-1].text for m in output.messages)
    share = kept_share(conversation, output)
    valid = not new_violations(conversation, made.after)
    sys.stdout.write(f"{path.name}: words {share:.0%}, {taken / base:.1f}x\n")
    return made.account.fits, valid, last, share, again, taken / base


def yardstick(path: Path, conversation: Conversation) -> float:
    """Seconds for parsing the file and counting every visible text once, with tiktoken."""
    counter = counter_for("o200k_base", fast=False)
    texts = [t for m in conversation.messages for t in visible(m)]
    start = time.perf_counter()
    list(open_records(path))
    for text in texts:
        counter.count(text)
    return time.perf_counter() - start


def visible(message: Message) -> list[str]:
    texts = [message.text, *(c.arguments for c in message.calls)]
    return texts + [r.text for r in message.results]


def kept_share(before: Conversation, after: Conversation) -> float:
    """The share of what the user typed that still stands in the output."""
    said = " ".join(" ".join(m.text.split()) for m in after.messages)
    said += " ".join(" ".join(r.text.split()) for m in after.messages for r in m.results)
    total = kept = 0
    for message in before.messages:
        for line in message.words.splitlines():
            flat = " ".join(line.split())
            total += len(flat)
            kept += len(flat) if flat in said else 0
    return kept / total if total else 1.0


if __name__ == "__main__":
    sys.exit(main())
