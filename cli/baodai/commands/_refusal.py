"""Reads `--overflow`: a provider's refusal, from a file, stdin or the words themselves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from baodai.errors import NotAnOverflowError, UnreadableFileError
from baodai.overflow import COMPACTS, Diagnosis, classify

_STATUS = ("status", "status_code", "statusCode", "http_status")
_REFUSED = 400


def refusal(given: str) -> Diagnosis | None:
    """The refusal to answer; `None` where none is given.

    Raises:
        NotAnOverflowError: it is something that compacting does not help against.
        UnreadableFileError: the file cannot be read.
    """
    if not given:
        return None
    text = _text(given)
    found = classify(_status(text), text)
    if found.trouble not in COMPACTS:
        kind = found.trouble.value.replace("_", " ")
        said = " ".join(found.text.split())[:120]
        raise NotAnOverflowError(f"the error is no context overflow but: {kind} (“{said}”)")
    return found


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.read()
    path = Path(given)
    try:
        return path.read_text("utf-8", "replace") if path.is_file() else given
    except OSError as error:
        raise UnreadableFileError(given, error.strerror or str(error)) from error


def _status(text: str) -> int:
    """The HTTP status that stands beside the body; 400 where none does."""
    try:
        body = json.loads(text)
    except ValueError:
        return _REFUSED
    for name in _STATUS if isinstance(body, dict) else ():
        value = body.get(name)
        if isinstance(value, int) and 100 <= value < 600:
            return value
    return _REFUSED
