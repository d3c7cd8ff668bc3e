"""The conversation: messages, their blocks, and the views turn and step.

Owns the vocabulary that every other module speaks. Frozen, no input or output, no format's quirk:
a codec in `formats/` decodes into these types and writes back from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

Path = tuple[str | int, ...]
"""Where a block stands inside its record: keys and indexes, outermost first."""


class Role(StrEnum):
    """Who a message speaks for, in the words of the chat APIs. A codec maps its own words here."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Voice(StrEnum):
    """Who really wrote a text: the role `user` also carries harness text and tool results."""

    HUMAN = "human"
    MODEL = "model"
    TOOL = "tool"
    HARNESS = "harness"


@dataclass(frozen=True, slots=True)
class Text:
    """Visible text.

    `spoken` is what a human wrote of it, where that is not the whole (`None`: all of it when the
    voice is human, nothing otherwise).
    """

    text: str
    voice: Voice = Voice.HARNESS
    spoken: str | None = None
    path: Path = field(default=(), compare=False)

    @property
    def words(self) -> str:
        """What a human wrote here."""
        if self.spoken is not None:
            return self.spoken
        return self.text if self.voice is Voice.HUMAN else ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning. With a signature it may be removed whole, never edited."""

    text: str
    signature: str = ""
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything a codec does not take apart: images, documents, server tools, unknown blocks.

    `visible` is the text the model reads of it (counted as text), `pixels` the size of an image
    (counted by rule), `note` a short description for a placeholder ("image/png, 110 x 90").
    """

    kind: str
    visible: str = ""
    pixels: tuple[int, int] | None = None
    note: str = ""
    path: Path = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call. `arguments` is the raw text: JSON, or free text where `freeform`."""

    id: str
    name: str
    arguments: str
    freeform: bool = False
    path: Path = field(default=(), compare=False)


Part = Text | Opaque


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came back for a call. `name` is the tool's name, from the format or from pairing."""

    call_id: str
    parts: tuple[Part, ...]
    is_error: bool = False
    name: str = ""
    path: Path = field(default=(), compare=False)

    @property
    def text(self) -> str:
        """The text parts, joined by a newline."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    def with_text(self, text: str, *, keep_opaque: bool = True) -> ToolResult:
        """This result with `text` in place of its text parts, in the place of the first one."""
        parts: list[Part] = []
        placed = False
        for part in self.parts:
            match part:
                case Text() if not placed:
                    parts.append(replace(part, text=text, spoken=None))
                    placed = True
                case Text():
                    continue
                case Opaque() if keep_opaque:
                    parts.append(part)
                case Opaque():
                    continue
        if not placed:
            parts.insert(0, Text(text, Voice.TOOL))
        return replace(self, parts=tuple(parts))


Block = Text | Thinking | ToolCall | ToolResult | Opaque


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a provider reported for the call that made a message.

    `input` is the whole prompt, cached parts included, whatever the provider's own meaning;
    `cache_write_1h` is the part of `cache_write` that lives for an hour, `None` where the provider
    did not say how long they live; `reasoning` is a part of `output`.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cache_write_1h: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One record's utterance.

    A format may spread one message of its API over several records; those share a `group`.
    `line` is the 1-based number of the record in its file, `record` the index into
    `Origin.records`, `path` the place of the message inside the record. `stop_reason` is the
    provider's own word; `stops.stop_of` tells what it means. `sidechain` marks an answer aside
    (`Origin.aside`) that a sub-agent gave.
    """

    id: str
    role: Role
    blocks: tuple[Block, ...]
    line: int = 0
    record: int = -1
    path: Path = ()
    group: str = ""
    is_summary: bool = False
    model: str = ""
    usage: Usage | None = None
    stop_reason: str = ""
    timestamp: str = ""
    sidechain: bool = False

    @property
    def text(self) -> str:
        """Its text blocks, joined by a newline."""
        return "\n".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def words(self) -> str:
        """What a human wrote here, tool results that carry the user's words included."""
        texts = (t for block in self.blocks for t in texts_of(block))
        return "\n".join(words for t in texts if (words := t.words))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Its tool results, in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))

    @property
    def starts_turn(self) -> bool:
        """Whether a human speaks here to the model, not only through a tool result."""
        if self.role is not Role.USER or self.is_summary:
            return False
        return any(isinstance(b, Text) and b.words.strip() for b in self.blocks) or (
            any(isinstance(b, Opaque) for b in self.blocks)
            and not self.results
            and not any(isinstance(b, Text) for b in self.blocks)
        )


def texts_of(block: Block) -> Iterator[Text]:
    """The text inside a block: itself, or the text parts of a result."""
    match block:
        case Text():
            yield block
        case ToolResult():
            yield from (part for part in block.parts if isinstance(part, Text))
        case Thinking() | ToolCall() | Opaque():
            return


@dataclass(frozen=True, slots=True)
class Origin:
    """What a conversation was decoded from: the bytes that stay the contract.

    `records` are raw byte lines (with their line ends) or one whole JSON document, including those
    that are no message; joined they are the conversation's part of the file. `messages` are the
    decoded ones, to tell what was edited. `container` names the layout in the codec's own words.
    `aside` are answers that were paid for but are not in the context (folded away, on a branch that
    was left, a sub-agent's): their usage, model, place and time, without blocks. `values` are what
    the records say, where a codec keeps that so that nothing is parsed twice.
    """

    format: str
    container: str
    records: tuple[bytes, ...]
    messages: tuple[Message, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()
    hints: tuple[tuple[str, str], ...] = ()
    aside: tuple[Message, ...] = ()
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Measure:
    """How an earlier compaction measured: tokens = `factor` x counted + `overhead`.

    Kept with the output where a format has a place for it, since the recorded usage it was fitted
    from is that of the longer conversation. `error` is a share; `fitted`: the factor is from usage.
    """

    factor: float
    overhead: int
    error: float
    fitted: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages the model would see next, in order.

    `tools` is the JSON text of tool schemas where the transcript has them, `first_turn` the number
    of the first turn (an earlier summary covers those before it), `rules` names the API whose
    validity rules hold (see `invariants`), `project` the folder it is about, `keeps_measure` that
    the format has a place for the measure even where nothing is folded.
    """

    id: str
    messages: tuple[Message, ...]
    origin: Origin = field(compare=False)
    rules: str = "openai"
    tools: str = ""
    model: str = ""
    project: str = ""
    first_turn: int = 1
    measure: Measure | None = None
    keeps_measure: bool = False

    def with_messages(self, messages: Sequence[Message]) -> Conversation:
        """The same conversation with other messages."""
        return replace(self, messages=tuple(messages))


@dataclass(frozen=True, slots=True)
class Step:
    """One assistant message with all its calls, and all results that answer it."""

    turn: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A message a human wrote, and all that follows until the next one.

    The turn before the first prompt (a greeting, an injected note) has no prompt.
    """

    number: int
    prompt: Message | None
    steps: tuple[Step, ...]

    @property
    def messages(self) -> tuple[Message, ...]:
        """All its messages, in order."""
        head = () if self.prompt is None else (self.prompt,)
        return head + tuple(m for step in self.steps for m in step.messages)
