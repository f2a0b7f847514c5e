"""The log files: their ends as one text for a person, and the traceback of the last defect."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

from app.errors import SettingsError, reason
from app.paths import Paths
from app.private_file import write_private
from app.terminal.sanitise import sanitise

LINES = 200
MOST_BYTES = 200_000
"""Of a file's end: a line may be long."""
DEFECT = "defect.log"
NOTHING = "There is nothing in the logs: no engine was started yet."


def kept_traceback(error: Exception) -> str:
    """Write a defect's traceback to the log folder, in place of an earlier one; say where it is."""
    try:
        path = Paths().ensure().log_dir / DEFECT
        text = "".join(traceback.format_exception(error))
        write_private(path, text.encode("utf-8", "backslashreplace"))
    except (OSError, SettingsError):
        return "Its traceback could not be written."
    return f"Please report it with {path}."


def logs(paths: Paths) -> list[tuple[str, Path]]:
    """Return what is logged, the newest last: what it is, and where."""
    engine = paths.ensure().engine_log
    return [
        ("A defect of the app, the last one", paths.log_dir / DEFECT),
        ("The engine before it was started last", engine.with_suffix(".before.log")),
        ("The engine", engine),
    ]


def ends_of(paths: Paths) -> str:
    """Return the last lines of each log under its name, harmless to a terminal; what is not there
    is left out.
    """
    parts = []
    for what, path in logs(paths):
        try:
            end = _end(path, LINES)
        except FileNotFoundError:
            continue
        except OSError as error:
            end = f"It cannot be read: {reason(error)}."
        parts.append(f"── {what}: {path}\n{sanitise(end) or 'It is empty.'}")
    return "\n\n".join(parts) or NOTHING


def _end(path: Path, lines: int) -> str:
    with path.open("rb") as file:
        skipped = max(0, file.seek(0, os.SEEK_END) - MOST_BYTES)
        file.seek(skipped)
        found = file.read().decode("utf-8", "replace").splitlines()
    return "\n".join(found[1 if skipped else 0 :][-lines:])
