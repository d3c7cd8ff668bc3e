"""Answers of a model that passed, kept by what was asked, so that a rerun is free and the same."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

from baodai.providers import Request


def key_of(request: Request, endpoint: str) -> str:
    """The name of an answer: a hash of the endpoint, the model and all that was asked."""
    asked = (endpoint, request.model, request.messages, request.schema, request.max_output_tokens)
    text = json.dumps(asked, sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def kept(folder: str, key: str) -> str | None:
    """The answer that is kept under a key, in a folder; none without a folder."""
    if not folder:
        return None
    with suppress(OSError, UnicodeDecodeError):
        return (Path(folder) / f"{key}.json").read_text("utf-8")
    return None


def keep(folder: str, key: str, answer: str) -> None:
    """Keep an answer; a folder that cannot be written costs only the next run's speed."""
    if not folder:
        return
    with suppress(OSError):
        place = Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", encoding="utf-8", dir=place, delete=False) as file:
            file.write(answer)
        os.replace(file.name, place / f"{key}.json")  # noqa: PTH105 - whole or not at all
