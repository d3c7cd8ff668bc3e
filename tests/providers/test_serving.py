"""A provider behind a loopback endpoint, tried with the real client and over plain HTTP."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baodai.model import Usage
from baodai.overflow import Trouble, classify
from baodai.providers import (
    CallPiece,
    End,
    Event,
    ProviderError,
    Request,
    TextPiece,
    ThinkingPiece,
)
from baodai.providers.live import Endpoint, Live
from baodai.providers.serving import Server, serving

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

HI = [{"role": "user", "content": "hi"}]
USED = Usage(100, 9, 80, 0, 4)
REFUSED = json.dumps(
    {
        "error": {
            "code": "context_length_exceeded",
            "message": "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 9001 tokens.",
        }
    }
)


@dataclass
class Plays:
    """Says the same events to everybody; an error among them is raised."""

    events: tuple[Event | ProviderError, ...]
    asked: list[Request] = field(default_factory=list)
    name: str = "plays"

    def stream(self, request: Request) -> Iterator[Event]:
        self.asked.append(request)
        for event in self.events:
            if isinstance(event, ProviderError):
                raise event
            yield event


def client(server: Server) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key="none", max_retries=0, timeout=10)


@pytest.mark.parametrize("reason", ["stop", "length"])
def test_the_client_streams_text_reason_and_usage(reason: str) -> None:
    plays = Plays((TextPiece("你好, "), TextPiece("world 🌍"), End(reason, usage=USED)))
    with serving(plays) as there:
        chunks = list(
            client(there).chat.completions.create(
                model="m", messages=[{"role": "user", "content": "hi"}], stream=True,
                stream_options={"include_usage": True}, max_tokens=64,
            )
        )  # fmt: skip
    choices = [choice for chunk in chunks for choice in chunk.choices]
    assert "".join(choice.delta.content or "" for choice in choices) == "你好, world 🌍"
    assert [choice.finish_reason for choice in choices if choice.finish_reason] == [reason]
    assert chunks[-1].usage is not None
    assert (chunks[-1].usage.prompt_tokens, chunks[-1].usage.completion_tokens) == (100, 9)
    assert plays.asked[0].max_output_tokens == 64


def test_the_client_takes_the_answer_in_one_body_too() -> None:
    pieces = (CallPiece(0, "a", "run", '{"x"'), CallPiece(0, arguments=":1}"))
    plays = Plays((ThinkingPiece("hm"), TextPiece("Now."), *pieces, End("tool_calls", usage=USED)))
    with serving(plays) as there:
        answer = client(there).chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}]
        )
    (choice,) = answer.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "Now."
    assert choice.message.tool_calls is not None
    assert [call.to_dict() for call in choice.message.tool_calls] == [
        {"id": "a", "type": "function", "function": {"name": "run", "arguments": '{"x":1}'}}
    ]
    assert answer.usage is not None
    assert answer.usage.total_tokens == 109


@pytest.mark.parametrize("stream", [True, False])
def test_an_overflow_reaches_the_client_in_the_providers_words(*, stream: bool) -> None:
    with serving(Plays((ProviderError(400, REFUSED),))) as there:
        answer = client(there).chat.completions
        with pytest.raises(openai.BadRequestError) as caught:
            answer.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=stream)
    assert caught.value.code == "context_length_exceeded"
    found = classify(caught.value.status_code, caught.value.response.text)
    assert (found.trouble, found.limit, found.asked) == (Trouble.OVERFLOW, 8192, 9001)


def test_patience_is_asked_for_with_its_seconds() -> None:
    busy = ProviderError(429, '{"error": {"message": "slow"}}', 7)
    with serving(Plays((busy,))) as there, pytest.raises(openai.RateLimitError) as caught:
        client(there).chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}]
        )
    assert caught.value.response.headers["retry-after"] == "7"


def test_a_disconnect_in_the_middle_is_one_for_the_client() -> None:
    plays = Plays((TextPiece("Half a sen"), ProviderError(None, "gone")))
    with serving(plays) as there:
        chunks = client(there).chat.completions.create(
            model="m", messages=[{"role": "user", "content": "hi"}], stream=True
        )
        with pytest.raises(Exception, match=r"incomplete chunked read|Connection error"):
            list(chunks)


def test_what_came_before_a_disconnect_is_heard_and_no_end() -> None:
    heard: list[Event] = []
    with serving(Plays((TextPiece("Half a sen"), ProviderError(None, "gone")))) as there:
        events = Live(Endpoint(there.url, timeout=5)).stream(Request(tuple(HI), "m"))
        with pytest.raises(ProviderError) as caught:
            heard.extend(iter(events.__next__, None))
    assert heard == [TextPiece("Half a sen")]
    assert caught.value.status is None


def test_an_error_in_the_middle_is_told_in_the_stream() -> None:
    plays = Plays((TextPiece("Half"), ProviderError(500, "overloaded, sorry")))
    with serving(plays) as there, pytest.raises(ProviderError, match="overloaded"):
        list(Live(Endpoint(there.url, timeout=5)).stream(Request(tuple(HI), "m")))


def asked(server: Server, method: str, path: str, body: bytes = b"") -> tuple[int, str]:
    http = HTTPConnection(server.url.split("/")[2], timeout=5)
    http.request(method, path, body)
    answer = http.getresponse()
    told = answer.status, answer.read().decode()
    http.close()
    return told


def test_bad_requests_are_told_and_the_endpoint_goes_on() -> None:
    chat, hi = "/v1/chat/completions", json.dumps({"messages": HI}).encode()
    with serving(Plays((TextPiece("x"), End("stop")))) as there:
        for body in (b"{", b"[]", b'{"messages": []}', b""):
            assert asked(there, "POST", chat, body)[0] == 400, body
        assert asked(there, "POST", "/v1/embeddings", hi)[0] == 404
        assert json.loads(asked(there, "GET", "/v1/models")[1])["data"][0]["id"] == "replay"
        assert asked(there, "GET", "/health") == (200, '{"status":"ok"}')
        status, said = asked(there, "POST", chat, hi)
    assert status == 200
    assert json.loads(said)["choices"][0]["message"] == {"role": "assistant", "content": "x"}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_reads_the_stream_to_its_end() -> None:
    with serving(Plays((TextPiece("你好"), End("length")))) as there:
        asked = json.dumps({"messages": HI, "stream": True}, ensure_ascii=False)
        command = ["curl", "-sN", f"{there.url}/chat/completions", "-d", asked]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    lines = [line for line in ran.stdout.splitlines() if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    assert json.loads(lines[-2][6:])["choices"][0]["finish_reason"] == "length"


PIECES = st.lists(
    st.builds(TextPiece, st.text(min_size=1))
    | st.builds(ThinkingPiece, st.text(min_size=1))
    | st.builds(CallPiece, st.integers(0, 3), st.just(""), st.just(""), st.text(min_size=1)),
    max_size=12,
)


def test_what_is_served_reads_back_as_it_was_said() -> None:
    plays = Plays(())
    with serving(plays) as there:
        live = Live(Endpoint(there.url, timeout=5))

        @settings(max_examples=60)
        @given(PIECES, st.sampled_from(["stop", "length", "tool_calls"]))
        def reads_back(pieces: list[Event], reason: str) -> None:
            plays.events = (*pieces, End(reason, "m", USED))
            heard = list(live.stream(Request(tuple(HI), "m")))
            assert heard == [*pieces, End(reason, "m", USED)]

        reads_back()
