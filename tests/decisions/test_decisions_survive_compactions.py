"""What the user decided stands in the output, round after round, and only as what it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baodai.decisions import State
from baodai.formats import formats
from baodai.jsonl.records import open_records
from baodai.model import Conversation
from baodai.pipeline import Compaction, Options, compact
from baodai.summarizers import lines_of
from baodai.summarizers.document import parse
from baodai.window import WindowOptions

ROUNDS = 5
SAID = {
    "en": (
        "Use Valkey for the job queue.",
        "Never write to the archive bucket.",
        "All timestamps must be stored in UTC.",
        "I prefer small functions.",
        "The default branch is trunk.",
        "Could you please keep the old name of the flag?",
        "If the import fails, stop and ask me.",
        "Make sure the invoice number has 8 digits.",
    ),
    "zh": (
        "队列用 Valkey。",
        "不要往归档桶里写。",
        "时间必须统一存 UTC。",
        "我更喜欢小函数。",
        "默认分支叫 trunk。",
        "能不能保留旧的参数名？",
        "如果导入失败，就停下来问我。",
        "务必保证发票号是 8 位。",
    ),
}
OLD = {"en": "The budget is 10k.", "zh": "预算 1 万。"}
NEW = {"en": "Make that 12k.", "zh": "改成 1.2 万。"}
ASKED = {"en": "How is it going?", "zh": "进展怎么样？"}
DONE = {"en": "The build ran, nothing failed.", "zh": "编译完成，没有报错。"}
CODEC = formats()["openai-chat"]
# Without the layer that shrinks in place, so that every round folds.
OPTIONS = Options(
    window=WindowOptions(window=7_000, reserve=500),
    keep_turns=1,
    off=frozenset({"history_shrink"}),
)


def said(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def turn(language: str, n: int, text: str) -> Iterator[dict[str, object]]:
    """What the user says, then steps that fill the window and decide nothing."""
    yield said(text)
    for k in range(3):
        call = {"name": "bash", "arguments": json.dumps({"command": f"make part{n}-{k}"})}
        name = f"call-{n}-{k}"
        yield {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": name, "type": "function", "function": call}],
        }
        output = "\n".join(f"compiled file {n}-{k}-{i} in {i} ms" for i in range(90))
        yield {"role": "tool", "tool_call_id": name, "content": output}
    yield {"role": "assistant", "content": f"{DONE[language]} ({n})"}


def read(data: bytes) -> Conversation:
    (found,) = CODEC.decode(open_records(BytesIO(data)), "test")
    return found


def rounds(language: str, texts: list[str], later: list[str]) -> Iterator[Compaction]:
    """A session with the texts, compacted; then with fresh turns behind it, over and over."""
    fresh = [m for n, text in enumerate(texts) for m in turn(language, n, text)]
    data = b""
    for n in range(ROUNDS):
        more = later[n] if n < len(later) else ASKED[language]
        fresh += [m for k in range(4) for m in turn(language, 100 * n + k, ASKED[language])]
        fresh += list(turn(language, 100 * n + 50, more))
        data += "".join(json.dumps(m, ensure_ascii=False) + "\n" for m in fresh).encode()
        done = compact(read(data), CODEC, OPTIONS, source="test")
        assert done.data is not None
        yield done
        data, fresh = done.data, []


def standing(done: Compaction) -> dict[str, tuple[str, str]]:
    return {d.quote: (d.state, d.where) for d in done.account.decisions}


@pytest.mark.parametrize("language", ["en", "zh"])
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_five_rounds_change_nothing_about_what_was_decided(
    language: str, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(st.sampled_from(SAID[language]), min_size=1, unique=True))
    ids: dict[str, str] = {}
    for n, done in enumerate(rounds(language, texts, [])):
        assert read(done.data or b"").messages[0].is_summary, "the test folds nothing"
        found = standing(done)
        whole = "\n".join(m.text for m in done.after.messages)
        for text in texts:
            state, where = found[text]
            assert state == State.LIVE, (n, text)
            assert where in {"verbatim", "summary"}, (n, text, where)
            assert text in whole
        now = {d.quote: d.id for d in done.account.decisions}
        assert all(now[quote] == known for quote, known in ids.items())
        ids |= now


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("when", range(3))
def test_what_is_superseded_stays_only_as_superseded(language: str, when: int) -> None:
    later = [ASKED[language]] * when + [NEW[language]]
    for n, done in enumerate(rounds(language, [OLD[language], SAID[language][1]], later)):
        found = standing(done)
        held = State.LIVE if n < when else State.SUPERSEDED
        assert found[OLD[language]][0] == held, n
        assert found[SAID[language][1]][0] == State.LIVE
        if n >= when:
            assert found[NEW[language]][0] == State.LIVE
        for message in done.after.messages:
            summary = parse(message.text) if message.is_summary else None
            for name in ("decisions", "preferences") if summary is not None else ():
                assert summary is not None
                for line in lines_of(summary, name):
                    wanted = held if OLD[language] in line.text else State.LIVE
                    assert line.status in {wanted, ""}, line


def test_an_answer_keeps_the_option_it_picked_through_all_rounds() -> None:
    offer = {"role": "assistant", "content": "Which one?\nA. one table\nB. two tables"}
    opening = [said("How should it be stored?"), offer, said("B.")]
    data = "".join(json.dumps(m) + "\n" for m in opening).encode()
    for n in range(3):
        fresh = [m for k in range(6) for m in turn("en", 10 * n + k, ASKED["en"])]
        data += "".join(json.dumps(m) + "\n" for m in fresh).encode()
        done = compact(read(data), CODEC, OPTIONS, source="test")
        assert done.data is not None
        data = done.data
        assert standing(done)["B."] == (State.LIVE, "summary")
        assert "two tables" in "\n".join(m.text for m in done.after.messages if m.is_summary)
