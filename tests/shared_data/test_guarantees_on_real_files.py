"""The guarantees of a compaction, on every real file of every format, at three windows."""

from __future__ import annotations

from pathlib import Path

import pytest
from reading import again, compacted, conversations

from baodai.digests._telling import telling_lines
from baodai.digests.outcome import outcome
from baodai.errors import NoConversationError
from baodai.formats import Format
from baodai.invariants import new_violations
from baodai.model import Conversation, Message, Role, ToolCall, ToolResult
from baodai.pipeline import Compaction
from baodai.structure import pair
from baodai.tools import Kind, ToolTable
from baodai.window import WindowOptions, budget_for
from baodai.zones import zones
from shared import shared

WINDOWS = (8_000, 32_000, 128_000)

NO_TRANSCRIPTS = {
    "evaluation_patch_selection_example_example.jsonl": "candidates for a patch",
    "miniswe_ba443702286bd3610b74b264aaf2b6a3.jsonl": "prompts as flat text",
    "magagent_46e404f0f6d060835e2751e2a0bdf73c.openai_chat.jsonl": "prompts as flat text",
    "backend_tests_fixtures_replay_write_read_file.ultra.events.json": "names of replayed events",
    "docs_gen-ai_gen-ai-input-messages.json": "a JSON schema",
}
"""Files beside the transcripts, and what baodai says they hold."""

TOO_LARGE = {
    # One request or system prompt alone is larger than the budget at these windows.
    ("pydantic_ai_cassettes.anthropic_messages.jsonl", 8_000),
    ("pydantic_ai_cassettes.anthropic_messages.jsonl", 32_000),
    ("pydantic_ai_cassettes.anthropic_messages.jsonl", 128_000),
    # 19,500 tokens of tool schemas.
    ("tools_harness-e2e_src___fixtures___claude-code-files.json", 8_000),
    ("tools_harness-e2e_src___fixtures___claude-code-files.json", 32_000),
    # A system prompt of 4,000 and schemas of 1,900 tokens, and a request of 1,600.
    ("3aa6a872_proxy__deepseek__deepseek-chat-1757015076.651.json", 8_000),
    ("5488f958_proxy__deepseek__deepseek-chat-1757003675.871.json", 8_000),
    ("a507e54b_proxy__deepseek__deepseek-chat-1757003685.167.json", 8_000),
    ("b10984ff_proxy__deepseek__deepseek-chat-1757003691.079.json", 8_000),
    # Permissions, instructions and skills in developer messages: 4,000 to 7,000 tokens.
    ("0b_9f2ac6f3aa_3.jsonl", 8_000),
    ("1f_4427577930_0.jsonl", 8_000),
    ("33_5841c2d678_0.jsonl", 8_000),
    ("79_6eaddfe2f9_0.jsonl", 8_000),
    ("f4_771ece9d37_0.jsonl", 8_000),
    ("session-bridge_64_b5e5660349_0.items.jsonl", 8_000),
    ("session-bridge_9a_64bd4e0024_0.items.jsonl", 8_000),
    ("tools_harness-e2e_src___fixtures___codex-resume.json", 8_000),
    ("tools_harness-e2e_src___fixtures___codex-stream-tool.json", 8_000),
    ("backend_tests_monocle_traces_web_research_ev_battery.json", 8_000),
    # System prompts of 10,000 tokens, said again for every turn.
    ("26_9e1b9e5502_0.jsonl", 8_000),
    ("d8_8be769afd1_0.jsonl", 8_000),
    ("d8_8be769afd1_0.jsonl", 32_000),
    # A newest step of 32,000 tokens.
    ("before-compaction.jsonl", 8_000),
    ("before-compaction.jsonl", 32_000),
    # One of many recordings holds a schema, an image or a document larger than the window.
    ("pydantic_ai_cassettes.google_contents.jsonl", 8_000),
    ("pydantic_ai_cassettes.google_contents.jsonl", 32_000),
    ("pydantic_ai_cassettes.google_contents.jsonl", 128_000),
    ("pydantic_ai_cassettes.openai_responses.jsonl", 8_000),
    # One request longer than the window.
    ("sharegpt_zh_1K_format.jsonl", 8_000),
}
"""Files of which something does not fit, by what must stay; a BD301 says so."""


def real_files() -> list[Path]:
    root = Path(__file__).resolve().parents[3] / "shared" / "data"
    found = sorted(p for p in root.rglob("*") if p.is_file() and p.parent != root)
    return [p for p in found if p.name not in NO_TRANSCRIPTS]


FILES = real_files()


