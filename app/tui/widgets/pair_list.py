"""The table of pairs: one row each, as many columns as fit, long words with an ellipsis."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static
from textual.widgets.option_list import Option

from app.tui.models.pair_view import PairView
from app.tui.tones import DIM
from app.tui.widgets.row_list import RowList

TITLES = ("pair", "state", "for", "size", "on this machine")
RIGHT = {3}
GIVES_WAY = (2, 3)
"""The columns that go where there is no room, in this order."""
NAME, VERDICT = 0, 4
LEAST_VERDICT, LEAST_NAME = 4, 8
GAP = 2


class PairList(RowList):
    """All pairs."""

    DEFAULT_CSS = """
    PairList {
        .pairs--header { height: 1; padding: 0 1; color: $foreground-muted; text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self.views: list[PairView] = []
        self._header = Static(classes="pairs--header", markup=False)

    def compose(self) -> ComposeResult:
        """Header, rows."""
        yield self._header
        yield self.rows

    @property
    def highlighted(self) -> PairView | None:
        """The pair that keys act on."""
        row = self.rows.highlighted
        return self.views[row] if row is not None and row < len(self.views) else None

    def highlight(self, name: str) -> None:
        """Go to a pair, if it is there."""
        names = [view.offer.name for view in self.views]
        if name in names:
            self.rows.highlighted = names.index(name)

    def show(self, pairs: Sequence[PairView]) -> None:
        """Show other pairs, or the same ones changed."""
        if list(pairs) != self.views:
            before = self.highlighted
            self.views = list(pairs)
            self.write()
            if before is not None:
                self.highlight(before.offer.name)

    def write(self) -> None:
        """Lay the pairs out."""
        rows = self.rows
        header, *lines = laid_out([view.row() for view in self.views], self.room)
        self._header.update(header)
        if rows.option_count != len(lines):
            row = rows.highlighted
            rows.clear_options()
            rows.add_options([Option(line) for line in lines])
            rows.highlighted = row
            return
        for index, line in enumerate(lines):
            if rows.get_option_at_index(index).prompt != line:
                rows.replace_option_prompt_at_index(index, line)


def laid_out(rows: Sequence[Sequence[Content]], width: int) -> list[Content]:
    """Return the header and a line for each row, none longer than the width."""
    titles = tuple(Content.styled(title, DIM) for title in TITLES)
    table = [titles, *rows]
    natural = [max(row[column].cell_length for row in table) for column in range(len(TITLES))]
    shown = list(range(len(TITLES)))
    for column in GIVES_WAY:
        if _spare(natural, shown, width) < 0:
            shown.remove(column)
    widths = dict(zip(shown, (natural[column] for column in shown), strict=True))
    for column, least in ((VERDICT, LEAST_VERDICT), (NAME, LEAST_NAME)):
        over = -_spare([widths.get(c, 0) for c in range(len(TITLES))], shown, width)
        widths[column] -= max(0, min(over, widths[column] - least))
    return [_line(row, widths).truncate(width, ellipsis=True) for row in table]


def _spare(natural: Sequence[int], shown: Sequence[int], width: int) -> int:
    return width - sum(natural[column] for column in shown) - GAP * (len(shown) - 1)


def _line(row: Sequence[Content], widths: dict[int, int]) -> Content:
    cells = []
    for column, width in widths.items():
        cell = row[column].truncate(width, ellipsis=True)
        gap = " " * (width - cell.cell_length)
        cells.append(Content(gap) + cell if column in RIGHT else cell + Content(gap))
    return Content(" " * GAP).join(cells)
