"""Puts any provider behind a loopback endpoint that speaks OpenAI chat completions.

Owns the wire: requests in, server-sent events or one JSON body out, errors as the provider words
them. Whoever answers is a `Provider`; what it refuses comes out with its status and body, and where
it breaks off the connection does too, without the end that clients wait for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from baodai.model import Usage
from baodai.providers import (
    CallPiece,
    End,
    Event,
    Provider,
    ProviderError,
    Request,
    TextPiece,
    ThinkingPiece,
)

JSON = Mapping[str, object]

_CHAT = ("/v1/chat/completions", "/chat/completions")
_MODELS = ("/v1/models", "/models")
_LARGEST = 64 << 20
"""Bytes of a request that are read; a longer one is refused as gateways do."""

_CREATED = 0
"""Time stamps are not ours to take: the same answer has the same bytes."""


@dataclass(slots=True)
class Server:
    """An endpoint that is ready. `url` goes up to and with `/v1`."""

    url: str
    http: ThreadingHTTPServer = field(repr=False)

    def wait(self) -> None:
        """Serve in this thread until it is interrupted."""
        self.http.serve_forever(poll_interval=0.1)


def opened(provider: Provider, port: int = 0, *, model: str = "replay") -> Server:
    """An endpoint on 127.0.0.1, not serving yet; port 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """

    class Handler(_Handler):
        answers = provider
        served = model

    http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    http.daemon_threads = True
    return Server(f"http://127.0.0.1:{http.server_address[1]}/v1", http)


@contextmanager
def serving(provider: Provider, port: int = 0, *, model: str = "replay") -> Iterator[Server]:
    """Serve in the background while the block runs."""
    server = opened(provider, port, model=model)
    thread = Thread(target=server.wait, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """One connection; `answers` gives what is said."""

    answers: Provider
    served: str
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The models there are, and whether the endpoint is up (llama.cpp's clients ask)."""
        path = self.path.partition("?")[0].rstrip("/")
        if path in _MODELS:
            row = {"id": self.served, "object": "model", "created": _CREATED, "owned_by": "baodai"}
            self._json(200, {"object": "list", "data": [row]})
        elif path in {"/health", "/v1/health"}:
            self._json(200, {"status": "ok"})
        else:
            self._json(404, _error(f"no such path: {path}", "not_found_error"))

    def do_POST(self) -> None:
        """A chat completion."""
        body = self._body()
        if body is None:
            return
        if self.path.partition("?")[0].rstrip("/") not in _CHAT:
            self._json(404, _error(f"no such path: {self.path}", "not_found_error"))
            return
        try:
            asked = request_of(json.loads(body))
        except (ValueError, TypeError) as error:
            self._json(400, _error(str(error), "invalid_request_error"))
            return
        try:
            self._answer(asked, json.loads(body))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client went away: nothing to tell anybody

    def log_message(self, *_: object) -> None:
        """Nothing is logged: stderr belongs to the command."""

    def _body(self) -> bytes | None:
        size = self.headers.get("Content-Length", "")
        if not size.isdigit():
            self._json(411, _error("Content-Length is required", "invalid_request_error"))
            return None
        if int(size) > _LARGEST:
            self.close_connection = True
            self._json(413, _error("request entity too large", "request_too_large"))
            return None
        return self.rfile.read(int(size))

    def _answer(self, asked: Request, body: JSON) -> None:
        events = iter(self.answers.stream(asked))
        try:
            first = next(events, None)  # a refusal comes before the first event, as a status
        except ProviderError as error:
            self._refused(error)
            return
        come = _chained(first, events)
        if not body.get("stream"):
            self._whole(come, asked)
            return
        options = body.get("stream_options")
        usage = isinstance(options, Mapping) and bool(options.get("include_usage"))
        self._streamed(come, asked, usage=usage)

    def _streamed(self, events: Iterator[Event], asked: Request, *, usage: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        end: End | None = None
        self._event(_chunk(asked.model, {"role": "assistant", "content": ""}))
        try:
            for event in events:
                if isinstance(event, End):
                    end = event
                else:
                    self._event(_chunk(asked.model, _delta(event)))
        except ProviderError as error:
            if error.status is not None:  # refused in the middle: said in the stream
                self._event(_loaded(error.body))
        if end is None:
            self.close_connection = True  # without the last chunk: the client sees it broke off
            return
        self._event(_chunk(asked.model, {}, end.reason))
        if usage:
            last = {**_chunk(asked.model, {}), "choices": [], "usage": _usage(end.usage)}
            self._event(last)
        self._piece(b"data: [DONE]\n\n")
        self._piece(b"")

    def _whole(self, events: Iterator[Event], asked: Request) -> None:
        """The answer in one body; one that broke off is no answer."""
        try:
            come = list(events)
        except ProviderError as error:
            self._refused(error)
            return
        end = come[-1] if come else None
        if not isinstance(end, End):
            self.close_connection = True
            return
        choice = {"index": 0, "message": _message(come), "finish_reason": end.reason}
        answer = {**_head(asked.model, "chat.completion"), "choices": [choice]}
        self._json(200, {**answer, "usage": _usage(end.usage)})

    def _refused(self, error: ProviderError) -> None:
        if error.status is None:
            self.close_connection = True
            return
        after = {} if error.retry_after is None else {"Retry-After": f"{error.retry_after:g}"}
        self._send(error.status, error.body.encode("utf-8", "replace"), after)

    def _json(self, status: int, value: JSON) -> None:
        self._send(status, _dumped(value), {})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _event(self, value: JSON) -> None:
        self._piece(b"data: " + _dumped(value) + b"\n\n")

    def _piece(self, data: bytes) -> None:
        """One chunk of the transfer; an empty one ends it."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def request_of(body: object) -> Request:
    """What a chat-completions body asks for.

    Raises:
        TypeError: it is no object, or has no list of messages.
    """
    if not isinstance(body, Mapping):
        raise TypeError("the body is no JSON object")
    messages = body.get("messages")
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise TypeError("messages: a list with at least one message is required")
    cap = body.get("max_completion_tokens") or body.get("max_tokens")
    tools = body.get("tools")
    seed, temperature = body.get("seed"), body.get("temperature")
    return Request(
        tuple(m for m in messages if isinstance(m, Mapping)),
        str(body.get("model") or ""),
        cap if isinstance(cap, int) else None,
        tuple(t for t in tools if isinstance(t, Mapping)) if isinstance(tools, list) else (),
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        seed=seed if isinstance(seed, int) else None,
    )


def _chained(first: Event | None, rest: Iterator[Event]) -> Iterator[Event]:
    if first is not None:
        yield first
        yield from rest


def _head(model: str, kind: str) -> dict[str, object]:
    return {"id": "chatcmpl-replay", "object": kind, "created": _CREATED, "model": model}


def _chunk(model: str, delta: JSON, reason: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": reason}
    return {**_head(model, "chat.completion.chunk"), "choices": [choice]}


def _delta(event: Event) -> dict[str, object]:
    match event:
        case TextPiece():
            return {"content": event.text}
        case ThinkingPiece():
            return {"reasoning_content": event.text}
        case CallPiece():
            return {"tool_calls": [{"index": event.index, **_call(event)}]}
        case End():
            return {}


def _call(piece: CallPiece) -> dict[str, object]:
    function = {"name": piece.name} if piece.name else {}
    named = {"id": piece.id, "type": "function"} if piece.id else {}
    return {**named, "function": {**function, "arguments": piece.arguments}}


def _message(events: Sequence[Event]) -> dict[str, object]:
    """The pieces put together, as the body that is not streamed has them."""
    text = "".join(e.text for e in events if isinstance(e, TextPiece))
    thought = "".join(e.text for e in events if isinstance(e, ThinkingPiece))
    calls: dict[int, CallPiece] = {}
    for e in events:
        if isinstance(e, CallPiece):
            had = calls.get(e.index, CallPiece(e.index))
            arguments = had.arguments + e.arguments
            calls[e.index] = CallPiece(e.index, had.id or e.id, had.name or e.name, arguments)
    message: dict[str, object] = {"role": "assistant", "content": text or None}
    if thought:
        message["reasoning_content"] = thought
    if calls:
        message["tool_calls"] = [_call(calls[index]) for index in sorted(calls)]
    return message


def _usage(usage: Usage | None) -> dict[str, object] | None:
    if usage is None:
        return None
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def _error(message: str, kind: str) -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "code": None, "param": None}}


def _loaded(body: str) -> JSON:
    """An error body as JSON; other words are put into one."""
    try:
        value = json.loads(body)
    except ValueError:
        return _error(body, "server_error")
    return value if isinstance(value, Mapping) else _error(body, "server_error")


def _dumped(value: JSON) -> bytes:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
