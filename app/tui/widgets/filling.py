"""Finished turns made a few at a time: of a long chat the newest ones, others where it is read.

A turn that is made is some dozens of widgets, and every layout, every change of the colours, goes
through all of them, seen or not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias

from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.tui.text.room import about_rows
from app.tui.widgets.answer_text import GivingWay
from app.tui.widgets.page import Page
from app.tui.widgets.turn_view import TurnView

Finished: TypeAlias = tuple[tuple[TurnView, Turn], Places]

AT_ONCE = 10
"""So many turns of a long chat are shown at once: more would be laid out for too long."""
UNASKED = 30
"""So many of the newest ones are made though nobody looks at them."""
FURNITURE = 6
"""About how many rows a turn has beside its answer."""


class Lot(Static):
    """About the room of some turns that are not made yet: they take its place."""

    DEFAULT_CSS = """
    Lot { max-width: 108; }
    """

    def __init__(self, turns: Sequence[Finished]) -> None:
        super().__init__()
        self.turns = turns
        self._rows: dict[int, int] = {}

    def __contains__(self, view: TurnView) -> bool:
        return any(each is view for (each, _), _ in self.turns)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return about how many rows they will have."""
        if width not in self._rows:
            answers = (turn.answer for (_, turn), _ in self.turns)
            self._rows[width] = sum(about_rows(answer, width) + FURNITURE for answer in answers)
        return self._rows[width]


class Lots:
    """What is not made yet of the turns on a page.

    is_wanted: whether a turn has not been taken away. giving_way: told of a lot, and what stands
    below it, before turns take its place.
    """

    def __init__(
        self,
        page: Page,
        is_wanted: Callable[[TurnView], bool],
        giving_way: GivingWay,
    ) -> None:
        self._page, self._is_wanted, self._giving_way = page, is_wanted, giving_way
        self._lots: list[Lot] = []
        """The newest first."""
        self._making = asyncio.Lock()

    async def begin(self, turns: Sequence[Finished], above: Widget) -> None:
        """Have turns below a part of the page in the place of all others; the newest are made."""
        self._lots = [
            Lot(turns[max(0, end - AT_ONCE) : end]) for end in range(len(turns), 0, -AT_ONCE)
        ]
        self._making = asyncio.Lock()  # what is made of the former ones is waited for by nobody
        for lot in self._lots:
            lot.display = False
        await self._page.mount_all(reversed(self._lots), after=above)
        for lot in self._lots[:1]:
            await self.make(lot)
        for lot in self._lots:
            lot.display = True

    async def make(self, lot: Lot) -> bool:
        """Put turns in the place of their lot; return whether that was done here."""
        async with self._making:
            if not self._is_there(lot):
                return False
            wanted = [each for each in lot.turns if self._is_wanted(each[0][0])]
            await self._page.mount_all([view for (view, _), _ in wanted], after=lot)
            for (view, turn), places in wanted:
                if view.is_attached:
                    await view.restore(turn, places)
            if not self._is_there(lot):
                return False
            self._lots.remove(lot)
            below = self._page.children[self._page.children.index(lot) + 1 :]
            self._giving_way(lot, next((each for each in below if each.display), None))
            lot.display = False
            for (view, _), _ in wanted:
                view.display = True
            await lot.remove()
            return True

    def _is_there(self, lot: Lot) -> bool:
        return lot in self._lots and lot.is_attached

    def of(self, view: TurnView) -> Lot | None:
        """Return the lot of a turn, None if that is made."""
        return next((lot for lot in self._lots if view in lot), None)

    def due(self, rows: range, n_turns: int) -> Lot | None:
        """Return what is to be made: a lot on these rows, or of the newest of so many turns."""
        if self._making.locked():
            return None
        n_made = n_turns - sum(len(lot.turns) for lot in self._lots)
        seen = [lot for lot in self._lots if lot.region]
        near = [lot for lot in seen if lot.region.bottom >= rows.start and lot.region.y < rows.stop]
        return next(iter(near or (self._lots if n_made < UNASKED else ())), None)

    async def thin(self) -> None:
        """Take away the lots of which no turn is wanted."""
        gone = [
            lot
            for lot in self._lots
            if not any(self._is_wanted(view) for (view, _), _ in lot.turns)
        ]
        for lot in gone:
            self._lots.remove(lot)
        await self._page.remove_children(gone)

    def forget(self) -> None:
        """Make nothing more."""
        self._lots.clear()
