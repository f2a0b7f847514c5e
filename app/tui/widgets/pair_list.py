"""The table of pairs: one row each, as many columns as fit, long words with an ellipsis.

A click highlights, a second click or Enter chooses: nothing is downloaded by a slip of the mouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from app.tui.pair_view import DIM, PairView

TITLES = ("pair", "state", "for", "size", "on this machine")
RIGHT = {3}
GIVES_WAY = (2, 3)
"""The columns that go where there is no room, in this order."""
NAME, VERDICT = 0, 4
LEAST_VERDICT, LEAST_NAME = 4, 8
GAP = 2


class _Rows(OptionList):
    """The rows; a single click only highlights."""

    def on_click(self, event: events.Click) -> None:
        """Highlight; choose where it is clicked twice."""
        row = event.style.meta.get("option")
        if event.chain < 2 and isinstance(row, int):
            event.prevent_default()
            self.highlighted = row


class PairList(Vertical):
    """All pairs."""

    DEFAULT_CSS = """
    PairList {
        .pairs--header { height: 1; padding: 0 1; color: $foreground 60%; text-style: bold; }
        OptionList {
            height: 1fr;
            border: none;
            padding: 0 1;
            background: transparent;
            scrollbar-size-vertical: 1;
            scrollbar-color: $panel-lighten-2;
            scrollbar-background: $background;
            text-wrap: nowrap;
            &:focus { border: none; background: transparent; }
            & > .option-list--option-highlighted { background: $primary 20%; text-style: none; }
            &:focus > .option-list--option-highlighted {
                background: $primary 30%; color: $foreground; text-style: bold;
            }
            & > .option-list--option-hover { background: $primary 15%; }
        }
    }
    """

    @dataclass
    class Chosen(Message):
        """A pair was chosen."""

    @dataclass
    class Highlighted(Message):
        """Another pair is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.views: list[PairView] = []
        self._header = Static(classes="pairs--header", markup=False)
        self._rows = _Rows(markup=False)

    def compose(self) -> ComposeResult:
        """Header, rows."""
        yield self._header
        yield self._rows

    @property
    def highlighted(self) -> PairView | None:
        """The pair that keys act on."""
        row = self._rows.highlighted
        return self.views[row] if row is not None and row < len(self.views) else None

    @property
    def highlighted_name(self) -> str:
        """Its name, "" while there is none."""
        return self.highlighted.offer.name if self.highlighted else ""

    def highlight(self, name: str) -> None:
        """Go to a pair, if it is there."""
        names = [view.offer.name for view in self.views]
        if name in names:
            self._rows.highlighted = names.index(name)

    def show(self, pairs: Sequence[PairView]) -> None:
        """Show other pairs, or the same ones changed."""
        if list(pairs) != self.views:
            self.views = list(pairs)
            self._write()

    def on_resize(self) -> None:
        """Fit the columns to the new width."""
        self._write()

    def _write(self) -> None:
        rows = self._rows
        width = max(0, self.content_size.width - 3)  # padding, and the scroll bar
        header, *lines = laid_out([view.row() for view in self.views], width)
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

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell whoever shows the details."""
        event.stop()
        self.post_message(self.Highlighted())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Tell whoever acts."""
        event.stop()
        self.post_message(self.Chosen())


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
