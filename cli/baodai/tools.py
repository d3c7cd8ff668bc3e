"""Tool names to kinds, and arguments to targets: one table that a user can extend.

The names are those of the agents whose transcripts are read (Claude Code, Codex, Cursor, Cline,
Copilot, Gemini CLI, Qwen Code, Kimi CLI, opencode, pi, OpenHands, SWE-agent, aider, …).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache

from baodai.jsonl import loads
from baodai.model import ToolCall


class Kind(StrEnum):
    """What a tool does, as far as shortening its output is concerned."""

    COMMAND = "command"
    READ = "read"
    WRITE = "write"
    SEARCH = "search"
    FETCH = "fetch"
    QUESTION = "question"
    PLAN = "plan"
    AGENT = "agent"
    OTHER = "other"


_NAMES: Mapping[Kind, str] = {
    Kind.COMMAND: (
        "bash shell sh zsh powershell pwsh cmd exec exec_command local_shell local_shell_call "
        "shell_command unified_exec write_stdin execute_bash execute_command run_terminal_cmd "
        "run_terminal_command run_in_terminal run_shell_command run_command run_cmd terminal "
        "bashoutput bash_output read_bash write_bash killshell kill_bash stop_bash execute_ipython_cell "
        "ipython python python_exec run_python code_interpreter execute_code run_code submit_code jupyter "
        "execute run runcommand terminal_execute process command bash_20250124 execute_sql "
        "get_terminal_output 执行命令 运行命令"
    ),
    Kind.READ: (
        "read read_file readfile view view_file open open_file cat notebookread read_many_files "
        "readmediafile view_image read_resource readmcpresourcetool get_file_contents "
        "read_text_file read_lines goto scroll_down scroll_up load_file fs_read 读取文件"
    ),
    Kind.WRITE: (
        "write write_file writefile edit edit_file editfile multiedit multi_edit create create_file "
        "apply_patch applypatch apply_diff replace replace_in_file str_replace strreplacefile "
        "str_replace_editor str_replace_based_edit_tool write_to_file insert insert_edit_into_file "
        "notebookedit edit_notebook_file delete_file remove_file move_file rename_file search_replace "
        "patch fs_write replace_string_in_file insert_content 写入文件 编辑文件"
    ),
    Kind.SEARCH: (
        "grep glob ls list list_dir list_directory list_files listfiles search search_files "
        "search_file_content codebase_search grep_search file_search find find_file search_dir "
        "search_file ripgrep rg websearch web_search google_web_search searchweb search_web "
        "toolsearch tool_search browser_search semantic_search fd tree search_code list_code_definition_names "
        "tavily_search duckduckgo_search 搜索 网页搜索"
    ),
    Kind.FETCH: (
        "webfetch web_fetch fetch fetch_url fetchurl browse browser visit visit_page open_url "
        "read_url get_url http_get crawl scrape web_crawler browser_action browser_navigate "
        "read_web_page jina_reader 访问网页"
    ),
    Kind.QUESTION: (
        "askuserquestion ask_user ask_followup_question ask_question request_user_input question "
        "ask_approval request_approval exitplanmode exit_plan_mode ask_human 询问用户"
    ),
    Kind.PLAN: (
        "todowrite todo_write todoread write_todos update_plan todo update_todo_list set_todo_list "
        "settodolist taskcreate taskupdate tasklist taskget manage_todo_list update_todos 更新计划"
    ),
    Kind.AGENT: (
        "task agent subagent dispatch_agent delegate spawn_agent new_task run_subagent wait_agent "
        "taskoutput send_input handoff call_agent multi_agent 子代理"
    ),
}
_KIND_OF: Mapping[str, Kind] = {
    name: kind for kind, names in _NAMES.items() for name in names.split()
}
_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Kind.FETCH, re.compile(r"fetch|crawl|scrape|navigate|browse|visit|url")),
    (Kind.SEARCH, re.compile(r"search|grep|find|query|list|lookup")),
    (Kind.WRITE, re.compile(r"write|edit|replace|patch|create_file|update_file|delete_file")),
    (Kind.READ, re.compile(r"read|view_file|get_file|open_file|cat_")),
    (Kind.COMMAND, re.compile(r"bash|shell|terminal|exec|run_(?:cmd|command|tests?)|command")),
)
_VIEWS = frozenset({"view", "read", "open", "view_range", "scroll"})
STRATEGY_OF: Mapping[Kind, str] = {
    Kind.COMMAND: "head_tail",
    Kind.READ: "head",
    Kind.WRITE: "none",
    Kind.SEARCH: "head_tail",
    Kind.FETCH: "head_tail",
    Kind.QUESTION: "none",
    Kind.PLAN: "none",
    Kind.AGENT: "head_tail",
    Kind.OTHER: "head_tail",
}
"""The default strategy of each kind (SPEC, layer 5)."""

LIMIT_OF: Mapping[Kind, int] = {
    Kind.COMMAND: 4_000,
    Kind.READ: 5_000,
    Kind.WRITE: 4_000,
    Kind.SEARCH: 3_000,
    Kind.FETCH: 4_000,
    Kind.QUESTION: 8_000,
    Kind.PLAN: 4_000,
    Kind.AGENT: 6_000,
    Kind.OTHER: 4_000,
}
"""Most tokens of one output of each kind. Public systems use 16,000 characters for a shell, 20,000
for a read, 8,000 for a search (4 characters a token); a sub-agent's report is a conclusion."""

