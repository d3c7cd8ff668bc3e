"""Which results are superseded: a later one says the same thing newer.

A read of a file that was read again in full, or edited later; an older run of the same command; an
older answer to the same query.
"""

from __future__ import annotations

from collections.abc import Sequence

from baodai.digests.files import same_path
from baodai.layers._results import ShownResult
from baodai.tools import Kind, ToolTable

_AGAIN = frozenset({Kind.READ, Kind.COMMAND, Kind.SEARCH, Kind.FETCH, Kind.PLAN})


def superseded(results: Sequence[ShownResult], toolbox: ToolTable) -> dict[tuple[str, int], str]:
    """Places of superseded results, each with the code of the reason why."""
    stale: dict[tuple[str, int], str] = {}
    repeated: set[tuple[str, str]] = set()
    changed: set[str] = set()
    for shown in reversed(results):
        if shown.call is None:
            continue
        kind = toolbox.kind_of(shown.tool, shown.call)
        target = "\n".join(map(same_path, toolbox.target(shown.call).split("\n")))
        place = (shown.message.id, shown.block)
        if kind is Kind.WRITE and not shown.result.is_error:
            changed.update(target.split("\n"))
        elif kind is Kind.READ and target in changed:
            stale[place] = "stale-read"
        if kind not in _AGAIN:
            continue
        same = (shown.tool, target if kind is Kind.PLAN else shown.call.arguments)
        if same in repeated:
            stale.setdefault(place, "repeated-later")
        elif not shown.result.is_error:
            repeated.add(same)
    return stale
