"""Recorded usage added up twice: by the timeline, and here from the bytes, by other means."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reading import conversations

from baodai.cost.calls import timeline
from baodai.cost.economics import as_recorded
from baodai.cost.prices import Prices
from baodai.model import Usage
from baodai.window import budget_for
from shared import shared

pytestmark = pytest.mark.shared

Sums = tuple[int, int, int, int, int]
"""Calls, whole prompts, cache reads, cache writes, output."""


def rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().decode("utf-8", "replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def claude_code(path: Path) -> Sums:
    """Each message id once, with the record that tells most output.

    Answers of sub-agents stand inside progress records in sessions of early 2026.
    """
    best: dict[str, tuple[int, int, int, int]] = {}
    for row in rows(path):
        progress = row.get("data")
        if isinstance(progress, dict) and progress.get("type") == "agent_progress":
            row = progress.get("message") or {}  # noqa: PLW2901 - the record inside
        message = row.get("message")
        if row.get("type") != "assistant" or not isinstance(message, dict):
            continue
        usage = message.get("usage")
        if not usage or message.get("model") == "<synthetic>":
            continue
        read = usage.get("cache_read_input_tokens") or 0
        written = usage.get("cache_creation_input_tokens") or 0
        prompt = (usage.get("input_tokens") or 0) + read + written
        told = (prompt, read, written, usage.get("output_tokens") or 0)
        key = message.get("id") or row["uuid"]
        if key not in best or told[3] >= best[key][3]:
            best[key] = told
    sums = [sum(column) for column in zip(*best.values(), strict=True)] or [0] * 4
    return len(best), sums[0], sums[1], sums[2], sums[3]


def codex_rollout(path: Path) -> Sums:
    """What the counter grew by, wherever it changed; one that fell began anew."""
    calls, sums, before = 0, [0, 0, 0], (0, 0, 0)
    for row in rows(path):
        event = row.get("payload") or {}
        if row.get("type") != "event_msg" or event.get("type") != "token_count":
            continue
        told = (event.get("info") or {}).get("total_token_usage")
        if not told:
            continue
        now = (told["input_tokens"], told["cached_input_tokens"], told["output_tokens"])
        if now == before:
            continue
        if any(new < old for new, old in zip(now, before, strict=True)):
            before = (0, 0, 0)
        calls += 1
        sums = [had + new - old for had, new, old in zip(sums, now, before, strict=True)]
        before = now
    return calls, sums[0], sums[1], 0, sums[2]


def by_the_timeline(path: Path) -> Sums:
    told: dict[str, Usage] = {}
    for conversation in conversations(path)[1]:
        for call in timeline(conversation, budget_for(conversation).meter):
            if call.recorded is not None:
                told[call.key or f"{conversation.id} {call.number}"] = call.recorded
    used = told.values()
    return (
        len(told),
        sum(u.input for u in used),
        sum(u.cache_read for u in used),
        sum(u.cache_write for u in used),
        sum(u.output for u in used),
    )


def files(folder: str) -> list[Path]:
    return sorted(shared("data", folder).rglob("*.jsonl"))


def test_claude_code_sessions_agree_to_the_token() -> None:
    found = {path.name: by_the_timeline(path) for path in files("claude_code")}
    assert found == {path.name: claude_code(path) for path in files("claude_code")}
    assert sum(calls for calls, *_ in found.values()) > 1_000


def test_codex_sessions_agree_to_the_token() -> None:
    found = {path.name: by_the_timeline(path) for path in files("codex_rollout")}
    assert found == {path.name: codex_rollout(path) for path in files("codex_rollout")}
    assert sum(calls for calls, *_ in found.values()) > 1_000


def test_a_sessions_dollars_are_its_tokens_times_the_list_price() -> None:
    # Opus 4.5 and 4.6 for a million tokens: 5 in, 25 out, 0.50 read, 6.25 and 10 written.
    path = next(p for p in files("claude_code") if p.name == "d9_7f777d07d9_0.jsonl")
    (conversation, *_) = conversations(path)[1]
    for line in as_recorded(timeline(conversation, budget_for(conversation).meter), Prices()):
        used = line.usage
        hour = used.cache_write_1h or 0
        plain = used.input - used.cache_read - used.cache_write
        dollars = plain * 5 + used.cache_read * 0.5 + used.output * 25
        dollars += (used.cache_write - hour) * 6.25 + hour * 10
        assert line.model in {"claude-opus-4-6", "claude-haiku-4-5-20251001"}
        if line.model == "claude-opus-4-6":
            assert line.usd == pytest.approx(dollars / 1e6)
