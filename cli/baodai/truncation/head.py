"""Strategy `head`: the beginning, whole lines, and where to go on. For file reads."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.truncation import Count, CutContext
from baodai.truncation._fit import fit, head_of
from baodai.truncation._marker import mark, measured

_HINT = {
    "en": "read {target} from line {line} when needed",
    "zh": "需要时从第 {line} 行重读 {target}",
}


@dataclass(frozen=True, slots=True)
class Head:
    """Keeps the beginning and says from which line to read on."""

    name: str = "head"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The beginning in at most `limit` tokens, the marker as its last line."""
        return fit(text, limit, count, lambda size: self._made(text, size, context))

    def _made(self, text: str, size: int, context: CutContext) -> str:
        kept = head_of(text, size)
        line = context.first_line + kept.count("\n")
        hint = _HINT[context.language].format(target=context.target, line=line)
        hint = hint if context.target and len(context.target) < 300 else ""
        glue = "" if not kept or kept.endswith("\n") else "\n"
        return f"{kept}{glue}{mark(measured(text[len(kept) :]), context, hint)}"


STRATEGY = Head()
