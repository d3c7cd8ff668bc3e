"""How full the window is and what takes the space, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from baodai.looking import Look
from baodai.render.tables import table

_MOST = 15


def inspection(look: Look, name: str, width: int) -> str:
    """The whole look at one conversation."""
    return "\n\n".join(_parts(look, name, width)) + "\n"


def _parts(look: Look, name: str, width: int) -> Iterator[str]:
    about = "" if look.exact else "~"
    share = 100 * look.tokens / look.budget if look.budget else 0.0
    yield (
        f"{name} ({look.format}, {look.container})\n"
        f"  {about}{look.tokens:,} tokens in {look.messages:,} messages, {look.turns:,} turns; "
        f"{share:.0f}% of the budget\n"
        f"  {look.sizing}\n"
        f"  {look.context_bytes:,} of {look.bytes:,} bytes are text the model sees"
    )
    yield _shares("what", look.by_kind, look.tokens, width)
    if look.by_tool:
        yield _shares("tool", look.by_tool, look.tokens, width)
    if look.by_turn:
        yield _shares("turn", look.by_turn, look.tokens, width)
    if look.largest:
        heads = ("line", "turn", "tool", "tokens", "stale", "target")
        yield f"largest results\n{table(heads, look.largest[:_MOST], width)}"
    yield from _findings(look, width)


def _shares(head: str, sizes: Mapping[str, int], whole: int, width: int) -> str:
    ordered: Sequence[tuple[str, int]] = sorted(sizes.items(), key=lambda item: -item[1])
    rows = [(name, size, 100 * size / max(1, whole)) for name, size in ordered[:_MOST]]
    rest = sum(size for _, size in ordered[_MOST:])
    if rest:
        rows.append((f"{len(ordered) - _MOST:,} others", rest, 100 * rest / max(1, whole)))
    return table((head, "tokens", "percent"), rows, width)


def _findings(look: Look, width: int) -> Iterator[str]:
    if look.stale:
        yield f"{look.stale:,} stale results hold {look.stale_tokens:,} tokens"
    if look.cut:
        yield f"answers cut by their output limit\n{table(('line', 'why'), look.cut, width)}"
    if look.violations:
        heads = ("line", "rule", "what")
        yield f"broken for its API\n{table(heads, look.violations, width)}"
    if look.unknown:
        rows = sorted(look.unknown.items())
        yield f"records of unknown type, kept as they are\n{table(('type', 'count'), rows, width)}"
    for note in look.notes:
        yield f"{note.level}: {note.text}"
