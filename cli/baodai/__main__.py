"""The process: arguments in, exit status out.

Owns what happens at the edges: consoles that are not UTF-8, closed pipes, Ctrl-C, usage errors,
bugs. Imports nothing heavy, so that `baodai --help` stays quick.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn, TextIO, cast

from baodai.diagnostics import INTERRUPTED, Diagnostics
from baodai.errors import BaodaiError, UsageError


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        _tolerant(stream)
    diagnostics = Diagnostics.of(sys.stderr, os.environ)
    signal.signal(signal.SIGTERM, _terminated)
    status = run(list(sys.argv[1:] if arguments is None else arguments), diagnostics)
    try:
        sys.stdout.flush()
    except OSError:
        _forget_stdout()
    raise SystemExit(status)


def run(arguments: list[str], diagnostics: Diagnostics) -> int:
    """Run one command; everything that can go wrong becomes a report and a status."""
    from baodai.commands.app import app  # noqa: PLC0415 - within reach of Ctrl-C and the reports

    try:
        result = app(arguments, prog_name="baodai", standalone_mode=False, obj=diagnostics)
        diagnostics.failed(result if isinstance(result, int) else 0)
    except BaodaiError as error:
        diagnostics.report(error)
    except (BrokenPipeError, SystemExit):
        # The parser's library leaves by itself where whoever read the output is gone.
        _forget_stdout()
    except KeyboardInterrupt:
        diagnostics.failed(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last stop of every bug
        _report_other(error, diagnostics)
    return diagnostics.status()


def _report_other(error: Exception, diagnostics: Diagnostics) -> None:
    """A usage error of the parser, its wish to abort, or a bug.

    The parser's exceptions are told by what they offer: where its classes live depends on its
    version.
    """
    say = getattr(error, "format_message", None)
    if type(error).__name__ == "Abort":
        diagnostics.failed(INTERRUPTED)
    elif say is not None:
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "baodai")
        what = str(say()).strip().rstrip(".")
        diagnostics.report(UsageError(what[:1].lower() + what[1:], command))
    else:
        diagnostics.bug(error)


def _tolerant(stream: TextIO) -> None:
    """A console that cannot show a sign shows another; it never ends the run."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _forget_stdout() -> None:
    """Whoever read stdout is gone: let the interpreter's own flush at exit go nowhere."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), cast("TextIO", sys.stdout).fileno())
    except (OSError, ValueError):
        return


def _terminated(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End as an exception, so that temporary files go."""
    raise SystemExit(128 + signal.SIGTERM)


if __name__ == "__main__":
    main()
