"""ACEBench questions: one prompt a row, with the functions that it may be answered by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._dialogues import Utterances
from baodai.formats._layouts import at
from baodai.formats._listed import Listed, under
from baodai.formats._slices import Slice
from baodai.formats._told import Around
from baodai.jsonl import dumps
from baodai.model import Message, Role, Text, Voice


def _is_question(value: object) -> bool:
    return isinstance(value, Mapping) and {"question", "function", "id"} <= set(value)


def _asked(part: Slice) -> Iterator[Message]:
    """The one message: several turns of a dialogue stand in it as text."""
    said = at(part.value, ("question",))
    if isinstance(said, str) and said:
        block = Text(said, Voice.HUMAN, path=("question",))
        path = ("question",)
        yield Message(str(part.number), Role.USER, (block,), part.line, part.index, path)


def _about(value: object) -> Around:
    return Around(tools=dumps(at(value, ("function",))).decode())


FORMAT = Listed(
    "acebench",
    "ACEBench questions with their functions",
    "a member beside the question",
    Utterances(),
    under("none"),
    _is_question,
    about=_about,
    head=_asked,
)
