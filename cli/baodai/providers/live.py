"""A live endpoint that speaks OpenAI chat completions; the only import of openai.

Endpoints that call themselves compatible differ in which parameters they know. What one refuses by
name is left out or renamed, and not tried again; what it answers comes through as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from baodai.model import Usage
from baodai.providers import (
    CallPiece,
    End,
    Event,
    ProviderError,
    Request,
    TextPiece,
    ThinkingPiece,
)

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta
    from openai.types.completion_usage import CompletionUsage

_LONGEST_WAIT = 60.0
"""Seconds to wait at most for an endpoint that asks for patience."""

_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed; 529 is Anthropic's "overloaded"."""

_TRANSPORT = ("httpx", "httpcore")
_BAD_REQUEST = frozenset({400, 404, 415, 422})
_NEWER_CAP = "max_completion_tokens"
_OPTIONAL = ("stream_options", "response_format", "seed", "temperature", "max_tokens", _NEWER_CAP)
"""Parameters that some endpoints refuse; all but the cap change only what is nice to have."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go: `url` up to and with `/v1`, `timeout` in seconds without a byte.

    `tries` is how often a request is sent while the endpoint is busy or out of reach.
    """

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    tries: int = 3


class Live:
    """Answers come from an endpoint. `sleep` waits for so many seconds."""

    name = "live"

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._sleep = sleep
        self._refused: set[str] = set()
        self._client: OpenAI | None = None

    def stream(self, request: Request) -> Iterator[Event]:
        """The events of an answer as they come.

        Raises:
            ProviderError: refused, out of reach after all tries, or broken off in the middle.
        """
        waits = 0
        while True:
            try:
                chunks = self._open(request)
                break
            except ProviderError as error:
                if self._spared(error):
                    continue
                waits += 1
                if waits >= self._endpoint.tries or not _passes(error):
                    raise
                wait = 2.0 ** (waits - 1) if error.retry_after is None else error.retry_after
                self._sleep(min(wait, _LONGEST_WAIT))
        yield from _events(chunks)

    def _open(self, request: Request) -> Stream[ChatCompletionChunk]:
        import openai  # noqa: PLC0415 - two seconds to import, only where an endpoint is named
        from openai.types.chat import ChatCompletionChunk  # noqa: PLC0415

        client = self._client
        if client is None:
            # Endpoints without a key still want a header.
            client = self._client = openai.OpenAI(
                base_url=self._endpoint.url,
                api_key=self._endpoint.key or "none",
                timeout=self._endpoint.timeout,
                max_retries=0,
            )
        with _named():
            return client.post(
                "/chat/completions",
                cast_to=ChatCompletionChunk,
                body=self._body(request),
                stream=True,
                stream_cls=openai.Stream[ChatCompletionChunk],
            )

    def _body(self, request: Request) -> dict[str, object]:
        cap = "max_tokens" if "max_tokens" not in self._refused else _NEWER_CAP
        asked: dict[str, object] = {
            "model": request.model,
            "messages": list(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            cap: request.max_output_tokens,
            "tools": list(request.tools) or None,
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.schema is not None:
            schema = {"name": "answer", "strict": True, "schema": request.schema}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        return {k: v for k, v in asked.items() if v is not None and k not in self._refused}

    def _spared(self, error: ProviderError) -> bool:
        """Whether a parameter was refused that the next request goes without."""
        if error.status not in _BAD_REQUEST:
            return False
        said = error.body.lower()
        # The longer name first: an error that recommends it names both, the refused one first.
        named = [(said.find(name), name) for name in _OPTIONAL if name in said]
        refused = next((n for _, n in sorted(named) if n not in self._refused), None)
        if refused is None or (refused == _NEWER_CAP and "max_tokens" not in self._refused):
            return False
        if refused == "max_tokens" and _NEWER_CAP not in said:
            return False  # the cap itself is wrong (too large for the model), not its name
        self._refused.add(refused)
        return True


def _passes(error: ProviderError) -> bool:
    """Whether it may pass by itself; a quota that is used up does not."""
    if "insufficient_quota" in error.body:
        return False
    return error.status is None or error.status in _AGAIN


class _named:  # noqa: N801 - used like a function
    """Turns what the client raises into errors of ours, with the body as it came."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        import openai  # noqa: PLC0415 - is loaded where a request was sent

        if isinstance(error, openai.APIStatusError):
            body = error.response.text
            raise ProviderError(error.status_code, body, _retry_after(error.response)) from error
        if isinstance(error, openai.APIError):
            told = str(error.body) if error.body is not None else error.message
            raise ProviderError(None, told) from error
        # What breaks while the answer is read comes from the transport, whose package the
        # versions of openai differ in.
        if isinstance(error, ValueError) or type(error).__module__.startswith(_TRANSPORT):
            raise ProviderError(None, f"{type(error).__name__}: {error}") from error


def _retry_after(response: object) -> float | None:
    headers = getattr(response, "headers", {})
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    return None


def _events(chunks: Stream[ChatCompletionChunk]) -> Iterator[Event]:
    reason, model = "", ""
    usage: Usage | None = None
    with _named():
        for chunk in chunks:
            model = chunk.model or model
            usage = _usage(chunk.usage) or usage
            for choice in chunk.choices[:1]:
                if choice.delta is not None:
                    yield from _pieces(choice.delta)
                reason = choice.finish_reason or reason
    if reason:
        yield End(reason, model, usage)


def _pieces(delta: ChoiceDelta) -> Iterator[Event]:
    thought = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(thought, str) and thought:
        yield ThinkingPiece(thought)
    if delta.content:
        yield TextPiece(delta.content)
    for call in delta.tool_calls or ():
        function = call.function
        yield CallPiece(
            call.index,
            call.id or "",
            (function.name if function else None) or "",
            (function.arguments if function else None) or "",
        )


def _usage(told: CompletionUsage | None) -> Usage | None:
    if told is None:
        return None
    cached = told.prompt_tokens_details and told.prompt_tokens_details.cached_tokens
    thought = told.completion_tokens_details and told.completion_tokens_details.reasoning_tokens
    return Usage(
        input=told.prompt_tokens or 0,
        output=told.completion_tokens or 0,
        cache_read=cached or 0,
        reasoning=thought or 0,
    )
