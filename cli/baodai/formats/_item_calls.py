"""Calls and their outputs among the items of the Responses API.

A call is paired by `call_id`, never by the id of its item. Tools that the server runs keep call and
output in one item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from baodai.formats._harness import with_spoken
from baodai.formats._item_parts import dumped, part_of, parts_of
from baodai.formats._item_types import kind_of
from baodai.formats._layouts import at
from baodai.model import Block, Opaque, Part, Path, Role, Text, ToolCall, ToolResult, Voice

Item = Mapping[str, object]
Said = tuple[Role, list[Block]]
Reader = Callable[[Item, Path], Iterator[Said]]
"""What an item says: the role and the blocks of each of its messages."""


def _function_call(item: Item, path: Path) -> Iterator[Said]:
    yield Role.ASSISTANT, [_call(item, path, "arguments", str(item.get("name", "")))]


def _custom_call(item: Item, path: Path) -> Iterator[Said]:
    call = _call(item, path, "input", str(item.get("name", "")))
    yield Role.ASSISTANT, [replace(call, freeform=True)]


def _action_call(item: Item, path: Path) -> Iterator[Said]:
    """Calls of tools that the API itself knows: a shell, a patch, a computer, more tools."""
    kind = kind_of(item)
    member = ARGUMENTS[kind]
    yield Role.ASSISTANT, [_call(item, path, member, kind.removesuffix("_call"))]


ARGUMENTS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "local_shell_call": "action",
    "shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
    "mcp_call": "arguments",
    "code_interpreter_call": "code",
    "file_search_call": "queries",
}
"""The member that holds what a call asks for."""


def _call(item: Item, path: Path, member: str, name: str) -> ToolCall:
    value = item.get(member)
    arguments = value if isinstance(value, str) else "" if value is None else dumped(value)
    return ToolCall(call_id(item), name, arguments, path=path)


def call_id(item: Item) -> str:
    """What pairs a call with its output; a local shell's output names it `id`."""
    value = item.get("call_id") or item.get("id")
    return value if isinstance(value, str) else ""


def _output(item: Item, path: Path) -> Iterator[Said]:
    output = item.get("output")
    here = (*path, "output")
    failed = item.get("status") in {"failed", "incomplete"}
    if isinstance(output, Mapping) and isinstance(output.get("content"), str):
        # Early Codex kept whether it went well beside the text.
        failed = failed or output.get("success") is False
        parts: list[Part] = [Text(str(output["content"]), path=(*here, "content"))]
    elif isinstance(output, Mapping):
        parts = [part_of(output, here)]
    elif kind_of(item) == "shell_call_output":
        parts, failed = list(_streams(output, here)), failed or _exited(output)
    else:
        parts = list(parts_of(output, here))
    yield Role.TOOL, [_result(call_id(item), parts, path, failed=failed)]


def _streams(output: object, path: Path) -> Iterator[Part]:
    """What commands of a hosted shell printed."""
    for i, one in enumerate(output if isinstance(output, list) else ()):
        for key in ("stdout", "stderr"):
            text = at(one, (key,))
            if isinstance(text, str) and text:
                yield Text(text, path=(*path, i, key))


def _exited(output: object) -> bool:
    ones = output if isinstance(output, list) else []
    codes = [at(one, ("outcome", "exit_code")) for one in ones]
    late = any(at(one, ("outcome", "type")) == "timeout" for one in ones)
    return late or any(isinstance(code, int) and code != 0 for code in codes)


def _result(call: str, parts: list[Part], path: Path, *, failed: bool = False) -> ToolResult:
    spoken = [replace(p, voice=Voice.TOOL) if isinstance(p, Text) else p for p in parts]
    return with_spoken(ToolResult(call, tuple(spoken), failed, path=path))


def _found_tools(item: Item, path: Path) -> Iterator[Said]:
    """Tools found by a search: the model reads their schemas."""
    place = (*path, "tools")
    parts: list[Part] = [Opaque("tools", visible=dumped(item.get("tools")), path=place)]
    yield Role.TOOL, [_result(call_id(item), parts, path)]


# Server tools: call and output are one item.


def _mcp_call(item: Item, path: Path) -> Iterator[Said]:
    error = item.get("error")
    output = item.get("output")
    parts = list(parts_of(output, (*path, "output")))
    if not parts and error is not None:
        parts = list(parts_of(error, (*path, "error")))
    call = _call(item, path, "arguments", str(item.get("name", "")))
    yield from _joined(call, parts, path, failed=error is not None)


def _code_call(item: Item, path: Path) -> Iterator[Said]:
    call = replace(_call(item, path, "code", "code_interpreter"), freeform=True)
    outputs = item.get("outputs")
    ones = outputs if isinstance(outputs, list) else []
    parts = [_printed(one, (*path, "outputs", i)) for i, one in enumerate(ones)]
    yield from _joined(call, parts, path, failed=item.get("status") == "failed")


def _printed(output: object, path: Path) -> Part:
    logs = at(output, ("logs",))
    return Text(logs, path=(*path, "logs")) if isinstance(logs, str) else part_of(output, path)


def _file_search(item: Item, path: Path) -> Iterator[Said]:
    results = item.get("results")
    parts = [
        Text(text, path=(*path, "results", i, "text"))
        for i, one in enumerate(results if isinstance(results, list) else ())
        if isinstance(text := at(one, ("text",)), str)
    ]
    yield from _joined(_call(item, path, "queries", "file_search"), [*parts], path, failed=False)


def _joined(call: ToolCall, parts: list[Part], path: Path, *, failed: bool) -> Iterator[Said]:
    yield Role.ASSISTANT, [call]
    yield Role.TOOL, [_result(call.id, parts, (*path, "output"), failed=failed)]


CALLS: Mapping[str, Reader] = {
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call": _action_call,
    "local_shell_call_output": _output,
    "shell_call": _action_call,
    "shell_call_output": _output,
    "computer_call": _action_call,
    "computer_call_output": _output,
    "apply_patch_call": _action_call,
    "apply_patch_call_output": _output,
    "tool_search_call": _action_call,
    "tool_search_output": _found_tools,
    "mcp_call": _mcp_call,
    "code_interpreter_call": _code_call,
    "file_search_call": _file_search,
}
"""How each kind of call or output is read."""
