"""A pull on a terminal: a bar for each file and one for all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Columns

from app.models.download import Progress
from app.models.lines import bare_name, forwards
from app.models.pull import Plan
from app.terminal.sanitise import one_line

NAME_WIDTH = 24


class Bars:
    """Takes in progress and moves the bars of `columns`."""

    def __init__(self, plan: Plan, columns: Columns) -> None:
        self._columns = columns
        self._tasks: dict[str, TaskID] = {}
        self._last: dict[str, Progress] = {}
        self._sources = {remote.spec.source for remote in plan.to_fetch}
        for remote in plan.to_fetch:
            self._add(remote.spec.source, remote.size)
        sizes = [remote.size for remote in plan.to_fetch]
        total = None if None in sizes else plan.total_bytes
        self._all = columns.add_task("all", total=total, note="") if len(sizes) > 1 else None

    def report(self, progress: Progress) -> None:
        """Show how far a file is."""
        last = self._last.get(progress.file)
        progress = self._last[progress.file] = forwards(last, progress)
        task = self._tasks.get(progress.file)
        if task is None:
            task = self._add(progress.file, progress.size)
        if last is not None and last.stage == "checking" != progress.stage:
            # what was here says nothing of speed
            self._columns.reset(task, completed=progress.done)
        word = "" if progress.stage == "downloading" else progress.stage
        note = one_line(progress.note) or word
        self._columns.update(task, completed=progress.done, total=progress.size, note=note)
        if self._all is not None:
            fetched = (p.done for file, p in self._last.items() if file in self._sources)
            self._columns.update(self._all, completed=sum(fetched))

    def _add(self, file: str, total: int | None) -> TaskID:
        name = one_line(bare_name(file), NAME_WIDTH)
        task = self._tasks[file] = self._columns.add_task(name, total=total, note="")
        return task


@contextmanager
def drawn(plan: Plan) -> Iterator[Bars]:
    """Draw bars on standard error while a pull runs."""
    columns = (
        TextColumn("{task.description:<" + str(NAME_WIDTH) + "}", markup=False),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Columns(*columns, console=Console(stderr=True)) as shown:
        yield Bars(plan, shown)
