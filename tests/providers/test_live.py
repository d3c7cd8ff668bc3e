"""The live provider against a real endpoint on loopback, with the real client."""

from __future__ import annotations

import pytest
from endpoint import Refuses, Says, endpoint

from baodai.model import Usage
from baodai.providers import CallPiece, End, ProviderError, Request, TextPiece, ThinkingPiece
from baodai.providers.live import Endpoint, Live

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

ASK = Request(({"role": "user", "content": "hi"},), "m", max_output_tokens=64, seed=7)
USAGE = {
    "prompt_tokens": 100, "completion_tokens": 9, "total_tokens": 109,
    "prompt_tokens_details": {"cached_tokens": 80},
    "completion_tokens_details": {"reasoning_tokens": 4},
}  # fmt: skip


def live(url: str, waits: list[float] | None = None, tries: int = 3) -> Live:
    kept: list[float] = [] if waits is None else waits
    return Live(Endpoint(url, timeout=5, tries=tries), sleep=kept.append)


def test_an_answer_comes_in_pieces_with_its_reason_and_its_usage() -> None:
    said = Says("你好, world 🌍", thinking="hm", usage=USAGE, size=3)
    with endpoint([said]) as there:
        events = list(live(there.url).stream(ASK))
    assert "".join(e.text for e in events if isinstance(e, TextPiece)) == said.text
    assert [e.text for e in events if isinstance(e, ThinkingPiece)] == ["hm"]
    assert events[-1] == End("stop", "test-model", Usage(100, 9, 80, 0, 4))
    assert there.asked[0]["max_tokens"] == 64
    assert there.asked[0]["seed"] == 7
    assert there.asked[0]["stream_options"] == {"include_usage": True}


def test_pieces_of_calls_keep_their_index() -> None:
    calls = (
        {"id": "a", "type": "function", "function": {"name": "run", "arguments": "{"}},
        {"id": "b", "type": "function", "function": {"name": "see", "arguments": "{}"}},
    )
    with endpoint([Says(calls=calls, reason="tool_calls")]) as there:
        events = list(live(there.url).stream(ASK))
    assert events[:2] == [CallPiece(0, "a", "run", "{"), CallPiece(1, "b", "see", "{}")]


@pytest.mark.parametrize(
    ("refusal", "gone"),
    [
        ("Unknown parameter: 'stream_options'.", "stream_options"),
        ("seed is not supported by this model", "seed"),
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens"),
    ],
)
def test_a_parameter_that_is_refused_is_not_sent_again(refusal: str, gone: str) -> None:
    with endpoint(lambda asked: Refuses(400, refusal) if gone in asked else Says("fine")) as there:
        provider = live(there.url)
        for _ in range(2):
            assert isinstance(list(provider.stream(ASK))[-1], End)
    assert [gone in asked for asked in there.asked] == [True, False, False]
    assert 64 in (there.asked[-1].get("max_tokens"), there.asked[-1].get("max_completion_tokens"))


def test_a_cap_that_is_too_large_is_an_error_and_no_unknown_parameter() -> None:
    body = '{"error": {"message": "max_tokens: 64 > 32"}}'
    with endpoint([Refuses(400, body)]) as there, pytest.raises(ProviderError) as raised:
        list(live(there.url).stream(ASK))
    assert (raised.value.status, raised.value.body) == (400, body)
    assert len(there.asked) == 1


def test_a_schema_goes_along_where_it_is_known_and_not_where_it_is_refused() -> None:
    ask = Request(ASK.messages, "m", schema={"type": "object"})

    def script(asked: dict[str, object]) -> Says | Refuses:
        known = "response_format" not in asked
        return Says("{}") if known else Refuses(422, "response_format: not supported")

    with endpoint(script) as there:
        assert isinstance(list(live(there.url).stream(ask))[-1], End)
    assert [("response_format" in asked) for asked in there.asked] == [True, False]


def test_who_is_busy_is_asked_again_when_it_says_so() -> None:
    waits: list[float] = []
    busy = Refuses(429, "slow down", {"Retry-After": "7"})
    with endpoint([busy, Refuses(503, "starting"), Says("fine")]) as there:
        assert list(live(there.url, waits).stream(ASK))
    assert waits == [7.0, 2.0]
    assert len(there.asked) == 3


@pytest.mark.parametrize(
    ("status", "body", "tries"),
    [(401, "no key", 1), (400, "prompt is too long", 1), (500, "<html>", 3)],
)
def test_what_does_not_pass_is_told_as_it_came(status: int, body: str, tries: int) -> None:
    with endpoint([Refuses(status, body)]) as there, pytest.raises(ProviderError) as raised:
        list(live(there.url).stream(ASK))
    assert (raised.value.status, raised.value.body) == (status, body)
    assert len(there.asked) == tries


def test_a_quota_that_is_used_up_is_not_asked_again() -> None:
    body = '{"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}'
    with endpoint([Refuses(429, body)]) as there, pytest.raises(ProviderError):
        list(live(there.url).stream(ASK))
    assert len(there.asked) == 1


def test_nobody_there_is_an_error_without_a_status() -> None:
    with endpoint([Says("x")]) as there:
        gone = there.url
    with pytest.raises(ProviderError) as raised:
        list(live(gone, tries=2).stream(ASK))
    assert raised.value.status is None


def test_an_answer_that_breaks_off_has_no_end() -> None:
    with endpoint([Says("half of it", breaks=True)]) as there:
        seen = []
        try:
            for event in live(there.url).stream(ASK):
                seen.append(event)  # noqa: PERF402 - what came before the break counts
        except ProviderError as error:
            assert error.status is None  # noqa: PT017 - some transports notice, some do not
    assert "".join(e.text for e in seen if isinstance(e, TextPiece)) == "half of it"
    assert not [e for e in seen if isinstance(e, End)]
