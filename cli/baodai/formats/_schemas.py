"""Tool schemas between formats: a name, a description, and the JSON schema of the arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from baodai.formats._layouts import at
from baodai.jsonl import loads

_EMPTY: Mapping[str, object] = {"type": "object", "properties": {}}
_PARAMETERS = ("parameters", "input_schema", "parametersJsonSchema", "inputSchema")


@dataclass(frozen=True, slots=True)
class Schema:
    """One tool that a model may call."""

    name: str
    description: str
    parameters: Mapping[str, object]


def schemas(text: str, notes: list[str]) -> list[Schema]:
    """The functions among the tools of any format; others (a provider's own) are noted."""
    try:
        value = loads(text.encode()) if text else []
    except ValueError:
        value = []
    found: list[Schema] = []
    for tool in _tools(value):
        schema = _schema(tool)
        if schema is None:
            notes.append(f"tool {tool.get('name', tool.get('type', ''))!r} is the provider's own")
        else:
            found.append(schema)
    return found


def _tools(value: object) -> Iterator[Mapping[str, object]]:
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, Mapping):
            continue
        inner = item.get("functionDeclarations", item.get("function_declarations"))
        yield from _tools(inner) if isinstance(inner, list) else iter((item,))


def _schema(tool: Mapping[str, object]) -> Schema | None:
    function = at(tool, ("function",))
    said = function if isinstance(function, Mapping) else tool
    name = said.get("name")
    parameters = next((said[key] for key in _PARAMETERS if isinstance(said.get(key), dict)), None)
    described = said.get("description")
    if not isinstance(name, str) or (parameters is None and not isinstance(described, str)):
        return None
    return Schema(
        name,
        described if isinstance(described, str) else "",
        parameters if isinstance(parameters, dict) else _EMPTY,
    )
