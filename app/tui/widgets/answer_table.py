"""A table of an answer: nothing in a cell is cut off, and the columns share the room fairly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.css.scalar import Scalar
from textual.geometry import Size
from textual.layout import DockArrangeResult, Layout
from textual.layouts.grid import GridLayout
from textual.widgets import Static
from textual.widgets._markdown import (
    MarkdownTable,
    MarkdownTableCellContents,
    MarkdownTableContent,
)

KEYLINES = 2
"""On the left and on the right; between two columns there is one more."""
TIGHT = 5
"""A column with its keyline that is narrower has no room to lose beside its words."""


class TableContent(MarkdownTableContent):
    """The cells, row by row. Textual's own takes all the room that it lacks from the first columns,
    cuts off long words, and follows no links in rows that came later.
    """

    DEFAULT_CSS = """
    TableContent > .cell, TableContent > .header { text-overflow: fold; }
    TableContent.-tight > .cell, TableContent.-tight > .header { padding: 0; }
    """
    _width = 0

    def compose(self) -> ComposeResult:
        """Headers, then rows."""
        for header in self.headers:
            yield MarkdownTableCellContents(header, classes="header")
        yield from self._cells(self.rows, 1)

    def on_resize(self, event: events.Resize) -> None:
        """Leave the words what room there is."""
        self.set_class(event.size.width < TIGHT * len(self.headers), "-tight")

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:
        """Arrange the cells in this room."""
        self._width = size.width
        return super().arrange(size, optimal)

    def pre_layout(self, layout: Layout) -> None:
        """Give every column its width."""
        super().pre_layout(layout)
        assert isinstance(layout, GridLayout)
        layout.auto_minimum = False
        columns = tuple(map(Scalar.from_number, self._columns()))
        self.styles.inline.set_rule("grid_columns", columns)

    def _columns(self) -> list[int]:
        n = max(1, len(self.headers))
        least, most = [1] * n, [1] * n
        for at, cell in enumerate(self.query_children(Static)):
            padding, visual = cell.styles.gutter.width, cell.visual
            word = padding + visual.get_minimal_width({})
            line = padding + visual.get_optimal_width({}, self._width)
            least[at % n] = max(least[at % n], word)
            most[at % n] = max(most[at % n], line)
        room = self._width - KEYLINES - (n - 1)
        if sum(least) > room:
            return shared([1] * n, least, room)
        return shared(least, most, room)

    def _cells(self, rows: Sequence[Sequence[Content]], first: int) -> Iterator[Static]:
        for number, row in enumerate(rows, first):
            self.last_row = number
            for cell in row:
                yield MarkdownTableCellContents(cell, classes=f"row{number} cell")

    async def _update_rows(self, updated_rows: list[list[Content]]) -> None:
        """Put these rows in the place of the last one."""
        await self.query_children(f".cell.row{self.last_row}").remove()
        await self.mount_all(list(self._cells(updated_rows, self.last_row)))


class Table(MarkdownTable):
    """A table."""

    def compose(self) -> ComposeResult:
        """Yield the cells."""
        self._headers, self._rows = self._get_headers_and_rows()
        yield TableContent(self._headers, self._rows)


def shared(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Return a width for each column, of so much room: the narrowest that wants more gets it."""
    widths = list(least)
    for _ in range(room - sum(widths)):
        wanting = [at for at, width in enumerate(widths) if width < most[at]]
        if not wanting:
            break
        widths[min(wanting, key=widths.__getitem__)] += 1
    return widths
