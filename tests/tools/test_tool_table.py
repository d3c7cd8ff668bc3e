"""Tools of all agents have a kind, a strategy and a target; a user's rules come first."""

from __future__ import annotations

import pytest

from baodai.model import ToolCall
from baodai.tools import Kind, ToolRule, ToolTable, arguments_of
from baodai.truncation import strategies

TABLE = ToolTable()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Bash", Kind.COMMAND),
        ("exec_command", Kind.COMMAND),
        ("execute_bash", Kind.COMMAND),
        ("run_terminal_cmd", Kind.COMMAND),
        ("run_shell_command", Kind.COMMAND),
        ("Read", Kind.READ),
        ("read_file", Kind.READ),
        ("MultiEdit", Kind.WRITE),
        ("apply_patch", Kind.WRITE),
        ("Grep", Kind.SEARCH),
        ("WebSearch", Kind.SEARCH),
        ("WebFetch", Kind.FETCH),
        ("AskUserQuestion", Kind.QUESTION),
        ("TodoWrite", Kind.PLAN),
        ("update_plan", Kind.PLAN),
        ("Task", Kind.AGENT),
        ("mcp__files__read_file", Kind.READ),
        ("mcp__jira__search_issues", Kind.SEARCH),
        ("book_reservation", Kind.OTHER),
    ],
)
def test_a_tool_is_known_by_its_name_in_any_agent(name: str, kind: Kind) -> None:
    assert TABLE.kind(name) is kind
    assert TABLE.strategy(name) in strategies()
    assert TABLE.limit(name) > 0


def test_an_editor_that_views_is_a_read() -> None:
    view = ToolCall("1", "str_replace_editor", '{"command": "view", "path": "/a.py"}')
    edit = ToolCall("2", "str_replace_editor", '{"command": "str_replace", "path": "/a.py"}')
    assert TABLE.kind_of(view.name, view) is Kind.READ
    assert TABLE.kind_of(edit.name, edit) is Kind.WRITE
    assert TABLE.strategy(view.name, view) == TABLE.strategy("Read")
    assert TABLE.limit(view.name, view) == TABLE.limit("Read")


@pytest.mark.parametrize(
    ("name", "arguments", "target"),
    [
        ("Bash", '{"command": "make test"}', "make test"),
        ("shell", '{"command": ["bash", "-lc", "ls -la"]}', "ls -la"),
        ("Read", '{"file_path": "/a/b.py", "offset": 3}', "/a/b.py"),
        ("WebFetch", '{"url": "https://example.org/甲"}', "https://example.org/甲"),
        ("Grep", '{"pattern": "错误", "path": "src"}', "错误"),
        ("Read", "not json", ""),
        ("Read", '"{\\"path\\": \\"/twice.py\\"}"', "/twice.py"),
    ],
)
def test_a_call_is_about_a_target(name: str, arguments: str, target: str) -> None:
    assert TABLE.target(ToolCall("1", name, arguments)) == target


def test_a_patch_is_about_all_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n+x\n*** Add File: b.py\n+y\n*** End Patch"
    call = ToolCall("1", "apply_patch", patch, freeform=True)
    assert TABLE.target(call) == "a.py\nb.py"


def test_a_users_rule_for_a_glob_comes_first() -> None:
    table = ToolTable((ToolRule("mcp__*", "command", "json", 77),))
    name = "mcp__any__read_file"
    assert (table.kind(name), table.strategy(name), table.limit(name)) == (Kind.COMMAND, "json", 77)
    assert table.kind("Read") is Kind.READ


def test_arguments_that_are_none_are_empty() -> None:
    assert arguments_of(ToolCall("1", "x", "[1, 2]")) == {}
    assert arguments_of(ToolCall("1", "x", "free text", freeform=True)) == {}
