"""A pull where nobody watches a terminal: a line now and then."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import PurePosixPath

from app.models.download import Progress
from app.sizes import size
from app.terminal.sanitise import one_line

LINE_EVERY = 0.1


class Lines:
    """Says it in a line at each tenth of a file, and when something happens."""

    def __init__(self) -> None:
        self._last: dict[str, Progress] = {}
        self._shares: dict[str, float] = {}

    def report(self, progress: Progress) -> None:
        """Take in progress, and perhaps say it."""
        last = self._last.get(progress.file)
        progress = self._last[progress.file] = forwards(last, progress)
        share = progress.done / progress.size if progress.size else 0.0
        is_news = bool(progress.note) and (last is None or last.note != progress.note)
        is_further = share >= self._shares.get(progress.file, -1.0) + LINE_EVERY
        if is_news or is_further or progress.stage == "done":
            self._shares[progress.file] = share
            of = f" of {size(progress.size)}" if progress.size else ""
            note = f" ({one_line(progress.note)})" if progress.note else ""
            said = f"{progress.stage} {size(progress.done)}{of}{note}"
            print(f"{one_line(bare_name(progress.file))}: {said}", file=sys.stderr)


def forwards(last: Progress | None, progress: Progress) -> Progress:
    """Return the progress behind `last`: what was shown once is not taken back, unless it begins
    anew.
    """
    if last is None or progress.done >= last.done or progress.is_anew:
        return progress
    return replace(progress, done=last.done)


def bare_name(source: str) -> str:
    """Return the file's bare name of OWNER/REPO:FOLDER/FILE."""
    return PurePosixPath(source.rpartition(":")[2]).name
