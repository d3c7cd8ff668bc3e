"""Claude Code's records as messages: blocks, voices, one usage for each answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from baodai.formats._claude_attachments import attachment_blocks
from baodai.formats._claude_rows import Body, Kind, Row, text_at
from baodai.formats._harness import named, user_text
from baodai.formats._layouts import at
from baodai.formats.anthropic_messages import blocks_of, usage_of
from baodai.formats.source import carried
from baodai.model import (
    Block,
    Message,
    Path,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Voice,
)
from baodai.structure import pair

_CONTENT: Path = ("message", "content")


def message_of(row: Row) -> Message:
    """The message of a row; it has no blocks where the model reads nothing of it."""
    answer = row.kind is Kind.ASSISTANT
    return Message(
        id=row.uuid,
        role=Role.ASSISTANT if answer else Role.USER,
        blocks=tuple(_blocks(row)),
        line=row.line,
        record=row.index,
        path=("message",) if row.kind in (Kind.USER, Kind.ASSISTANT) else (),
        group=row.group,
        is_summary=row.summary,
        model=text_at(row.body, "model") if answer else "",
        stop_reason=text_at(row.body, "stop_reason") if answer else "",
        timestamp=row.stamp,
    )


def _blocks(row: Row) -> Iterator[Block]:
    match row.kind:
        case Kind.USER:
            yield from blocks_of(row.content, _CONTENT, _speaker(row))
        case Kind.ASSISTANT:
            yield from carried(row.whole, ())
            yield from blocks_of(row.content, _CONTENT, Role.ASSISTANT)
        case Kind.ATTACHMENT:
            yield from attachment_blocks(row.body)
        case Kind.COMMAND:
            text = text_at(row.whole, "content")
            if text:
                yield Text(text, Voice.HARNESS, path=("content",))
        case Kind.QUEUE:
            yield user_text(text_at(row.whole, "content"), ("content",))
        case Kind.BOUNDARY | Kind.SILENT | Kind.UNKNOWN:
            return


def _speaker(row: Row) -> Role:
    """Injected text stands in user records too; the record says so, or its wrapper does."""
    notice = text_at(row.whole, "origin", "kind") not in ("", "human")
    return Role.SYSTEM if row.meta or row.summary or notice else Role.USER


def finished(
    messages: Sequence[Message], usages: Mapping[str, Usage], shared: frozenset[str]
) -> tuple[Message, ...]:
    """The messages with unique ids, tool names on results, one usage for each answer.

    The last record of an answer carries its usage. `shared` are uuids that several records have.
    """
    final = {m.group: i for i, m in enumerate(messages) if m.group}
    names = _names(messages)
    used: set[str] = set()
    done: list[Message] = []
    for i, message in enumerate(messages):
        key = message.id if message.id and message.id not in shared else f"{message.line}"
        while key in used:
            key += "'"
        used.add(key)
        usage = usages.get(message.group) if final.get(message.group) == i else None
        named = names.get(i)
        if key != message.id or usage is not None or named:
            blocks = _named(message.blocks, named) if named else message.blocks
            done.append(replace(message, id=key, usage=usage, blocks=blocks))
        else:
            done.append(message)
    return tuple(done)


def _named(blocks: Sequence[Block], names: Mapping[int, str]) -> tuple[Block, ...]:
    return tuple(
        named(block, names[j]) if j in names and isinstance(block, ToolResult) else block
        for j, block in enumerate(blocks)
    )


def _names(messages: Sequence[Message]) -> dict[int, dict[int, str]]:
    """The tool of each result, by message and block."""
    found: dict[int, dict[int, str]] = {}
    for (r, j), (c, k) in pair(messages).call_of.items():
        call = messages[c].blocks[k]
        if isinstance(call, ToolCall):
            found.setdefault(r, {})[j] = call.name
    return found


def answers_of(rows: Sequence[Row]) -> tuple[Message, ...]:
    """Every answer that a record tells the usage of, without blocks, the sub-agents' included."""
    found: dict[str, Message] = {}
    for row in rows:
        body, group = (row.body, row.group) if row.group else _sub_answer(row)
        usage = usage_of(body.get("usage")) if group else None
        if usage is None or not (usage.input or usage.output):
            continue
        found[group] = Message(
            group,
            Role.ASSISTANT,
            (),
            line=row.line,
            record=row.index,
            group=group,
            model=text_at(body, "model"),
            usage=usage,
            stop_reason=text_at(body, "stop_reason"),
            timestamp=row.stamp,
            sidechain=row.side or not row.group,
        )
    return tuple(found.values())


def _sub_answer(row: Row) -> tuple[Body, str]:
    """A sub-agent's answer as its progress tells it, and the id of that."""
    if row.kind is Kind.SILENT and text_at(row.whole, "data", "type") == "agent_progress":
        message = at(row.whole, ("data", "message", "message"))
        if isinstance(message, dict) and message.get("role") == "assistant":
            return message, text_at(message, "id")
    return {}, ""
