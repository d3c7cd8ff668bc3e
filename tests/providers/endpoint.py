"""An endpoint on loopback that answers what a test tells it to, and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread


@dataclass(frozen=True)
class Says:
    """An answer: its text, and why it ended; `pieces` of it come one by one.

    `breaks`: the connection ends in the middle, without a reason.
    """

    text: str = ""
    reason: str = "stop"
    thinking: str = ""
    calls: tuple[Mapping[str, object], ...] = ()
    usage: Mapping[str, object] | None = None
    breaks: bool = False
    size: int = 7


@dataclass(frozen=True)
class Refuses:
    """An error: its status, its body as it is, its headers."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Says | Refuses
Asked = dict[str, object]
Script = Callable[[Asked], Reply]


@dataclass
class Endpoint:
    """The address, and the requests so far."""

    url: str
    asked: list[Asked]


@contextmanager
def endpoint(script: Script | list[Reply]) -> Iterator[Endpoint]:
    """Serve a script: a function of the request, or replies in order (the last one again)."""
    asked: list[Asked] = []
    lock = Lock()

    def reply(request: Asked) -> Reply:
        with lock:
            asked.append(request)
            number = len(asked) - 1
        if callable(script):
            return script(request)
        return script[min(number, len(script) - 1)]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            _send(self, reply(json.loads(self.rfile.read(size))))

        def log_message(self, *_: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _send(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    if isinstance(reply, Refuses):
        body = reply.body.encode()
        handler.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.end_headers()
    for chunk in _chunks(reply):
        handler.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
    if reply.breaks:
        handler.connection.close()
        return
    handler.wfile.write(b"data: [DONE]\n\n")


def _chunks(reply: Says) -> Iterator[Mapping[str, object]]:
    if reply.thinking:
        yield _chunk({"reasoning_content": reply.thinking})
    for i in range(0, len(reply.text), reply.size):
        yield _chunk({"content": reply.text[i : i + reply.size]})
    for i, call in enumerate(reply.calls):
        yield _chunk({"tool_calls": [{"index": i, **call}]})
    if reply.breaks:
        return
    yield _chunk({}, reply.reason)
    if reply.usage is not None:
        yield {**_chunk({}), "choices": [], "usage": reply.usage}


def _chunk(delta: Mapping[str, object], reason: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": reason}
    return {
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [choice],
    }  # fmt: skip
