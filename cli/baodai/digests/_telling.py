"""Lines that tell what came of a command: how test runners, compilers and git close."""

from __future__ import annotations

import re

_PATTERNS = (
    r"={3,}.*\b(?:passed|failed|error|skipped|warnings?|no tests ran)\b.*={3,}",  # pytest
    r".*\b\d+ (?:passed|failed|errors?|skipped|pending|failing|passing|todo)\b.*",
    r"(?:FAILED|ERROR) \S+.*",  # pytest's short summary
    r"(?:Ran \d+ tests?.*|OK(?: \(.*\))?|FAILED \(.*\))",  # unittest
    r"(?:Tests?|Test Suites|Test Files|Suites|Snapshots):? +\d.*",  # jest, vitest
    r"(?:ok|FAIL|---? FAIL:|--- PASS:|PASS)\s+\S+.*|PASS|FAIL",  # go test
    r"test result: .*",  # cargo test
    r"(?:Tests run: \d+.*|BUILD (?:SUCCESS|SUCCESSFUL|FAILED|FAILURE).*)",  # maven, gradle
    r"(?:error(?:\[E\d+\])?: .*|warning: `.*` .*generated \d+ warnings?.*|Finished .* target\(s\).*)",
    r"(?:Found \d+ errors?.*|All checks passed!?|Success: no issues found.*)",  # tsc, mypy, ruff
    r".*\b\d+ problems? \(.*\)",  # eslint
    r"(?:make(?:\[\d+\])?: \*\*\* .*|ninja: .*|gcc: .*|ld: .*)",
    r"\[[\w./#-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] .*",  # git commit
    r" *\d+ files? changed.*",
    r"(?: ?[*+!=-]? ?\[(?:new branch|new tag|rejected|deleted|up to date)\].*|.*[0-9a-f]{7,}\.\.\.?[0-9a-f]{7,} .*->.*)",
    r"(?:Everything up-to-date|Already up to date\.?|nothing to commit.*|On branch \S+|HEAD is now at .*)",
    r"(?:CONFLICT .*|Automatic merge failed.*|Merge made by.*|Fast-forward|Switched to .*)",
    r"(?:Successfully (?:installed|built|tagged|rebased).*|added \d+ packages?.*|up to date, audited.*)",
    r"(?:found \d+ vulnerabilit.*|npm ERR! .*|ERR_\w+.*)",
    r"https://github\.com/\S+/(?:pull|issues)/\d+\S*",  # gh
    r"(?:Apply complete!.*|Plan: \d+ to add.*|.*\b(?:deployed|created|configured|unchanged|deleted))",
    r"(?:HTTP/[\d.]+ \d{3}.*|curl: \(\d+\).*)",
    r"(?:Command timed out.*|.*timed? ?out after.*|Killed|Terminated|Segmentation fault.*)",
    r"(?:\w+(?:\.\w+)*(?:Error|Exception|Warning)\b: .*|panic: .*|thread '.*' panicked at .*)",
    r"(?:bash: .*|zsh: .*|sh: .*|.*: (?:command not found|No such file or directory|Permission denied))",
    r".*(?:构建(?:成功|失败)|编译(?:成功|失败|通过)|测试(?:通过|失败|全部通过)|错误[:：]|失败[:：]|成功[:：]|共 ?\d+ ?个).*",
    r"(?:TOTAL|Total|total|SUM|Summary|Result|Results?|Status|Overall|Coverage)\b.*\d.*",
    r"(?:RESULT|STATUS|DECISION|VERDICT|ROOT CAUSE|FATAL|CRITICAL|ALERT)\b.*",
    r"(?:✓|✔|✗|✘|✅|❌|⚠️?) .*",
)
_TELLING = re.compile("[ \t]*(?:" + "|".join(f"(?:{p})" for p in _PATTERNS) + ")$")
_HINT = re.compile(
    r"pass|PASS|fail|FAIL|rror|ERR|ok|OK|[Tt]ests?\b|Suites|BUILD|arning|Finished|Found|hecks|uccess|problem|make|ninja"
    r"|gcc|ld:|changed|\[|\.\.|up[- ]to|commit|branch|HEAD|CONFLICT|erge|Fast|Switched|nstalled|built|packages|vulnerab"
    r"|github|Apply|Plan|deployed|reated|configured|eleted|HTTP|curl|time|Killed|Termin|Segm|xception|panic|bash|zsh|sh:"
    r"|ot found|No such|denied|构建|编译|测试|错误|失败|成功|共|[Tt]otal|TOTAL|SUM|Summary|Result|RESULT|[Ss]tatus|STATUS|Overall"
    r"|overage|DECISION|VERDICT|ROOT|FATAL|CRITICAL|ALERT|[✓✔✗✘✅❌⚠]"
)
_LONG = 1_000


def telling_lines(text: str) -> list[str]:
    """The lines that tell what came of a command, in order; a cheap look goes before the match."""
    return [
        line
        for line in text.splitlines()
        if len(line) <= _LONG and _HINT.search(line) and _TELLING.match(line)
    ]


FAILING = re.compile(
    r"\b[1-9]\d* (?:failed|failing|errors?)\b|\bFAIL(?:ED|URE)?\b|BUILD FAIL|error(?:\[E\d+\])?: "
    r"|CONFLICT|rejected\]|panic|Traceback|command not found|(?:构建|编译|测试)失败|npm ERR!|\*\*\* ",
)
"""Matches a telling line that speaks of failure."""
