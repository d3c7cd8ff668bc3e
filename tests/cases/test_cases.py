"""The small inputs that trip other systems: what must hold for compaction, formats and input."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from reading import again, compacted, conversations

from baodai.digests.files import same_path
from baodai.errors import NoConversationError, UnknownFormatError
from baodai.formats import Format
from baodai.invariants import violations
from baodai.jsonl import open_records
from baodai.layers.history_shrink import HistoryShrink
from baodai.model import Conversation, Role, Thinking
from baodai.pipeline import Compaction, Options
from baodai.structure import pair
from baodai.tokens import Meter, counter_for
from baodai.truncation import CutContext, strategies
from baodai.truncation.arguments import shorten_arguments
from shared import case

pytestmark = pytest.mark.shared

WINDOWS = range(100, 4_000, 100)


def one(number: str, name: str = "input.jsonl") -> tuple[Format, Conversation]:
    codec, found = conversations(case(number) / name)
    return codec, found[0]


def outputs(number: str) -> Iterable[tuple[Conversation, Compaction]]:
    """The output at every window in which something is left."""
    codec, conversation = one(number)
    for window in WINDOWS:
        made = compacted(codec, conversation, window)
        if made.data is not None:
            yield conversation, made


def text_of(conversation: Conversation) -> str:
    parts = [m.text for m in conversation.messages]
    parts.extend(r.text for m in conversation.messages for r in m.results)
    parts.extend(c.arguments for m in conversation.messages for c in m.calls)
    return "\n".join(parts)


def summary_of(conversation: Conversation) -> str:
    return "\n".join(m.text for m in conversation.messages if m.is_summary)


def test_01_no_result_is_left_without_its_call() -> None:
    for before, made in outputs("01"):
        after = made.after
        assert not pair(after.messages).orphans
        prompts = [m for m in after.messages if m.role is Role.SYSTEM and not m.is_summary]
        assert [m.text for m in prompts] == [before.messages[0].text]


def test_02_parallel_calls_stay_or_go_together() -> None:
    for _, made in outputs("02"):
        ids = {c.id for m in made.after.messages for c in m.calls}
        answered = {r.call_id for m in made.after.messages for r in m.results}
        assert {"p1", "p2", "p3"} <= ids or not {"p1", "p2", "p3"} & ids
        assert answered == ids & answered
        assert not violations(made.after)


def test_04_a_call_and_its_late_answer_go_together() -> None:
    for _, made in outputs("04"):
        calls = {c.id for m in made.after.messages for c in m.calls}
        answers = {r.call_id for m in made.after.messages for r in m.results}
        assert ("ap1" in calls) == ("ap1" in answers)


def test_04_a_call_that_still_waits_stays_verbatim(tmp_path: Path) -> None:
    lines = (case("04") / "input.jsonl").read_bytes().splitlines(keepends=True)[:-2]
    (tmp_path / "open.jsonl").write_bytes(b"".join(lines))
    codec, found = conversations(tmp_path / "open.jsonl")
    made = compacted(codec, found[0], 600)
    assert made.account.saved > 0
    assert lines[2] in (made.data or b"")


def test_05_a_dead_call_does_not_block() -> None:
    codec, conversation = one("05")
    made = compacted(codec, conversation, 1_200)
    assert made.account.saved > 0
    assert any("dead1" in note.text for note in made.account.notes)
    assert not violations(made.after)


def test_08_what_the_user_says_beside_a_result_stays() -> None:
    for _, made in outputs("08"):
        assert "billing/" in text_of(made.after)


def test_09_the_newest_signed_thinking_is_untouched() -> None:
    for before, made in outputs("09"):
        newest = [m for m in before.messages if m.role is Role.ASSISTANT][-1]
        assert newest in made.after.messages
        old = {b for m in before.messages for b in m.blocks if isinstance(b, Thinking)}
        left = {b for m in made.after.messages for b in m.blocks if isinstance(b, Thinking)}
        assert left <= old


def test_10_no_message_is_left_with_thinking_alone() -> None:
    for before, made in outputs("10"):
        assert empty(made.after) <= empty(before)


def empty(conversation: Conversation) -> set[str]:
    return {v.key for v in violations(conversation) if v.rule == "empty-message"}


def test_12_an_image_is_counted_by_its_pixels() -> None:
    codec, conversation = one("12")
    made = compacted(codec, conversation, 8_000)
    assert made.account.tokens_before < 3_000
    assert made.after is made.before


def test_14_odd_content_is_read_counted_and_kept() -> None:
    codec, conversation = one("14")
    meter = Meter(counter_for("o200k_base"))
    by_line = {m.line: m for m in conversation.messages}
    (call,) = by_line[3].calls
    assert len(call.arguments) > 5_000
    assert meter.message(by_line[3]) > meter.raw(call.arguments) > 800
    assert b"".join(codec.encode(conversation)) == (case("14") / "input.jsonl").read_bytes()


def test_15_all_system_texts_stay_in_order() -> None:
    codec, conversation = one("15")
    wanted = [m.text for m in conversation.messages if m.role is Role.SYSTEM]
    made = compacted(codec, conversation, 600)
    left = [m.text for m in made.after.messages if m.role is Role.SYSTEM and not m.is_summary]
    assert left == wanted
    assert any(m.role is Role.USER for m in made.after.messages)


def test_16_an_early_rule_outlives_five_compactions() -> None:
    folder = case("16")
    codec, conversation = one("16")
    more = (folder / "more.jsonl").read_bytes()
    for _ in range(5):
        made = compacted(codec, conversation, 3_000)
        assert made.data is not None
        said = text_of(made.after)
        for rule in ("never push to main", "answer in French", "ORION-2"):
            assert rule.lower() in said.lower()
        for line in summary_of(made.after).splitlines():
            if "NEBULA-7" in line and line.startswith("- "):
                assert "superseded" in line
        conversation = again(codec, made.data + more)


def test_18_values_are_letter_for_letter_or_can_be_had_back() -> None:
    codec, conversation = one("18")
    source = text_of(conversation)
    made = compacted(codec, conversation, 1_200)
    said = summary_of(made.after)
    _, _, body = said.partition("\n")
    for value in re.findall(r"[A-Z]+[_-][A-Z0-9_-]+|(?<![\w:])\d[\d,.]{3,}\d|/[\w./-]{4,}", body):
        assert value in source
    assert "OPS-20931" in said
    for value in (
        "9f3c1e7ab2",
        "48213",
        "/srv/data/tenant-07/ledger.db",
        "E_LEASE_4417",
        "1,847.20",
    ):
        holding = [o.ref for o in made.account.originals if value in o.text]
        assert value in said or any(ref in said for ref in holding)


def test_19_compacting_the_output_again_changes_nothing() -> None:
    codec, conversation = one("19")
    first = compacted(codec, conversation, 16_000)
    data = first.data
    for _ in range(4):
        assert data is not None
        next_data = compacted(codec, again(codec, data), 16_000).data
        assert next_data == data
        data = next_data


def test_21_a_fixed_part_over_the_window_is_said_and_nothing_thrown_away() -> None:
    codec, conversation = one("21")
    made = compacted(codec, conversation, 2_500)
    assert not made.account.fits
    assert made.data is None
    (said,) = [n.text for n in made.account.notes if n.code == "BD301"]
    assert "schemas" in said
    prompts = [m for m in conversation.messages if m.starts_turn]
    assert all(m in made.after.messages for m in prompts)


@pytest.mark.parametrize("keep_turns", [3, 1])
def test_22_one_giant_result_is_cut_with_its_failure(keep_turns: int) -> None:
    codec, conversation = one("22")
    made = compacted(codec, conversation, 4_000, Options(keep_turns=keep_turns))
    assert made.account.fits
    (result,) = [r for m in made.after.messages for r in m.results]
    last = next(r for m in conversation.messages for r in m.results).text.rstrip().splitlines()[-1]
    assert last in result.text
    assert "bd:" in result.text
    assert next(m.text for m in conversation.messages if m.starts_turn) in text_of(made.after)


def test_24_arguments_stay_json() -> None:
    _, conversation = one("24")
    meter = Meter(counter_for("o200k_base"))
    for call in (c for m in conversation.messages for c in m.calls):
        short = shorten_arguments(call.arguments, 50, meter.raw, CutContext(ref="bd:00000000"))
        try:
            was = json.loads(call.arguments)
        except ValueError:
            assert short == call.arguments
            continue
        now = json.loads(short)
        if isinstance(was, dict):
            assert now.keys() == was.keys()
            assert now.get("path") == was.get("path")
            assert now.get("mode") == was.get("mode")


def test_25_the_line_that_says_what_failed_survives_and_gaps_add_up() -> None:
    _, conversation = one("25")
    meter = Meter(counter_for("o200k_base"))
    result = next(r for m in conversation.messages for r in m.results)
    lines = result.text.splitlines()
    cut = strategies()["head_tail"].cut(result.text, 1_000, meter.raw, CutContext())
    fatal = next(i for i, line in enumerate(lines) if "FATAL" in line)
    for line in (lines[fatal], lines[fatal + 1], *lines[-3:]):
        assert line in cut
    kept = [line for line in cut.splitlines() if not line.startswith("[… ")]
    gone = sum(
        int(line[3:].split(" ")[0].replace(",", ""))
        for line in cut.splitlines()
        if line.startswith("[… ")
    )
    assert len(kept) + gone == len(lines)


def test_26_no_cut_falls_inside_a_sign() -> None:
    _, conversation = one("26")
    meter = Meter(counter_for("o200k_base"))
    texts = [r.text for m in conversation.messages for r in m.results]
    texts += [m.text for m in conversation.messages]
    for text in filter(None, texts):
        for limit in range(1, 400, 13):
            cut = strategies()["head_tail"].cut(text, limit, meter.raw, CutContext())
            cut.encode("utf-8")
            assert "�" not in cut


@pytest.mark.parametrize("number", ["27", "29", "51", "54"])
def test_odd_bytes_come_out_as_they_were(number: str) -> None:
    codec, conversation = one(number)
    assert b"".join(codec.encode(conversation)) == (case(number) / "input.jsonl").read_bytes()


def test_29_five_messages_without_carriage_returns() -> None:
    _, conversation = one("29")
    assert len(conversation.messages) == 5
    assert not any("\r" in m.text for m in conversation.messages)


def test_30_a_hole_is_told_with_its_place_and_the_rest_is_read() -> None:
    records = list(open_records(case("30") / "input.jsonl"))
    (problem,) = [r.problem for r in records if r.problem]
    assert (problem.code, problem.line) == ("BD104", 3)
    _, conversation = one("30")
    assert len(conversation.messages) == 4


def test_32_a_torn_last_line_is_a_note_and_no_message() -> None:
    _, torn = one("32")
    _, whole = one("32", "complete-no-newline.jsonl")
    assert (len(torn.messages), len(whole.messages)) == (3, 4)
    assert [r.problem for r in open_records(case("32") / "complete-no-newline.jsonl")] == [None] * 4


def test_33_unknown_records_are_counted_and_kept() -> None:
    codec, conversation = one("33")
    live = [m for m in conversation.messages if not m.is_summary]
    assert len(live) == 2
    assert any(m.is_summary for m in conversation.messages)
    assert conversation.origin.unknown
    assert b"".join(codec.encode(conversation)) == (case("33") / "input.jsonl").read_bytes()


def test_34_one_answer_over_several_rows_is_one() -> None:
    _, conversation = one("34")
    answers = [m for m in conversation.messages if m.role is Role.ASSISTANT]
    assert len({m.group for m in answers}) == 2
    usages = {m.group: m.usage for m in answers if m.usage}
    assert sum(u.output for u in usages.values()) == 441


def test_37_only_the_branch_that_was_taken_is_live() -> None:
    _, conversation = one("37")
    said = text_of(conversation)
    assert "SQLite" in said
    assert "Postgres" not in said


def test_47_a_pages_order_is_no_rule() -> None:
    codec, conversation = one("47")
    made = compacted(codec, conversation, 900)
    assert made.after is not made.before
    rules = [d.quote.lower() for d in made.account.decisions]
    assert not any("delete the backups" in rule or "in capitals" in rule for rule in rules)
    assert "keep the backups" in text_of(made.after).lower()
    assert not any("delete the backups" in fact.text.lower() for fact in made.account.facts)


def test_48_no_secret_reaches_summary_account_or_memory() -> None:
    codec, conversation = one("48")
    made = compacted(codec, conversation, 260, Options(keep_turns=1))
    told = [n.text for n in made.account.notes] + [d.quote for d in made.account.decisions]
    told += [f.text for f in made.account.facts] + [summary_of(made.after)]
    secrets = re.findall(r"ghp_\w+|sk-[\w-]{16,}|(?<=://)\w+:[^@\s]+", text_of(conversation))
    assert secrets
    assert not [secret for secret in secrets if any(secret in text for text in told)]


def test_50_special_tokens_and_chinese_are_counted_right_and_fast() -> None:
    _, conversation = one("50")
    meter = Meter(counter_for("o200k_base"))
    counts: dict[int, int] = {}
    for message in conversation.messages:
        start = time.perf_counter()
        counts[message.line] = meter.raw(message.text)
        assert time.perf_counter() - start < 1
    assert 400 <= counts[2] <= 1_300
    assert counts[3] >= 200


@pytest.mark.parametrize(
    "name", ["input.jsonl", "input.jsonl.gz", "input.jsonl.zst", "rollout.jsonl"]
)
def test_52_compressed_or_not_the_messages_are_the_same(name: str) -> None:
    _, plain = one("52")
    _, conversation = one("52", name)
    assert [m.text for m in conversation.messages] == [m.text for m in plain.messages]
    assert len(plain.messages) == 5


def test_52_a_torn_frame_gives_what_came_before_it() -> None:
    _, conversation = one("52", "torn.jsonl.zst")
    assert len(conversation.messages) == 4


def test_54_backslashes_stay_and_name_one_file() -> None:
    assert same_path("C:\\tide\\new\\tab.txt") == same_path("C:/tide/new/tab.txt")


def test_55_a_user_speaks_first_and_roles_take_turns() -> None:
    for before, made in outputs("55"):
        known = {(v.rule, v.key) for v in violations(before)}
        assert {(v.rule, v.key) for v in violations(made.after)} <= known


def test_58_a_giant_line_is_read_in_full() -> None:
    codec, conversation = one("58")
    made = compacted(codec, conversation, 32_000)
    assert made.account.fits
    assert (
        sum(len(m.text) for m in conversation.messages)
        + sum(len(r.text) for m in conversation.messages for r in m.results)
        > 1_000_000
    )


@pytest.mark.parametrize("name", ["input.jsonl", "blank.jsonl"])
def test_60_nothing_is_never_a_conversation(name: str) -> None:
    with pytest.raises(NoConversationError):
        conversations(case("60") / name)


def test_60_unknown_records_alone_are_refused() -> None:
    with pytest.raises(UnknownFormatError):
        conversations(case("60") / "unknown-only.jsonl")


def test_a_layer_that_is_off_does_nothing() -> None:
    codec, conversation = one("19")
    off = frozenset({"live_output", "turn_budget", "history_shrink", "cold_fold"})
    made = compacted(codec, conversation, 600_000, Options(off=off))
    assert made.after is made.before
    assert HistoryShrink().number == 2