@pytest.mark.shared
@pytest.mark.skipif(not FILES, reason="the shared data is not beside the project")
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:40])
def test_a_real_file_is_brought_inside_the_window(path: Path, window: int) -> None:
    codec, found = conversations(shared("data", *path.parts[-3:]))
    before = after = decisions = lost = told = kept = 0
    for conversation in found:
        made = compacted(codec, conversation, window)
        account = made.account
        before, after = before + account.tokens_before, after + account.tokens_after
        decisions += len(account.decisions)
        lost += sum(d.where == "lost" for d in account.decisions)
        total, left = conclusions(conversation, made)
        told, kept = told + total, kept + left
        check(codec, conversation, made, window, (path.name, window) in TOO_LARGE)
    line = (
        f"{path.name} {window}: {before} -> {after}, "
        f"decisions kept {decisions - lost}/{decisions}, conclusions kept {kept}/{told}"
    )
    print(line)  # noqa: T201 - what each file came to, with `pytest -rP`
    assert lost == 0


def conclusions(conversation: Conversation, made: Compaction) -> tuple[int, int]:
    """How many commands told what came of them, and of how many the output still says it."""
    table = ToolTable()
    text = "\n".join(m.text for m in made.after.messages)
    text += "\n".join(r.text for m in made.after.messages for r in m.results)
    text = " ".join(text.split())
    messages = conversation.messages
    told = kept = 0
    for (r, j), (c, k) in pair(messages).call_of.items():
        call, result = messages[c].blocks[k], messages[r].blocks[j]
        if not (isinstance(call, ToolCall) and isinstance(result, ToolResult)):
            continue
        if table.kind_of(call.name, call) is not Kind.COMMAND or not telling_lines(
            result.text[-5_000:]
        ):
            continue
        told += 1
        first = outcome(call, result, Kind.COMMAND).conclusions[:1]
        kept += any(conclusion[:60] in text for conclusion in first)
    return told, kept


def check(
    codec: Format, conversation: Conversation, made: Compaction, window: int, may_be_large: bool
) -> None:
    account, budget = made.account, made.account.budget
    assert sum(layer.saved for layer in account.layers) == account.saved
    assert account.tokens_after <= account.tokens_before
    assert not new_violations(conversation, made.after)
    if not account.fits:
        assert may_be_large, [n.text for n in account.notes if n.code == "BD301"]
        assert counted_again(made, window) > budget.budget
        assert made.data is None
        return
    assert account.tokens_after <= budget.budget
    assert_hot_text_stays(conversation, made)
    assert made.data is not None
    assert compacted(codec, conversation, window).data == made.data
    if made.data == b"".join(conversation.origin.records):
        return
    output = again(codec, made.data)
    assert compacted(codec, output, window).data == made.data


def counted_again(made: Compaction, window: int) -> int:
    return budget_for(made.after, WindowOptions(window=window)).meter.conversation(made.after)


def assert_hot_text_stays(conversation: Conversation, made: Compaction) -> None:
    """Prompts of the last three turns are there byte for byte; what else stays is unchanged."""
    left = {m.id: m for m in made.after.messages}
    for element in zones(conversation, 3).elements:
        for message in element.messages:
            now = left.get(message.id)
            if element.hot and element.is_prompt:
                assert now is not None
            if now is not None and message.role in {Role.USER, Role.ASSISTANT}:
                assert said(now) == said(message)


def said(message: Message) -> str:
    return message.text


@pytest.mark.shared
@pytest.mark.skipif(not FILES, reason="the shared data is not beside the project")
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:40])
def test_an_untouched_file_keeps_its_bytes(path: Path) -> None:
    codec, found = conversations(path)
    written = b"".join(chunk for conversation in found for chunk in codec.encode(conversation))
    assert written == path.read_bytes()


@pytest.mark.shared
@pytest.mark.skipif(not FILES, reason="the shared data is not beside the project")
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name[:40])
def test_a_window_larger_than_the_context_changes_only_over_long_results(path: Path) -> None:
    codec, found = conversations(path)
    for conversation in found:
        made = compacted(codec, conversation, 4_000_000)
        assert all(
            edit.reason_code in {"over-limit", "turn-budget"}
            for layer in made.account.layers
            for edit in layer.edits
        )
        if not any(layer.edits for layer in made.account.layers):
            assert made.data == b"".join(conversation.origin.records)


@pytest.mark.shared
@pytest.mark.parametrize("name", NO_TRANSCRIPTS)
def test_what_is_no_transcript_is_said_in_a_sentence(name: str) -> None:
    found = list(shared("data").rglob(name))
    with pytest.raises(NoConversationError, match=NO_TRANSCRIPTS[name]):
        conversations(found[0])
