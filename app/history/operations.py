"""What a writer can be given to do (writer.py)."""

from __future__ import annotations

from collections.abc import Callable

from app.history.store import Store

Operation = Callable[[Store], None]


class Spare:
    """An operation that can be done without."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def __call__(self, store: Store) -> None:
        self._operation(store)
