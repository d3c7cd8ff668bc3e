"""Digest of questions to the user: the question, and the user's answer verbatim."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.digests import Outcome, Status
from baodai.digests._lines import one_line
from baodai.model import Text, ToolCall, ToolResult
from baodai.tools import arguments_of


@dataclass(frozen=True, slots=True)
class QuestionDigest:
    """Reads question tools, approvals and plans shown to the user."""

    name: str = "question"

    def read(self, call: ToolCall | None, result: ToolResult) -> Outcome:
        """What was asked and what the user said."""
        words = "\n".join(p.words for p in result.parts if isinstance(p, Text) and p.words)
        refused = result.is_error or "doesn't want to" in result.text[:400]
        return Outcome(
            kind="question",
            tool=call.name if call is not None else result.name,
            action="asked the user",
            target=one_line(_question(call), 300),
            status=Status.FAILED if refused else Status.OK,
            conclusions=(words,) if words else (one_line(result.text, 300),),
        )


def _question(call: ToolCall | None) -> str:
    arguments = arguments_of(call) if call is not None else {}
    asked = arguments.get("questions")
    if isinstance(asked, list):
        return " / ".join(str(q.get("question", "")) for q in asked if isinstance(q, dict))
    return str(arguments.get("question") or arguments.get("plan") or "")


DIGEST = QuestionDigest()
