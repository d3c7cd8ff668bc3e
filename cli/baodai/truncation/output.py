"""One tool output through its tool's strategy; layer 5, layer 1 and `baodai cut` all come here."""

from __future__ import annotations

from baodai.model import ToolCall
from baodai.refs import ref_of
from baodai.tools import Kind, ToolTable, arguments_of
from baodai.truncation import Count, CutContext, strategies
from baodai.truncation._marker import ref_in


def cut_output(  # noqa: PLR0913 - one call for layers and command alike
    text: str,
    *,
    tool: str,
    call: ToolCall | None,
    toolbox: ToolTable,
    limit: int,
    count: Count,
    language: str,
) -> str:
    """The text in at most `limit` tokens, by the strategy of `tool`.

    A text that was cut before keeps the reference of its first original.
    """
    strategy = strategies()[toolbox.strategy(tool, call)]
    reads = call is not None and toolbox.kind_of(tool, call) is Kind.READ
    context = CutContext(
        ref=ref_in(text) or ref_of(text),
        target=toolbox.target(call) if reads and call is not None else "",
        first_line=_first_line(call) if reads and call is not None else 1,
        language=language,
    )
    return strategy.cut(text, limit, count, context)


def _first_line(call: ToolCall) -> int:
    """The line a read began at, by the argument names of the agents."""
    arguments = arguments_of(call)
    for key in ("offset", "start_line", "line_start", "startLine", "start"):
        value = arguments.get(key)
        if isinstance(value, int) and value > 0:
            return value
    span = arguments.get("view_range")
    return span[0] if isinstance(span, list) and span and isinstance(span[0], int) else 1
