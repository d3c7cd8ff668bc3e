"""Reads a rollout's records into the history that the model sees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from baodai.formats._items import folds, in_groups, is_item, opens_rollout, read_item
from baodai.formats._layouts import at
from baodai.model import Message, Path, Role, Usage

_SILENT = frozenset({"world_state", "turn_context", "session_meta", "event_msg", "state"})
_EVENTS = re.compile(
    r"token_count|agent_(message|reasoning\w*)|user_message|task_\w+|turn_\w+|context_compacted"
    r"|(exec_command|patch_apply|mcp_tool_call|web_search)_\w+|error|warning|item_\w+|plan_update"
    r"|thread_\w+|background_event|view_image_tool_call|session_configured|stream_error"
    r"|(entered|exited)_review_mode|undo_\w+|shutdown_complete"
)
"""Events for the screen: they mirror items, count, or say how a turn goes."""


class History:
    """The history as it grows, record by record."""

    def __init__(self) -> None:
        self.known: list[Message] = []
        self.aside: list[Message] = []
        self.unknown: Counter[str] = Counter()
        self.model = self.project = self.session = ""
        self._total: object = None
        self._count = 0

    def take(self, index: int, line: int, value: object) -> None:
        """One record."""
        if not isinstance(value, Mapping):
            return
        kind, payload = value.get("type"), value.get("payload")
        if not isinstance(payload, Mapping):
            self._bare(index, line, value)
            return
        stamp = str(value.get("timestamp", ""))
        if kind == "response_item":
            self._item(payload, self._place(index, line, (), stamp), ("payload",))
        elif kind == "compacted":
            self._compacted(payload, index, line, stamp)
        elif kind == "event_msg":
            self._event(payload)
        elif kind in {"session_meta", "turn_context"}:
            self._about(payload)
        elif kind not in _SILENT:
            self.unknown[str(kind)] += 1

    def finished(self) -> tuple[list[Message], tuple[Message, ...]]:
        """The messages in their groups, and the answers that were paid but left the context."""
        grouped = in_groups([m for m in self.known if m.blocks])
        return grouped, tuple(m for m in self.aside if m.usage is not None)

    def _bare(self, index: int, line: int, value: Mapping[str, object]) -> None:
        """A record of an old rollout: an item without its envelope, or the header."""
        if is_item(value):
            self._item(value, self._place(index, line, (), ""), ())
        elif opens_rollout(value):
            self._about(value)
        elif "record_type" not in value:
            self.unknown[str(value.get("type", "record"))] += 1

    def _place(self, index: int, line: int, path: Path, stamp: str) -> Message:
        self._count += 1
        return Message(f"{line}.{self._count}", Role.USER, (), line, index, path, timestamp=stamp)

    def _item(self, value: Mapping[str, object], place: Message, prefix: Path) -> None:
        if not is_item(value):
            self.unknown[f"item/{value.get('type')}"] += 1
            return
        if folds(value):
            self._folded()
        self.known.append(replace(read_item(value, place, prefix), model=self.model))

    def _compacted(self, payload: Mapping[str, object], index: int, line: int, stamp: str) -> None:
        """The history that replaces the one so far; without one, it is the message."""
        self._folded(keep=False)
        history = payload.get("replacement_history")
        for i, item in enumerate(history if isinstance(history, list) else ()):
            path: Path = ("payload", "replacement_history", i)
            if isinstance(item, Mapping):
                place = self._place(index, line, path, stamp)
                if is_item(item):
                    self.known.append(read_item(item, place, path))
        if not isinstance(history, list) and isinstance(payload.get("message"), str):
            place = self._place(index, line, ("payload", "message"), stamp)
            said = {"type": "message", "role": "developer", "content": payload["message"]}
            read = read_item(said, place, ())
            blocks = tuple(replace(b, path=("payload", "message")) for b in read.blocks)
            self.known.append(replace(read, blocks=blocks, is_summary=True))

    def _folded(self, *, keep: bool = True) -> None:
        """All so far left the context; system messages are kept where an item folds."""
        self.aside.extend(replace(m, blocks=()) for m in self.known if m.usage is not None)
        self.known = [m for m in self.known if keep and m.role is Role.SYSTEM]

    def _event(self, payload: Mapping[str, object]) -> None:
        kind = str(payload.get("type"))
        if kind == "token_count":
            self._usage(payload)
        elif kind == "thread_rolled_back":
            turns = payload.get("num_turns")
            self._rolled_back(turns if isinstance(turns, int) else 1)
        elif not _EVENTS.fullmatch(kind):
            self.unknown[f"event/{kind}"] += 1

    def _usage(self, payload: Mapping[str, object]) -> None:
        """What the last request took. The counter is sent again without one: its total tells."""
        total = at(payload, ("info", "total_token_usage"))
        last = at(payload, ("info", "last_token_usage"))
        if not isinstance(total, Mapping) or not isinstance(last, Mapping) or total == self._total:
            return
        self._total = total
        usage = Usage(
            _int(last, "input_tokens"),
            _int(last, "output_tokens"),
            _int(last, "cached_input_tokens"),
            0,
            _int(last, "reasoning_output_tokens"),
        )
        for i in range(len(self.known) - 1, -1, -1):
            message = self.known[i]
            if message.role is Role.ASSISTANT and message.usage is None:
                self.known[i] = replace(message, usage=usage)
                return
            if message.role is not Role.TOOL:
                break
        self.aside.append(Message(f"u{len(self.aside)}", Role.ASSISTANT, (), usage=usage))

    def _rolled_back(self, turns: int) -> None:
        """The last turns were taken back by the user."""
        starts = [i for i, m in enumerate(self.known) if m.starts_turn]
        if starts and turns > 0:
            cut = starts[max(0, len(starts) - turns)]
            self.aside.extend(replace(m, blocks=()) for m in self.known[cut:])
            del self.known[cut:]

    def _about(self, payload: Mapping[str, object]) -> None:
        """What the session is; it may be said again when it is resumed."""
        for key, name in (("model", "model"), ("cwd", "project")):
            said = payload.get(key)
            if isinstance(said, str) and said:
                setattr(self, name, said)
        ident = payload.get("id")
        if isinstance(ident, str) and not self.session:
            self.session = ident


def _int(value: Mapping[str, object], key: str) -> int:
    found = value.get(key)
    return found if isinstance(found, int) else 0
