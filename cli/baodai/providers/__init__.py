"""Providers: who answers a request, as a stream of what comes.

Owns the protocol and its events. `live` speaks to an OpenAI-compatible endpoint (the only import
of openai), `scripted` plays one offline, `serving` puts any behind HTTP. Who asks (a summarizer,
the recovery of a cut answer, a judge) sees only this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from baodai.model import Usage

JSON = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked.

    `messages` and `tools` are in the form of OpenAI chat completions, `schema` a JSON schema that
    the answer must follow (an endpoint that knows none gets the request without it),
    `max_output_tokens` the cap of the answer (`None`: the endpoint's own), `seed` and `temperature`
    go along where set.
    """

    messages: tuple[JSON, ...]
    model: str
    max_output_tokens: int | None = None
    tools: tuple[JSON, ...] = ()
    schema: JSON | None = None
    temperature: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """Reasoning of the model, where the endpoint shows it."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A piece of a tool call: `index` tells parallel ones apart; id and name come once."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """The answer ended: `reason` in the provider's own word (`stops.stop_of` reads it)."""

    reason: str
    model: str = ""
    usage: Usage | None = None


Event = TextPiece | ThinkingPiece | CallPiece | End


class ProviderError(Exception):
    """The provider answered with an error, or the connection broke.

    `status` is the HTTP status, `None` where no answer came at all; `body` the answer as it came;
    `retry_after` seconds to wait, where the provider said so.
    """

    def __init__(self, status: int | None, body: str, retry_after: float | None = None) -> None:
        super().__init__(f"{status or 'no answer'}: {body[:500]}")
        self.status = status
        self.body = body
        self.retry_after = retry_after


class Provider(Protocol):
    """Answers requests."""

    name: str

    def stream(self, request: Request) -> Iterator[Event]:
        """The events of an answer as they come, `End` last.

        A stream that ends without `End` was cut off on the way.

        Raises:
            ProviderError: the request was refused or the connection broke, also in the middle.
        """
        ...
