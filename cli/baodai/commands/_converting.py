"""The work behind `baodai convert`: every conversation in another format, outputs whole or not."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import BinaryIO

from baodai.batch import Failure, Reading, commit
from baodai.commands._compacting import chosen, places_of, workspace
from baodai.commands._telling import Teller
from baodai.converting import converted, target
from baodai.diagnostics import Diagnostics
from baodai.errors import BaodaiError, OneConversationError
from baodai.formats import Target
from baodai.places import Input


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    inputs: tuple[str, ...]
    output: str
    out_dir: str
    format: str
    to: str
    strict: bool


def run(request: Request, diagnostics: Diagnostics) -> None:
    """Convert every input; one that fails leaves no output and does not end the others."""
    to = target(request.to)
    found = [_renamed(inp, to.ending) for inp in chosen(request.inputs, diagnostics)]
    teller = Teller(diagnostics)
    with workspace(request.output, request.out_dir) as (folder, _):
        places = places_of(request.output, request.out_dir, found)
        for index, inp in enumerate(found):
            reading = Reading(inp, request.format, request.strict)
            try:
                if places is None:
                    _write(reading, to, sys.stdout.buffer, teller)
                    continue
                draft = folder / f"{index}.out"
                with draft.open("wb") as sink:
                    _write(reading, to, sink, teller)
                commit(draft, places[inp.name])
            except BrokenPipeError:
                return
            except BaodaiError as error:
                diagnostics.report(Failure.of(error, inp.name))
            finally:
                teller.unread(inp.name, tuple(reading.unread))
    teller.rest()


def _renamed(inp: Input, ending: str) -> Input:
    return replace(inp, place=inp.place.with_suffix(ending))


def _write(reading: Reading, to: Target, sink: BinaryIO, teller: Teller) -> None:
    """The conversations of an input.

    Raises:
        BaodaiError: the input cannot be read, or a file of the format takes but one of them.
    """
    for number, conversation in enumerate(reading.conversations()):
        if number and to.alone:
            teller.failed(OneConversationError(reading.input.name, to.name))
            return
        made = converted(conversation, to)
        for text in made.notes:
            teller.note("converted", text, f"{reading.input.name} ({conversation.id})")
        sink.write(made.data)
        sink.flush()
