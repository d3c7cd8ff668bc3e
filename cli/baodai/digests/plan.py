"""Digest of plans: which items are open, in progress and done."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line
from baodai.model import ToolCall, ToolResult
from baodai.tools import arguments_of

_DONE = frozenset({"completed", "done", "complete", "finished", "cancelled", "canceled", "deleted"})
_LISTS = ("todos", "plan", "items", "tasks", "todo_list", "newTodos")


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a plan."""

    text: str
    status: str

    @property
    def is_open(self) -> bool:
        """Whether it still has to be done."""
        return self.status.lower() not in _DONE


def items_of(call: ToolCall | None) -> tuple[Item, ...]:
    """The items of a plan in the forms of the agents; none where a call holds no list."""
    arguments = arguments_of(call) if call is not None else {}
    found = next((v for k in _LISTS if isinstance(v := arguments.get(k), list)), [])
    items: list[Item] = []
    for item in found:
        if isinstance(item, dict):
            text = item.get("content") or item.get("step") or item.get("title") or item.get("text")
            done = item.get("status") or ("done" if item.get("done") else "pending")
            items.append(Item(one_line(str(text or ""), 200), str(done)))
    return tuple(items)


@dataclass(frozen=True, slots=True)
class PlanDigest:
    """Reads todo lists and plans."""

    name: str = "plan"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """Open items verbatim, done ones counted."""
        items = items_of(call)
        left = [f"open: {item.text}" for item in items if item.is_open]
        done = len(items) - len(left)
        told = (f"{done} of {len(items)} done", *left) if items else (one_line(result.text, 200),)
        return Outcome(
            kind="plan",
            tool=call.name if call is not None else result.name,
            action="planned",
            target="",
            status=Status.FAILED if result.is_error else Status.OK,
            conclusions=tuple(told),
        )


DIGEST = PlanDigest()
