"""The parts of an item's content or output: texts, images, files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from baodai.formats._item_types import kind_of
from baodai.formats._layouts import at
from baodai.formats._media import image
from baodai.jsonl import dumps
from baodai.model import Opaque, Part, Path, Text

_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})


def texts_in(content: object) -> Iterator[str]:
    """The texts of a content, a string or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, Mapping) else part
        if isinstance(text, str):
            yield text


def parts_of(content: object, path: Path) -> Iterator[Part]:
    """The parts of a content or an output, whatever its shape."""
    match content:
        case None | "":
            return
        case str():
            yield Text(content, path=path)
        case list():
            for i, part in enumerate(content):
                yield part_of(part, (*path, i))
        case _:
            yield Opaque("content", visible=dumped(content), path=path)


def part_of(part: object, path: Path) -> Part:
    """One part."""
    if isinstance(part, str):
        return Text(part, path=path)
    kind = kind_of(part)
    text = at(part, ("text",)) if kind in _TEXTS else at(part, ("refusal",))
    if isinstance(text, str):
        return Text(text, path=path)
    if kind in {"input_image", "computer_screenshot", "image"}:
        return _linked(at(part, ("image_url",)) or at(part, ("url",)), path)
    if kind in {"input_file", "input_audio"}:
        name = at(part, ("filename",)) or at(part, ("file_id",)) or kind
        return Opaque("file" if kind == "input_file" else "audio", note=str(name), path=path)
    return Opaque(kind or "content", visible=dumped(part), path=path)


def _linked(link: object, path: Path) -> Opaque:
    return image(link if isinstance(link, str) else "", "", path)


def dumped(value: object) -> str:
    """A value as the text the model reads of it."""
    return dumps(value).decode("utf-8", "replace")
