"""Records that name their parent: the links of a tree when records come and go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from uuid import NAMESPACE_URL, uuid5

from baodai.formats._layouts import at
from baodai.formats._writing import Desk
from baodai.model import Message


def fresh_uuid(message: Message, near: object) -> str:
    """An id that follows from what it stands for and beside what."""
    seed = f"{at(near, ('uuid',)) or at(near, ('id',))}\0{message.id}\0{message.text}"
    return str(uuid5(NAMESPACE_URL, f"baodai:{seed}"))


def fresh_id(message: Message, near: object, length: int = 8) -> str:
    """The same for formats whose ids are short hexadecimal words."""
    return blake2b(fresh_uuid(message, near).encode(), digest_size=16).hexdigest()[:length]


def relink(desk: Desk, ident: str, parent: str) -> None:
    """Give children of records that are gone the nearest parent that stays.

    New records stand between the record before them and the one behind; `ident` and `parent` are
    the members that hold an id and the parent's.
    """
    heirs = _heirs(desk, ident, parent)
    above = {index: str(at(values[-1], (ident,))) for index, values in desk.fresh.items() if values}
    for index, values in desk.fresh.items():
        desk.sheet.reinsert(index, list(_chained(desk, index, values, heirs, (ident, parent))))
    for index in range(len(desk.sheet)):
        if index in desk.sheet.gone:
            continue
        named = desk.sheet.at(index, (parent,))
        if index in above and desk.sheet.at(index, (ident,)) is not None:
            desk.sheet.put(index, (parent,), above[index])
        elif isinstance(named, str) and named in heirs:
            desk.sheet.put(index, (parent,), heirs[named])


def _chained(
    desk: Desk,
    index: int,
    values: Sequence[object],
    heirs: Mapping[str, object],
    keys: tuple[str, str],
) -> Iterator[object]:
    """New records as a chain from the parent of the one they stand before."""
    ident, parent = keys
    above = desk.sheet.at(index, (parent,))
    above = heirs.get(above, above) if isinstance(above, str) else above
    for value in values:
        if isinstance(value, dict) and parent in value:
            value = {**value, parent: above}  # noqa: PLW2901 - the same record, linked
            above = value.get(ident)
        yield value


def _heirs(desk: Desk, ident: str, parent: str) -> Mapping[str, object]:
    """For the id of each record that is gone the nearest one above that stays."""
    above: dict[str, object] = {}
    for index in sorted(desk.sheet.gone):
        name = desk.sheet.at(index, (ident,))
        if isinstance(name, str):
            above[name] = desk.sheet.at(index, (parent,))
    for name in list(above):
        heir, seen = above[name], {name}
        while isinstance(heir, str) and heir in above and heir not in seen:
            seen.add(heir)
            heir = above[heir]
        above[name] = heir
    return above


def branch(ids: Mapping[str, str | None], leaf: str) -> set[str]:
    """The ids from a leaf up to its root; `ids` maps every id to its parent's."""
    found: set[str] = set()
    place: str | None = leaf
    while place is not None and place in ids and place not in found:
        found.add(place)
        place = ids[place]
    return found
