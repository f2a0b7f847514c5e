"""The models: all pairs, what is here, what fits; to use, download, remove, unload.

It is painted at once; what takes time comes from threads and fills in. It shows what the models,
the downloads and the session know, and is dismissed with the name of the pair to use.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.signal import Signal
from textual.widgets import Static

from app.errors import AppError
from app.sizes import size
from app.terminal.sanitise import one_line
from app.tui.background.overtaking import overtake
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.keys.offered import Offered
from app.tui.keys.screen_keys import bound
from app.tui.keys.vi_keys import ViKeys
from app.tui.models.desk import Desk
from app.tui.models.downloading import download
from app.tui.models.facts import name_of, with_files, with_verdicts
from app.tui.models.model_access import DOES_NOT_FIT, Facts
from app.tui.models.pair_view import PairView, views
from app.tui.models.pulls import States
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.left_once import LeftOnce
from app.tui.serving.session import Session
from app.tui.serving.shared_engine import RESTING, State
from app.tui.tones import DIM
from app.tui.widgets.pair_list import PairList
from app.tui.widgets.screen_footer import ScreenFooter

if TYPE_CHECKING:
    from app.models.offers import Offer

WIDE = 110
SOMETIMES = ("use", "download", "pause", "remove", "unload")
"""Actions that do not always make sense."""
LONGEST_NAME = 24
LOOKING = "looking at this machine…"


class ModelsScreen(ViKeys, LeftOnce[str | None]):
    """All pairs; its result is the one to go on with, None for no other."""

    CSS_PATH = "models.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    VERTICAL_BREAKPOINTS = [(0, "-low"), (12, "-high")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "use", "Use", priority=True),
        Binding("enter", "download", "Download", priority=True),
        bound("models-download", "download", priority=True),
        bound("models-download", "pause", "Pause"),
        bound("models-remove", "remove"),
        bound("models-unload", "unload"),
        Binding("escape", "back", "Back", priority=True),
        Binding("ctrl+o", "back", "Back", show=False, id="model"),
    ]

    def __init__(
        self, desk: Desk, session: Session, engine_changed: Signal[State], begin_at: str = ""
    ) -> None:
        """begin_at: the pair to highlight, "" for the chat's."""
        super().__init__()
        self._desk, self._session = desk, session
        self._engine_changed = engine_changed
        self._pairs = PairList()
        self._title = Static(id="title", markup=False)
        self._parts = [Static(classes="part", markup=False) for _ in range(3)]
        self._status = LOOKING
        self._begin_at = begin_at
        self._own: Offer | None = None
        self._offered = Offered(self, SOMETIMES)

    def compose(self) -> ComposeResult:
        """Title, table, details."""
        yield self._title
        with Container(id="body"):
            yield self._pairs
            with VerticalScroll(id="details"):
                yield from self._parts
        yield ScreenFooter(self._word)

    def on_mount(self) -> None:
        """Paint first, look then."""
        self._desk.pulls.changed.subscribe(self, self._on_pulls)
        self._engine_changed.subscribe(self, lambda _: self._show())
        self._show()
        self.call_after_refresh(self._look)

    def on_unmount(self) -> None:
        """Be forgotten: a signal keeps who hears of it until it is given the next time."""
        self._desk.pulls.changed.unsubscribe(self)
        self._engine_changed.unsubscribe(self)

    def on_resize(self) -> None:
        """Fit the first line to the width."""
        self._show_title()

    # what is shown

    def _look(self) -> None:
        """Learn all anew, in a thread."""
        overtake(self, self._learn, group="look")

    async def _learn(self) -> None:
        models = self._desk.models
        try:
            self._tell(LOOKING)
            glanced = await in_thread(models.glance)
            self._take(with_verdicts(glanced, self._desk.facts))
            if not name_of(self._session.settings, glanced):
                await self._learn_own()
            self._take(await in_thread(models.look))
            self._tell(await in_thread(models.note))
        except Exception as error:
            why = error_line(error)
            self._tell(why)
            self.notify(why, severity="error", markup=False)

    async def _learn_own(self) -> None:
        """Learn of the chat's files, which are no pair; some that are gone are not shown."""
        opened = self._desk.models.opened
        with suppress(AppError, OSError):
            self._own = await in_thread(lambda: opened(self._session.settings))

    def _take(self, facts: Facts) -> None:
        self._desk.facts = facts
        self._show()
        self.refresh_bindings()

    def _show(self) -> None:
        facts, current = with_files(self._desk.facts, self._own), self._current
        self._pairs.show(views(facts, self._desk.pulls.states, current, self._session.state))
        if facts.offers and self._pairs.highlighted is None:
            self._begin(current)
        self._show_details()

    @property
    def _current(self) -> str:
        """The name of what the chat is with, "" while that is not known."""
        return name_of(self._session.settings, with_files(self._desk.facts, self._own))

    def _begin(self, current: str) -> None:
        """Go to the pair that was asked for, else to the chat's."""
        names = {view.offer.name for view in self._pairs.views}
        if self._begin_at and self._begin_at not in names:
            told = f"There is no pair {one_line(self._begin_at, 40)!r}; these are all."
            self.notify(told, severity="error", markup=False)
            self._begin_at = ""
        self._pairs.highlight(self._begin_at or current)

    def _show_details(self) -> None:
        view = self._pairs.highlighted
        if view is not None:
            for part, text in zip(
                self._parts, (view.about(), view.fit(), view.files()), strict=True
            ):
                part.update(text)
        self._offered.look()

    def _tell(self, status: str) -> None:
        self._status = status
        self._show_title()

    def _show_title(self) -> None:
        title = Content.styled("Models", "bold $primary")
        room = max(0, self._title.content_size.width - title.cell_length - 2)
        status = Content.styled(self._status, DIM).truncate(room, ellipsis=True)
        gap = " " * (room + 2 - status.cell_length)
        self._title.update(Content.assemble(title, gap, status))

    def _word(self, binding: Binding) -> str:
        """Say what a key does: how much it downloads, what it unloads."""
        view = self._pairs.highlighted
        if binding.action == "unload":
            return f"{binding.description} {one_line(self._current, LONGEST_NAME)}".rstrip()
        if binding.action == "download" and view is not None and view.missing:
            return f"{binding.description} {size(view.missing)}"
        return binding.description

    def _on_pulls(self, states: States) -> None:
        """Show how far the downloads are; a listed one that is over changes what is here."""
        known = {view.offer.name: view.pull for view in self._pairs.views}
        ended = [s for s in states.values() if not s.is_running and known.get(s.name, s) != s]
        self._show()
        if ended:
            self._look()

    @on(PairList.Highlighted)
    def _on_highlighted(self) -> None:
        self.query_one("#details", VerticalScroll).scroll_home(animate=False)
        self._show_details()
        self.refresh_bindings()

    # what the person does

    @on(PairList.Chosen)
    async def _on_chosen(self) -> None:
        for action in ("use", "download"):
            if self.check_action(action, ()):
                await self.run_action(action)
                return

    def action_back(self) -> None:
        """Go back to the chat as it is."""
        self.dismiss(None)

    def action_use(self) -> None:
        """Go on with the pair; one that is loaded stays, unless it shall be loaded otherwise."""
        view, session = self._highlighted(), self._session
        is_kept = view.engine not in ("", *RESTING) and session.has(session.settings.pair)
        if view.offer is self._own and not is_kept:
            start(self.app, session.switch, session.settings)
        self.dismiss(None if is_kept or view.offer is self._own else view.offer.name)

    def action_download(self) -> None:
        """Download the pair; ask before what will not run here."""
        offer = self._highlighted().offer
        is_misfit = offer.verdict == DOES_NOT_FIT
        why = [offer.fit, *(f"or {other}" for other in offer.alternatives)] if is_misfit else []
        download(self.app, self._desk.pulls, offer.name, offer.title, why)

    def action_pause(self) -> None:
        """Pause the download."""
        self._desk.pulls.pause(self._highlighted().offer.name)

    async def action_unload(self) -> None:
        """Free the memory of the pair that is loaded."""
        await self._session.unload()

    def action_remove(self) -> None:
        """Remove the pair's files, when the person has seen what goes."""
        overtake(self, self._remove, self._highlighted(), group="remove")

    async def _remove(self, view: PairView) -> None:
        name, models = view.offer.name, self._desk.models
        try:
            leaving = await in_thread(lambda: models.leaving(name))
            if not leaving.going:
                why = " ".join(leaving.staying)
                self.notify(why, title=f"{view.name}: nothing is removed", markup=False)
                return
            is_hit = self._current in (name, *leaving.losing)
            lines = [*leaving.going, *leaving.staying]
            if leaving.losing:
                lines.append(f"Made of them too: {', '.join(leaving.losing)}.")
            if is_hit and self._session.state not in RESTING:
                lines.append("It is loaded, and will be unloaded first.")
            question = f"Remove {view.offer.title}? That frees {size(leaving.freed_bytes)}."
            confirm = ConfirmScreen(question, lines, "Remove", "Keep")
            if not await self.app.push_screen_wait(confirm):
                return
            if is_hit:
                await self._session.unload()
            freed = await in_thread(lambda: models.remove(name))
        except Exception as error:
            self.notify(error_line(error), severity="error", markup=False)
            return
        self._desk.pulls.forget(name)
        self.notify(f"{view.name} is removed: {size(freed)} freed.", markup=False)
        self._look()

    def _highlighted(self) -> PairView:
        view = self._pairs.highlighted
        assert view is not None, "check_action has seen it"
        return view

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense for the pair that is highlighted."""
        view = self._pairs.highlighted
        if action not in SOMETIMES:
            return True
        if action == "unload":
            return self._session.state not in RESTING
        if view is None:
            return False
        return {
            "use": view.is_usable,
            "download": view.is_to_come and not (view.is_pulling or self._desk.models.offline),
            "pause": view.pull is not None and view.pull.status == "running",
            "remove": view.is_removable and view.offer is not self._own,
        }[action]
