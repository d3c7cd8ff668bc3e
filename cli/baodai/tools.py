"""Tool names to kinds, and arguments to targets: one table that a user can extend."""

from __future__ import annotations

from enum import StrEnum


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
