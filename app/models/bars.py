"""A pull on a terminal: a bar for each file and one for all; elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars

from app.models.download import Progress
from app.models.pull import Plan
from app.sanitise import one_line
from app.sizes import size

NAME_WIDTH = 24
LINE_EVERY = 0.1


class Shown:
    """Takes in progress and shows it."""

    def __init__(self, plan: Plan, bars: Bars, is_watched: bool) -> None:
        self._bars, self._is_watched = bars, is_watched
        self._tasks: dict[str, TaskID] = {}
        self._last: dict[str, Progress] = {}
        self._sources = {remote.spec.source for remote in plan.to_fetch}
        self._lines: dict[str, float] = {}
        for remote in plan.to_fetch:
            self._add(remote.spec.source, remote.size)
        sizes = [remote.size for remote in plan.to_fetch]
        total = None if None in sizes else plan.total_bytes
        self._all = bars.add_task("all", total=total, note="") if len(sizes) > 1 else None

    def report(self, progress: Progress) -> None:
        """Show how far a file is; what was shown once is never taken back."""
        last = self._last.get(progress.file)
        done = max(progress.done, last.done if last is not None else 0)
        progress = replace(progress, done=done, note=one_line(progress.note))
        task = self._tasks.get(progress.file)
        if task is None:
            task = self._add(progress.file, progress.size)
        self._last[progress.file] = progress
        if last is not None and last.stage == "checking" != progress.stage:
            self._bars.reset(task, completed=progress.done)  # what was here says nothing of speed
        word = "" if progress.stage == "downloading" else progress.stage
        note = progress.note or word
        self._bars.update(task, completed=progress.done, total=progress.size, note=note)
        if self._all is not None:
            fetched = (p.done for file, p in self._last.items() if file in self._sources)
            self._bars.update(self._all, completed=sum(fetched))
        if not self._is_watched:
            self._line(progress, is_news=last is None or last.note != progress.note)

    def _add(self, file: str, total: int | None) -> TaskID:
        name = one_line(_name(file), NAME_WIDTH)
        task = self._tasks[file] = self._bars.add_task(name, total=total, note="")
        return task

    def _line(self, progress: Progress, is_news: bool) -> None:
        """Say it in a line where nobody watches bars: at each tenth, and when something happens."""
        last = self._lines.get(progress.file, -1.0)
        share = progress.done / progress.size if progress.size else 0.0
        is_news = is_news and bool(progress.note)
        if is_news or progress.stage == "done" or share >= last + LINE_EVERY:
            self._lines[progress.file] = share
            name = one_line(_name(progress.file))
            of = f" of {size(progress.size)}" if progress.size else ""
            note = f" ({progress.note})" if progress.note else ""
            print(f"{name}: {progress.stage} {size(progress.done)}{of}{note}", file=sys.stderr)


def _name(source: str) -> str:
    """Return the file's bare name of OWNER/REPO:FOLDER/FILE."""
    return PurePosixPath(source.rpartition(":")[2]).name


@contextmanager
def shown(plan: Plan) -> Iterator[Shown]:
    """Show a pull on standard error while it runs."""
    is_watched = sys.stderr is not None and sys.stderr.isatty()
    columns = (
        TextColumn("{task.description:<" + str(NAME_WIDTH) + "}", markup=False),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), disable=not is_watched) as bars:
        yield Shown(plan, bars, is_watched)
