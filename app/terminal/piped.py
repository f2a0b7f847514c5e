"""What is piped into a command, without ever waiting for ever on a pipe that nobody writes to."""

from __future__ import annotations

import select
import sys


def read_piped(wait_s: float | None) -> str:
    """Return standard input's text, "" if it is a terminal, closed or empty.

    wait_s: give up if nothing arrives for this long; None waits for as long as it takes.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return ""
    if wait_s is not None and not _readable(wait_s):
        print(
            "slipstream: nothing came through the pipe; going on without it (- waits for it).",
            file=sys.stderr,
        )
        return ""
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip()


def _readable(wait_s: float) -> bool:
    try:
        return bool(select.select([sys.stdin], [], [], wait_s)[0])
    except (OSError, ValueError):  # not a thing that can be waited for: a file, say
        return True
