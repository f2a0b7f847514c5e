"""Opening a file with the program that a desktop has for it, where somebody would see that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from app.errors import AppError, reason
from app.terminal.clipboard import REMOTE

OPENERS = {"darwin": "open", "win32": "explorer"}
ELSEWHERE = "xdg-open"
DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")


def opener(
    platform: str, env: Mapping[str, str], which: Callable[[str], str | None] = shutil.which
) -> str | None:
    """Return the program that opens files, None where nobody would see what it opens."""
    if any(env.get(name) for name in REMOTE):
        return None
    if platform not in OPENERS and not any(env.get(name) for name in DESKTOPS):
        return None
    return which(OPENERS.get(platform, ELSEWHERE))


def open_file(path: Path) -> None:
    """Open a file, and wait for nothing. Raises AppError where it cannot be."""
    program = opener(sys.platform, os.environ)
    if program is None:
        raise AppError(f"There is no desktop here to show it on: it is {path}")
    try:
        process = subprocess.Popen(
            [program, str(path)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=process.wait, daemon=True).start()  # it leaves no zombie behind
    except OSError as error:
        raise AppError(f"{program} does not open {path}: {reason(error)}.") from None
