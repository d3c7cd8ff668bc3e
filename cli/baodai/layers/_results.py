"""What the layers that shrink results share: results with their calls, and their rewriting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from baodai.layers import Services
from baodai.model import Conversation, Message, ToolCall, ToolResult
from baodai.structure import pair
from baodai.truncation.output import cut_output


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A tool result in its place. `block` is its index in the message."""

    message: Message
    block: int
    result: ToolResult
    call: ToolCall | None

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return self.call.name if self.call is not None else self.result.name


def shown_results(conversation: Conversation) -> Iterator[ShownResult]:
    """All results with their calls, in order."""
    messages = conversation.messages
    call_of = pair(messages).call_of
    for i, message in enumerate(messages):
        for j, block in enumerate(message.blocks):
            if isinstance(block, ToolResult):
                place = call_of.get((i, j))
                call = None if place is None else messages[place[0]].blocks[place[1]]
                yield ShownResult(message, j, block, call if isinstance(call, ToolCall) else None)


def rewrite_results(
    conversation: Conversation, texts: Mapping[str, Mapping[int, str]]
) -> Iterator[Message]:
    """The messages named in `texts` with new result texts by block index."""
    for message in conversation.messages:
        new = texts.get(message.id)
        if new is not None:
            yield with_result_texts(message, new)


def with_result_texts(message: Message, texts: Mapping[int, str]) -> Message:
    """The message with new texts in the results at the given block indexes."""
    blocks = tuple(
        block.with_text(texts[j]) if j in texts and isinstance(block, ToolResult) else block
        for j, block in enumerate(message.blocks)
    )
    return replace(message, blocks=blocks)


def cut(text: str, shown: ShownResult, limit: int, services: Services) -> str:
    """A result's text in at most `limit` tokens of the counter, by the strategy of its tool."""
    return cut_output(
        text,
        call=shown.call,
        tool=shown.tool,
        toolbox=services.toolbox,
        limit=limit,
        count=services.meter.raw,
        language=services.language,
    )
