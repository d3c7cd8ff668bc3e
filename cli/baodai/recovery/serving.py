"""`replay --serve`: the scripted provider behind a loopback endpoint that speaks chat completions.

Any real client can be tried against it: streaming or not, usage, cuts, tool calls, refusals in a
provider's words, broken connections. A request that goes on from an answer it gave (the end of it
as the last assistant message) gets the next piece; any other gets the next answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

from baodai.decisions.language import language_of_text
from baodai.model import Conversation
from baodai.providers import JSON, CallPiece, End, Event, ProviderError, Request, TextPiece
from baodai.providers.scripted import Line, ScriptedProvider, voices
from baodai.recovery.engine import Count
from baodai.recovery.replay import Play, answers

_LOOPBACK = "127.0.0.1"
_OPEN = 64
"""Answers that may be gone on with at a time."""


def lines_of(conversation: Conversation) -> Iterator[Line]:
    """The assistant's answers as the provider will speak them."""
    for _, message in answers(conversation):
        yield Line(message.text, tuple((c.id, c.name, c.arguments) for c in message.calls))


@dataclass(slots=True)
class Desk:
    """Which answer a request gets: the next one, or the next piece of one that was begun."""

    lines: Sequence[Line]
    play: Play
    count: Count
    _begun: list[ScriptedProvider] = field(default_factory=list)
    _next: int = 0
    _lock: Lock = field(default_factory=Lock)

    def provider(self, messages: Sequence[JSON]) -> ScriptedProvider:
        """The provider that answers these messages."""
        with self._lock:
            anchor = _anchor(messages)
            for known in reversed(self._begun if anchor else []):
                said = known.line.text[: known.at].rstrip()
                if said.endswith(anchor) or (said and anchor.endswith(said)):
                    return known
            line = self.lines[self._next % len(self.lines)] if self.lines else Line("")
            self._next += 1
            play = self.play
            made = ScriptedProvider(
                line,
                self.count,
                play.profile,
                voices()[play.provider],
                play.seed,
                play.window,
                language_of_text(line.text or "en"),
            )
            self._begun = [*self._begun[-_OPEN:], made]
            return made


def _anchor(messages: Sequence[JSON]) -> str:
    """The end of an answer that the request goes on from; empty: it does not."""
    tail = [m for m in messages if m.get("role") in {"assistant", "user"}][-2:]
    going = [m.get("role") for m in tail] == ["assistant", "user"]
    return str(tail[0].get("content") or "").rstrip() if going else ""


class Server:
    """The endpoint. `url` is what a client takes as its base URL."""

    def __init__(self, lines: Sequence[Line], play: Play, count: Count, port: int = 0) -> None:
        handler = type("Handler", (_Handler,), {"desk": Desk(lines, play, count)})
        self._server = ThreadingHTTPServer((_LOOPBACK, port), handler)
        self.url = f"http://{_LOOPBACK}:{self._server.server_address[1]}/v1"

    def run(self) -> None:
        """Answer until interrupted or stopped."""
        try:
            self._server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            self._server.server_close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """One request of a client."""

    desk: Desk

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The list of models, which some clients ask for first."""
        self._whole(200, {"object": "list", "data": [{"id": "replay", "object": "model"}]})

    def do_POST(self) -> None:
        """A completion, streamed or whole."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        messages = tuple(body.get("messages") or ())
        cap = body.get("max_completion_tokens") or body.get("max_tokens") or self.desk.play.cap
        events = self.desk.provider(messages).stream(Request(messages, "replay", int(cap)))
        try:
            if body.get("stream"):
                usage = bool((body.get("stream_options") or {}).get("include_usage"))
                self._streamed(events, usage=usage)
            else:
                self._at_once(events)
        except ProviderError as refused:
            self._whole(refused.status or 500, refused.body)
        except ConnectionError:
            self.close_connection = True

    def _whole(self, status: int, body: object) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _at_once(self, events: Iterator[Event]) -> None:
        found = list(events)
        if not found or not isinstance(found[-1], End):
            self.close_connection = True  # it broke off before its end
            return
        self._whole(200, completion(found))

    def _streamed(self, events: Iterator[Event], *, usage: bool) -> None:
        first = next(events, None)  # a refusal comes before any header
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        event = first
        while event is not None:
            for chunk in chunks(event, usage=usage):
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            if isinstance(event, End):
                self.wfile.write(b"data: [DONE]\n\n")
            self.wfile.flush()
            event = next(events, None)

    def log_message(self, *_: object) -> None:
        """Nothing: stderr is for what a user should know."""


def _head(kind: str) -> dict[str, object]:
    return {"id": "chatcmpl-replay", "object": kind, "created": 0, "model": "replay"}


def _call(event: CallPiece) -> dict[str, object]:
    function = {"name": event.name, "arguments": event.arguments}
    return {"index": event.index, "id": event.id, "type": "function", "function": function}


def _usage(end: End) -> dict[str, int] | None:
    used = end.usage
    if used is None:
        return None
    total = used.input + used.output
    return {
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": total,
    }


def chunks(event: Event, *, usage: bool) -> Iterator[dict[str, object]]:
    """The chunks of a stream that an event becomes."""
    delta: dict[str, object] = {}
    reason: str | None = None
    match event:
        case TextPiece():
            delta = {"role": "assistant", "content": event.text}
        case CallPiece():
            delta = {"role": "assistant", "tool_calls": [_call(event)]}
        case End():
            reason = event.reason
        case _:
            return
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    yield {**_head("chat.completion.chunk"), "choices": [choice]}
    if isinstance(event, End) and usage:
        yield {**_head("chat.completion.chunk"), "choices": [], "usage": _usage(event)}


def completion(events: Sequence[Event]) -> dict[str, object]:
    """The whole answer as one body."""
    end = events[-1]
    text = "".join(e.text for e in events if isinstance(e, TextPiece))
    calls = [_call(e) for e in events if isinstance(e, CallPiece)]
    message: dict[str, object] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": end.reason if isinstance(end, End) else None,
    }
    used = _usage(end) if isinstance(end, End) else None
    return {**_head("chat.completion"), "choices": [choice], "usage": used}
