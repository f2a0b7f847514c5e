"""The progress bar of a benchmark: on standard error, and only where somebody is looking."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from app.bench.benchmark import Show


@contextmanager
def watched() -> Iterator[Show]:
    """Yield what draws the bar; the bar goes when the benchmark ends."""
    is_watched = sys.stderr is not None and sys.stderr.isatty()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not is_watched) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda stage, done: bar.update(task, description=escape(stage), completed=done)
