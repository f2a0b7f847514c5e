"""What the writer is given to do (writer.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.history.figures import UNMEASURED, Figures, pack_figures, pack_spans, storable
from app.history.store import Store, TextRow
from engine import Span

Operation = Callable[[Store], None]


class Spare:
    """An operation that can be done without."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    def __call__(self, store: Store) -> None:
        self._operation(store)


class Awaited:
    """An operation that somebody waits for. refusal: a line if it can never be written, else ""."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self.refusal = ""

    def __call__(self, store: Store) -> None:
        self.refusal = ""  # of an earlier try
        self._operation(store)


class Live:
    """An answer that is streaming."""

    __slots__ = ("figures", "is_dirty", "spans")

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.figures = UNMEASURED
        self.is_dirty = False


def row_of(message: int, spans: Sequence[Span], figures: Figures) -> TextRow:
    """Pack what there is of an answer."""
    text = storable("".join(span.text for span in spans))
    return TextRow(message, text, pack_spans(spans), pack_figures(figures))


def writing(row: TextRow) -> Operation:
    """Return what writes it."""
    return lambda store: store.write(row)
