"""`baodai formats`: the transcript formats there are."""

from __future__ import annotations

from baodai.commands import _options as o


def command(*, as_json: o.Json = False) -> None:
    """List the formats, what each is, and where it holds a summary."""
    from baodai.commands import _output as out  # loads the codecs
    from baodai.formats import formats

    found = [(name, codec.title, codec.carrier) for name, codec in formats().items()]
    out.rows(("format", "what it is", "a summary is"), found, as_json=as_json)
