"""How a pull is shown on standard error: as bars on a terminal, elsewhere as lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from app.models.download import Progress
from app.models.lines import Lines
from app.models.pull import Plan
from app.terminal.signals import ending_like_ctrl_c


class Shown(Protocol):
    """Takes in progress and shows it."""

    def report(self, progress: Progress) -> None:
        """Show how far a file is."""


@contextmanager
def shown(plan: Plan) -> Iterator[Shown]:
    """Show a pull while it runs. Bars are imported where somebody watches them."""
    if sys.stderr is not None and sys.stderr.isatty():
        from app.models.bars import drawn

        with ending_like_ctrl_c(), drawn(plan) as bars:
            yield bars
    else:
        yield Lines()