_TARGETS: Mapping[Kind, tuple[str, ...]] = {
    Kind.COMMAND: (
        "command",
        "cmd",
        "code",
        "script",
        "input",
        "bash_command",
        "chars",
        "shell_id",
    ),
    Kind.READ: ("file_path", "path", "absolute_path", "filename", "file", "paths", "uri"),
    Kind.WRITE: (
        "file_path",
        "path",
        "absolute_path",
        "target_file",
        "filename",
        "file",
        "notebook_path",
    ),
    Kind.SEARCH: ("pattern", "query", "q", "regex", "search_term", "path", "queries"),
    Kind.FETCH: ("url", "urls", "uri", "link"),
    Kind.QUESTION: ("question", "questions", "plan", "prompt"),
    Kind.PLAN: ("title", "subject"),
    Kind.AGENT: ("description", "prompt", "task", "task_id", "message"),
    Kind.OTHER: ("path", "file_path", "url", "query", "name", "id", "key", "title"),
}
_PATCHED = re.compile(
    r"^\*\*\* (?:Add|Update|Delete) File: (?P<path>.+?)\s*$|^\+\+\+ (?:b/)?(?P<new>[^\t\n]+)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ToolRule:
    """What a user says of the tools whose names fit a glob; empty and `None`: as by default."""

    glob: str
    kind: str = ""
    strategy: str = ""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ToolTable:
    """The table with a user's rules in front. The first rule that fits a name counts."""

    rules: tuple[ToolRule, ...] = field(default=())

    def _rule(self, name: str) -> ToolRule | None:
        return next((rule for rule in self.rules if fnmatchcase(name, rule.glob)), None)

    def kind(self, name: str) -> Kind:
        """The kind of a tool by its name; what no one knows is `OTHER`."""
        rule = self._rule(name)
        return Kind(rule.kind) if rule is not None and rule.kind else _kind(name)

    def kind_of(self, name: str, call: ToolCall | None) -> Kind:
        """The kind of a call of the tool: editors that also read are told by their command."""
        kind = self.kind(name)
        if call is not None and kind is Kind.WRITE:
            command = arguments_of(call).get("command")
            if isinstance(command, str) and command in _VIEWS:
                return Kind.READ
        return kind

    def strategy(self, name: str, call: ToolCall | None = None) -> str:
        """The name of the strategy that cuts a tool's output, that of the call where it is known."""
        rule = self._rule(name)
        if rule is not None and rule.strategy:
            return rule.strategy
        return STRATEGY_OF[self.kind_of(name, call)]

    def limit(self, name: str, call: ToolCall | None = None) -> int:
        """Most tokens of one output of a tool, that of the call where it is known."""
        rule = self._rule(name)
        if rule is not None and rule.limit is not None:
            return rule.limit
        return LIMIT_OF[self.kind_of(name, call)]

    def target(self, call: ToolCall) -> str:
        """What a call is about, see `target_of`."""
        return target_of(call, self.kind_of(call.name, call))


def target_of(call: ToolCall, kind: Kind) -> str:
    """The path, command, query or URL a call of that kind is about.

    Several paths by line; empty where it tells none.
    """
    if call.freeform or (kind is Kind.WRITE and "*** Begin Patch" in call.arguments):
        paths = [m.group("path") or m.group("new") for m in _PATCHED.finditer(_patch(call))]
        if paths:
            return "\n".join(dict.fromkeys(paths))
        if call.freeform:
            return call.arguments.strip()
    arguments = arguments_of(call)
    for key in (*_TARGETS[kind], *_TARGETS[Kind.OTHER]):
        said = _as_text(arguments.get(key))
        if said:
            return said
    return ""


def _patch(call: ToolCall) -> str:
    """The text of a patch, out of its JSON where it stands in some."""
    if call.freeform:
        return call.arguments
    return "\n".join(v for v in map(_as_text, arguments_of(call).values()) if "***" in v)


@lru_cache(maxsize=4096)
def _kind(name: str) -> Kind:
    lower = name.lower().strip()
    found = _KIND_OF.get(lower) or _KIND_OF.get(lower.replace("-", "_"))
    if found is not None:
        return found
    last = re.split(r"__|\.|/|:", lower)[-1]
    found = _KIND_OF.get(last) or _KIND_OF.get(last.replace("-", "_"))
    if found is not None:
        return found
    return next((kind for kind, words in _WORDS if words.search(last)), Kind.OTHER)


def arguments_of(call: ToolCall) -> Mapping[str, object]:
    """The arguments as an object, double-encoded ones too; empty where they are none."""
    return _parsed(call.arguments) if not call.freeform else {}


@lru_cache(maxsize=2048)
def _parsed(arguments: str) -> Mapping[str, object]:
    value: object = arguments
    for _ in range(2):
        if not isinstance(value, str):
            break
        try:
            value = loads(value.encode("utf-8", "replace"))
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _as_text(value: object) -> str:
    """A target as text: a list of command words is joined, other lists by line."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        words = [str(item) for item in value]
        if words[0].rpartition("/")[2] in {"bash", "sh", "zsh"} and len(words) >= 3:
            return words[-1].strip()
        return " ".join(words)
    return str(value) if isinstance(value, int) else ""
