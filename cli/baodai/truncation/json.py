"""Strategy `json`: long arrays and strings are shortened, the result is still valid JSON."""

from __future__ import annotations

from dataclasses import dataclass

from baodai.jsonl.values import dumps, loads
from baodai.truncation import Count, CutContext
from baodai.truncation._fit import head_of
from baodai.truncation._marker import Gap, mark
from baodai.truncation.head_tail import HeadTail

_STEPS = ((20, 2000), (10, 800), (5, 400), (3, 200), (2, 120), (1, 60), (1, 24))
"""Elements of an array and characters of a string that stay, ever fewer until it fits."""

_ITEMS = {"en": "[… {n:,} more items · {ref} …]", "zh": "[… 另有 {n:,} 项 · {ref} …]"}


@dataclass(frozen=True, slots=True)
class Json:
    """Shortens inside the values; text that is no JSON is cut head and tail."""

    name: str = "json"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """Valid JSON in at most `limit` tokens where that can be."""
        if count(text) <= limit:
            return text
        try:
            value = loads(text.encode("utf-8", "replace"))
        except ValueError:
            return HeadTail().cut(text, limit, count, context)
        for items, chars in _STEPS:
            made = dumps(shortened(value, items, chars, context)).decode()
            if count(made) <= limit:
                return made
        return dumps(mark(Gap(0, len(text)), context)).decode()


def shortened(value: object, items: int, chars: int, context: CutContext) -> object:
    """The value with arrays of at most `items` elements and strings of about `chars` characters."""
    match value:
        case str() if len(value) > chars + 80:
            kept = head_of(value, chars)
            return kept + mark(Gap(value[len(kept) :].count("\n"), len(value) - len(kept)), context)
        case list():
            kept_items = [shortened(item, items, chars, context) for item in value[:items]]
            if len(value) > items + 1:
                note = _ITEMS[context.language].format(n=len(value) - items, ref=context.ref)
                return [*kept_items, note.replace(" · …", " …")]
            return [shortened(item, items, chars, context) for item in value]
        case dict():
            return {key: shortened(item, items, chars, context) for key, item in value.items()}
        case _:
            return value


STRATEGY = Json()
