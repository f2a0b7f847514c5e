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
from rich.table import Column

from app.models.download import Progress
from app.models.lines import bare_name, forwards
from app.models.pull import Plan
from app.terminal.sanitise import one_line

NAME_WIDTH = 24
NARROW = 80
"""Columns of a terminal below which there is room for a percentage alone."""
BESIDE = 60
"""Columns that a note leaves to what stands beside it."""


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
        room = max(NARROW, self._columns.console.width) - BESIDE
        note = one_line(progress.note, room) or word
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
    console = Console(stderr=True)
    with columns(console) as shown:
        yield Bars(plan, shown)


def columns(console: Console) -> Columns:
    """Return what is drawn, as far as the terminal has room for it."""
    if console.width < NARROW:
        name, note = Column(ratio=2, no_wrap=True), Column(ratio=1, no_wrap=True)
        return Columns(
            TextColumn("{task.description}", markup=False, table_column=name),
            TextColumn("{task.percentage:>3.0f} %", table_column=Column(min_width=5)),
            TextColumn("{task.fields[note]}", markup=False, table_column=note),
            console=console,
            expand=True,
        )
    return Columns(
        TextColumn("{task.description:<" + str(NAME_WIDTH) + "}", markup=False),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}", markup=False),
        console=console,
    )
