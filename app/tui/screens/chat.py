"""The chat: transcript, live figures, prompt. It shows what the session posts."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import reactive
from textual.screen import Screen
from textual.signal import Signal
from textual.widgets import Footer, Markdown

from app.conversation import Engine
from app.sanitise import one_line
from app.tui.choosing import Choosing
from app.tui.desk import Desk
from app.tui.figures import Figures
from app.tui.messages import (
    AnswerBegan,
    AnswerEnded,
    AnswerGrew,
    EngineNews,
    EngineReady,
    PairChanged,
    QuestionDropped,
)
from app.tui.orders import SessionSettings
from app.tui.session import RESTING, SAME, Session, State
from app.tui.widgets.panel import Panel
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.strip import Strip
from app.tui.widgets.talk import Talk
from app.tui.widgets.top_bar import TopBar
from app.tui.widgets.turn_view import TurnView
from app.tui.widgets.welcome import Welcome
from engine import Delta

WIDE = 110
FIGURES_S = 0.1
IDLE_HINT = "Enter sends · Ctrl+J new line"
BUSY_HINT = "Esc or Ctrl+C stops the answer"
BACK_HINT = "Esc keeps the former model"
STUCK_HINT = "stopping… Esc again restarts the engine"


class ChatScreen(Screen[None]):
    """One chat. desk: None where there are no models to choose from."""

    CSS_PATH = "chat.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Stop", priority=True),
        Binding("ctrl+g", "guesses", "Guesses", priority=True),
        Binding("ctrl+r", "retry", "Retry", priority=True),
        Binding("ctrl+n", "new_chat", "New chat", priority=True),
        Binding("ctrl+o", "models", "Models", priority=True),
        Binding("ctrl+l", "new_chat", "New chat", priority=True, show=False),
        Binding("pageup", "page(-1)", "Page up", priority=True, show=False),
        Binding("pagedown", "page(1)", "Page down", priority=True, show=False),
        Binding("ctrl+c", "interrupt", "Stop, copy or quit", priority=True, show=False),
    ]

    guesses: reactive[bool] = reactive(True)
    """Whether words are coloured by who proposed them."""
    figures: reactive[Figures] = reactive(Figures)
    """The figures of the running answer, or of the last one."""

    def __init__(self, engine: Engine, settings: SessionSettings, desk: Desk | None) -> None:
        super().__init__()
        self._top_bar = TopBar(settings.title, desk.pulls.changed if desk else None)
        self._talk = Talk(settings.title)
        self._transcript = self._talk.transcript
        self._strip = Strip()
        self._prompt = Prompt()
        self._panel = Panel()
        place = desk.room.placed if desk else SAME
        self._session = Session(engine, settings, self.post_message, place)
        self._keys = itertools.count(1)
        self._changed: Signal[State] = Signal(self, "engine changed")
        self._choosing = Choosing(self, desk, self._session, self._changed) if desk else None
        self._newest: Delta | None = None

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield self._top_bar
        with Horizontal(id="body"):
            with Vertical(id="talk"):
                yield self._talk
                yield self._strip
                yield self._prompt
            yield self._panel
        yield Footer()

    def on_mount(self) -> None:
        """Start the engine once the first picture is painted."""
        self._prompt.focus()
        self.set_class(self.app.no_color, "-no-color")
        self.set_interval(FIGURES_S, self._show_newest)
        self.call_after_refresh(self._serve)

    def _serve(self) -> None:
        self.run_worker(self._session.serve())
        if self._choosing is not None:
            self.run_worker(self._choosing.suggest(self._transcript.suggest))

    # what is shown

    def watch_guesses(self, guesses: bool) -> None:
        """Colour the words, or not."""
        self.set_class(guesses, "-guesses")

    def watch_figures(self, figures: Figures) -> None:
        """Hand the figures to whichever shows them at this width."""
        self._panel.figures = self._strip.figures = figures

    @property
    def state(self) -> State:
        """What the session is doing."""
        return self._session.state

    def _show_newest(self) -> None:
        """Show the running answer's figures, as often as a person can read them."""
        if self._newest is not None:
            self.figures = self.figures.growing(self._newest)
            self._newest = None

    def _show_state(self) -> None:
        state = self._session.state
        self._top_bar.state = state
        hints = {"answering": BUSY_HINT, "stopping": STUCK_HINT}
        self._prompt.border_subtitle = hints.get(state, IDLE_HINT)
        if state == "loading" and self._session.can_go_back:
            self._prompt.border_subtitle = BACK_HINT
        self._changed.publish(state)
        self.refresh_bindings()

    # what the session posts

    @on(EngineNews)
    async def _on_engine_news(self, event: EngineNews) -> None:
        await self._talk.tell(event)
        if isinstance(event, EngineReady):
            self.figures = replace(self.figures, ready=event.ready, last_draft=None)
        elif isinstance(event, PairChanged):
            self._top_bar.title = event.title
            self.figures = Figures()
        self._show_state()

    @on(AnswerBegan)
    async def _on_answer_began(self, event: AnswerBegan) -> None:
        view = self._transcript.turn(event.key)
        if view is not None:
            if event.started is None:
                await view.begin()
            else:
                view.prefill(event.started)
        self._show_state()

    @on(AnswerGrew)
    def _on_answer_grew(self, event: AnswerGrew) -> None:
        view = self._transcript.turn(event.key)
        if view is not None:
            view.grow(event.delta)
            self._newest = event.delta

    @on(AnswerEnded)
    async def _on_answer_ended(self, event: AnswerEnded) -> None:
        view = self._transcript.turn(event.key)
        if view is not None:
            await view.end(event.turn)
            self._newest = None
            self.figures = self.figures.ended(event.turn.stats, event.turn.context_used)
        self._show_state()

    @on(QuestionDropped)
    def _on_question_dropped(self, event: QuestionDropped) -> None:
        view = self._transcript.turn(event.key)
        if view is not None:
            view.wait("not asked: there is no engine to answer it")

    # what the person does

    @on(Markdown.LinkClicked)
    def _on_link(self, event: Markdown.LinkClicked) -> None:
        """Hand the address over: a model's link is not opened unseen, nor from a remote shell."""
        self.app.copy_to_clipboard(event.href)
        self.notify(one_line(event.href), title="Link copied", markup=False)

    @on(Prompt.Submitted)
    @on(Welcome.Chosen)
    async def _on_question(self, event: Prompt.Submitted | Welcome.Chosen) -> None:
        view = TurnView(next(self._keys), event.question)
        await self._transcript.add_turn(view)
        if self._session.state == "loading":
            view.wait("waits until the model is loaded")
        elif self._session.answering:
            view.wait("next, when this answer is done")
        self._session.submit(view.key, event.question)
        self._prompt.focus()

    async def action_stop(self) -> None:
        """Stop the answer; while a model loads, take the waiting question back, or keep the
        former model.
        """
        if self._session.answering:
            await self._session.stop()
            self._show_state()
        elif self._session.waiting:
            await self._take_back()
        else:
            await self._session.go_back()

    async def _take_back(self) -> None:
        key = self._session.take_back()
        view = self._transcript.turn(key) if key is not None else None
        if view is not None:
            self._prompt.take(view.question)
            await self._transcript.remove_turn(view)

    async def action_interrupt(self) -> None:
        """Stop the answer, or copy what is selected, or quit."""
        prompt = self._prompt
        selected = prompt.selected_text or self.get_selected_text()
        if self._session.answering:
            await self.action_stop()
        elif selected:
            self.app.copy_to_clipboard(selected)
            self.clear_selection()
            prompt.move_cursor(prompt.cursor_location)
            self.notify("Copied", timeout=2)
        else:
            await self.app.run_action("quit")

    def on_key(self, event: events.Key) -> None:
        """Type into the prompt from wherever the focus is."""
        prompt = self._prompt
        if event.is_printable and event.character and not prompt.has_focus:
            prompt.focus()
            prompt.insert(event.character)
            event.stop()

    def action_page(self, direction: int) -> None:
        """Scroll the transcript by a page."""
        transcript = self._transcript
        move = transcript.scroll_page_up if direction < 0 else transcript.scroll_page_down
        move(animate=False)

    def action_guesses(self) -> None:
        """Colour the words by who proposed them, or stop colouring."""
        self.guesses = not self.guesses

    def action_retry(self) -> None:
        """Ask the last question again."""
        view = self._transcript.last_turn
        if self._session.answering or self._session.waiting:
            return
        if view is None:
            self._session.start()
        elif view.asked:
            self._session.retry(view.key)
        else:
            self._session.submit(view.key, view.question)

    async def action_new_chat(self) -> None:
        """Begin a new chat."""
        await self._session.clear()
        await self._transcript.restart()
        self.figures = replace(self.figures, last_draft=None, context_used=0)
        self._prompt.focus()
        self._show_state()

    def action_models(self) -> None:
        """Choose another pair, download or remove one."""
        if self._choosing is not None:
            self._choosing.open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        if action == "stop":
            session = self._session
            return session.answering or session.waiting > 0 or session.can_go_back
        if action == "models":
            return self._choosing is not None
        if action == "retry":
            idle = not self._session.answering
            return idle and (self.state in RESTING or self._transcript.last_turn is not None)
        return True
