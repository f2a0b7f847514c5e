"""The chat as it scrolls by; it sticks to its end unless the reader has scrolled up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Literal

from textual.app import ComposeResult
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.terminal.sanitise import one_line
from app.tui.background.starting import start
from app.tui.widgets.filling import Lot, Lots
from app.tui.widgets.laid_out_once import LaidOutOnce
from app.tui.widgets.legend_line import LegendLine
from app.tui.widgets.page import Page
from app.tui.widgets.reaching import Reaching
from app.tui.widgets.turn_view import TurnView
from app.tui.widgets.welcome import Welcome


class Transcript(Reaching, LaidOutOnce, can_focus=False):
    """Turns and notes, oldest first; welcome: what an empty chat shows."""

    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-color: $panel-lighten-2;
        scrollbar-background: $background;
        /* never shorter than the view, or the anchor would push it down */
        #page { height: auto; min-height: 100%; padding: 1 1 0 1; }
        .note { padding: 0 2; margin-bottom: 1; color: $foreground-muted; }
        .note.-error { color: $error; }
    }
    """

    has_unseen: var[bool] = var(False)
    """Whether something was written below while the reader was further up."""

    class Made(Message):
        """There are more of the turns that were shown."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._page = Page(id="page")
        self.welcome = Welcome(title)
        self._turns: dict[int, TurnView] = {}
        self.selected: TurnView | None = None
        self._laid_out_at = 0
        self._kept: tuple[Widget, float] | None = None
        """What is to stay where it was in sight before the next layout, and where that is."""
        self._lots = Lots(self._page, self._is_here, self._keep_place)

    def compose(self) -> ComposeResult:
        """Start empty."""
        with self._page:
            yield self.welcome

    def on_mount(self) -> None:
        """Fold and unfold with the layout."""
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Lay out what comes into sight. An animation may scroll on while the app is taken down."""
        super().watch_scroll_y(old_value, new_value)
        if self.is_attached:
            self._fold()
        if self.is_followed:
            self.has_unseen = False

    def _laid_out(self, _: Screen[object]) -> None:
        if self.display:  # of another chat, nothing is laid out
            if self._kept is not None:
                (view, y), self._kept = self._kept, None
                if not self.is_reaching:  # else the reader goes elsewhere
                    self.shift(self.row_of(view) - y - self.scroll_y)
            self._laid_out_at = self.scroll_offset.y
            self._fold()
            self.reach_on()

    def _fold(self) -> None:
        """Fold what is far from sight, unless text is selected there, and unfold what is near."""
        height = self.size.height
        top = self.content_region.y + self.scroll_offset.y - self._laid_out_at
        near = range(top - height, top + 2 * height)
        nearing = range(near.start - height, near.stop + height)
        if lot := self._lots.due(nearing, len(self._turns)):
            start(self.app, self._make, lot)
        is_selecting = bool(self.screen.selections)
        for view in [each for each in self._turns.values() if each.display]:
            if view.is_on(near):
                view.unfold()
                view.make_near(nearing, self._keep_place)
            elif view.over and not is_selecting:
                view.fold()
                continue
            for part in view.parts:
                if part.is_on(near):
                    part.unfold()
                elif not is_selecting:
                    part.fold()

    @property
    def is_followed(self) -> bool:
        """Whether the reader is at the end, or of as much of it as is shown."""
        return not (self.is_anchored and self._anchor_released)

    def grew(self) -> None:
        """Something was written at the end."""
        self.has_unseen = self.has_unseen or not self.is_followed

    def follow(self) -> None:
        """Go to the newest text, and along with it from now on."""
        self.give_up()
        self.anchor()
        self.has_unseen = False

    async def add_turn(self, view: TurnView) -> None:
        """Add a question at the end and show it."""
        self.select(None)
        self.welcome.display = False
        self._turns[view.key] = view
        await self._page.mount(view)
        self.anchor()

    async def note(
        self,
        text: str,
        kind: Literal["dim", "error", "about"] = "dim",
        lines: Sequence[str] = (),
    ) -> None:
        """Add a line that the app says itself, at the end; lines: more of it."""
        told = "\n".join(map(one_line, (text, *lines)))
        line = Static(told, classes=f"note -{kind}", markup=False)
        await self._page.mount(line)
        if not self._turns:
            self.anchor()
        else:
            self.grew()

    async def put_below(self, view: TurnView, line: Widget) -> None:
        """Put a line below a turn."""
        await self._page.mount(line, after=view)

    async def restart(self) -> None:
        """Empty the transcript."""
        self.select(None)
        self._turns.clear()
        self._lots.forget()
        await self._page.query_children("TurnView, .note, Lot").remove()
        self._greet()

    def _greet(self) -> None:
        """Show the welcome from its top, unmoved by a view that grows and shrinks meanwhile."""
        self.welcome.display = True
        self.anchor(False)

    async def remove_turn(self, view: TurnView) -> None:
        """Take a question out again."""
        await self._take_away([view])

    async def _take_away(self, views: Sequence[TurnView]) -> None:
        if self.selected in views:
            self.select(None)
        for view in views:
            self._turns.pop(view.key, None)
        legends = [each for each in self._page.query_children(LegendLine) if each.turn in views]
        gone = [*views, *legends]
        await self._page.remove_children([each for each in gone if each.is_attached])
        await self._lots.thin()
        if not self._turns:
            self._greet()

    async def show(self, turns: Sequence[tuple[TurnView, Turn]], places: Sequence[Places]) -> None:
        """Show finished turns in place of what is shown: the newest at once, others when they come
        near to sight.
        """
        await self.restart()
        for view, _ in turns:
            self._turns[view.key] = view
            view.display, view.asked = False, True
        self.welcome.display = not turns
        self.anchor(bool(turns))
        await self._lots.begin(list(zip(turns, places, strict=True)), self.welcome)

    async def make(self, view: TurnView) -> None:
        """Have a turn made, if it is not yet."""
        if lot := self._lots.of(view):
            await self._make(lot)

    async def _make(self, lot: Lot) -> None:
        if await self._lots.make(lot):
            self.post_message(self.Made())

    def _is_here(self, view: TurnView) -> bool:
        return self._turns.get(view.key) is view

    def _keep_place(self, made: Widget, below: Widget | None) -> None:
        """Have who reads below go on reading."""
        stays = self.display and not self.is_followed and self.row_of(made) < self.scroll_y
        if below is not None and stays:
            here = below, self.row_of(below) - self.scroll_y
            self._kept = max(self._kept or here, here, key=itemgetter(1))  # what is below all

    async def append(
        self,
        turns: Sequence[tuple[TurnView, Turn]],
        places: Sequence[Places],
        are_wanted: Callable[[], bool],
    ) -> bool:
        """Show finished turns behind the others, all at once, if they are wanted still when they
        are made; say whether they were. Who reads further up stays there.
        """
        views = [view for view, _ in turns]
        for view in views:
            view.display = False
        await self._page.mount_all(views)
        for (view, turn), place in zip(turns, places, strict=True):
            if not view.is_attached:
                return False
            await view.restore(turn, place)
        if not are_wanted():
            await self._page.remove_children(views)
            return False
        for view in views:
            self._turns[view.key] = view
            view.display = True
        self.grew()
        return True

    @property
    def asked(self) -> list[TurnView]:
        """The questions that the engine has or had, oldest first: those of the conversation."""
        return [view for view in self._turns.values() if view.asked]

    def index(self, view: TurnView) -> int:
        """Return how many questions above this one were asked."""
        views = self.turns
        return sum(each.asked for each in views[: views.index(view)])

    async def cut(self, view: TurnView) -> None:
        """Take a question and all behind it out of sight."""
        views = self.turns
        await self._take_away(views[views.index(view) :])

    async def cut_behind(self, view: TurnView) -> None:
        """Take all behind a question out of sight."""
        views = self.turns
        await self._take_away(views[views.index(view) + 1 :])

    @property
    def turns(self) -> list[TurnView]:
        """All questions, oldest first."""
        return list(self._turns.values())

    def select(self, view: TurnView | None) -> None:
        """Choose a turn for what is done next; None: the last one is meant."""
        if self.selected is not None:
            self.selected.remove_class("-selected")
        self.selected = view
        if view is not None:
            view.add_class("-selected")
            if view.display:
                self._show_chosen(view)
            else:
                start(self.app, self._make_chosen, view)

    async def _make_chosen(self, view: TurnView) -> None:
        await self.make(view)
        self.call_after_refresh(self._show_chosen, view)

    def _show_chosen(self, view: TurnView) -> None:
        if view is self.selected:
            self.give_up()
            self.scroll_to_widget(view, animate=False)

    def select_beside(self, steps: int) -> None:
        """Choose the turn so many further down; beyond the last one, none."""
        views = self.turns
        at = views.index(self.selected) if self.selected in views else len(views)
        at = max(at + steps, 0)
        self.select(views[at] if at < len(views) else None)

    def turn(self, key: int) -> TurnView | None:
        """Return the view of a question, if it is still here."""
        return self._turns.get(key)

    @property
    def last_turn(self) -> TurnView | None:
        """The newest question."""
        return next(reversed(self._turns.values()), None)
