"""The chat in sight: transcript, live figures, prompt. It shows what the session posts.

What a person can do here is in app/tui/actions; what they know of this screen is in
app/tui/chat_view.py.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.signal import Signal

from app.chat.conversation import Engine, Turn
from app.chat.recorder import HistoryRecorder
from app.history import History
from app.prompts.prompt_history import PromptHistory
from app.settings.rows import Value
from app.tui.actions import ACTIONS
from app.tui.actions.thinking import thinks
from app.tui.attention import Attention
from app.tui.background.overtaking import overtake
from app.tui.background.pauses import sweep_in_pauses
from app.tui.background.starting import start
from app.tui.chat_view import ChatView
from app.tui.chats.addressed import Addressed, address, is_for_sight
from app.tui.chats.elsewhere import follow_others, look_for_others
from app.tui.chats.opening import open_listed
from app.tui.chats.resuming import Resuming
from app.tui.chats.tabs import Tabs
from app.tui.dispatch import KEYS, act, carry_out, explain, is_offered
from app.tui.figures.figures import Figures
from app.tui.figures.shown_figures import follow_answer, follow_engine, show_earlier
from app.tui.frame import HEIGHTS, WIDTHS, show_frame
from app.tui.models.choosing import Choosing
from app.tui.models.desk import Desk
from app.tui.models.given_files import tell_of_files
from app.tui.preferences.chat_settings import follow_pair
from app.tui.preferences.own_in_short import in_short
from app.tui.preferences.own_settings import Choice
from app.tui.prompting.counting import Counting
from app.tui.prompting.hints import hint
from app.tui.prompting.interrupt import Interrupt
from app.tui.serving.answers import Answers
from app.tui.serving.gauge import Gauge
from app.tui.serving.messages import AnswerGrew, AnswerNews, EngineNews, EngineReady, PairChanged
from app.tui.serving.orders import SAME, SessionSettings
from app.tui.serving.session import Session
from app.tui.serving.shared_engine import State
from app.tui.turns.fullness import Full
from app.tui.turns.vision import let_see
from app.tui.widgets.chat_side import ChatSide
from app.tui.widgets.chat_tabs import ChatTabs
from app.tui.widgets.completions import Completions
from app.tui.widgets.full_choice import FullChoice
from app.tui.widgets.key_footer import KeyFooter
from app.tui.widgets.panel import Panel
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.strip import Strip
from app.tui.widgets.talk import Talk
from app.tui.widgets.tinted import GUESSES, show_guesses
from app.tui.widgets.top_bar import TopBar
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.welcome import Welcome

FIGURES_S = 0.25


class ChatScreen(ChatView):
    """flag_choice: what flags choose for the chats that are begun."""

    CSS_PATH = ["chat.tcss", "origins.tcss"]  # noqa: RUF012 (as in the base)
    HORIZONTAL_BREAKPOINTS, VERTICAL_BREAKPOINTS = WIDTHS, HEIGHTS
    BINDINGS: ClassVar[list[BindingType]] = [
        *KEYS,
        Binding("ctrl+c", "interrupt", "Stop, copy, clear or quit", priority=True, show=False),
    ]

    def __init__(
        self,
        engine: Engine,
        settings: SessionSettings,
        desk: Desk | None,
        history: History | None = None,
        prompts: PromptHistory | None = None,
        resuming: Resuming | None = None,
        flag_choice: Choice = MappingProxyType({}),
    ) -> None:
        super().__init__()
        self.set_class(True, GUESSES, update=False)  # later, all that is mounted is styled anew
        self.history, self.desk, self._resuming = history, desk, resuming
        self.chosen: dict[str, Value | None] = dict(flag_choice)
        self.gauge, self.talk = Gauge(engine), Talk(settings.title)
        offered = {a.name: partial(a.choices, self) for a in ACTIONS.values() if a.choices}
        self.prompt = Prompt(
            offered, Path.cwd(), prompts, lambda: self.session.settings.habits.enter
        )
        self.prompt.deliver = partial(address, self)
        self._counting = Counting(self.prompt, self.gauge, Path.cwd())
        place = desk.models.placed if desk else SAME
        self.session = Session(
            engine, settings, self.post_message, place, lambda: follow_pair(self)
        )
        self.tabs = Tabs(self, self._recorder, flag_choice)
        self._top_bar = TopBar(settings.title, desk.pulls.changed if desk else None)
        self._strip, self._panel = Strip(), Panel()
        self._changed: Signal[State] = Signal(self, "engine changed")
        self.choosing = Choosing(self, desk, self.session, self._changed) if desk else None
        self.full_choice = FullChoice(self._changed)
        self.interrupt, self._answers = Interrupt(self), Answers(self)
        self._tab_line, self._doing = ChatTabs(), asyncio.Lock()
        choose = partial(open_listed, self)
        self.side = ChatSide(history, self.tabs.labelled, choose, self.prompt.focus)
        let_see(self)

    def compose(self) -> ComposeResult:
        """Lay the screen out."""
        yield self._top_bar
        yield self._tab_line
        with Horizontal(id="body"):
            yield self.side
            with Vertical(id="talk"):
                yield self.talk
                yield self.full_choice
                yield self._strip
                yield self.prompt
            yield self._panel
        yield KeyFooter()

    def on_mount(self) -> None:
        """Start the engine once the chat is painted."""
        self.prompt.focus()
        self.set_interval(FIGURES_S, self._answers.show_newest)
        self.call_after_refresh(self._serve)

    def _serve(self) -> None:
        Attention(self).follow(self._changed)
        follow_others(self)
        sweep_in_pauses(self)
        start(self, self.session.serve)
        if self._resuming is not None:
            start(self, self._resuming.begin, self, self._changed)
        if self.choosing is not None:
            start(self, self.choosing.suggest, self.talk.suggest)

    def watch_guesses(self, guesses: bool) -> None:
        """Colour the words, or not."""
        show_guesses(self, guesses)

    def watch_figures(self, figures: Figures) -> None:
        """Hand the figures to whichever shows them at this width."""
        self._panel.figures = self._strip.figures = figures
        if self.is_mounted:
            show_frame(self, self._top_bar)

    def on_resize(self) -> None:
        """Have what gives way give way, and say what it said."""
        show_frame(self, self._top_bar)

    def _recorder(self) -> HistoryRecorder | None:
        history = self.history
        return HistoryRecorder(history, lambda: self.session.settings.title) if history else None

    @property
    def full(self) -> Full | None:
        """What is full, while something is to be chosen about that."""
        return self.full_choice.full if self.is_idle else None

    def show_figures_of(self, turn: Turn | None) -> None:
        """Show the figures of an answer that was given earlier."""
        show_earlier(self, turn)

    def show_state(self) -> None:
        """Show what the session is doing."""
        self.asking.tell_why_waiting()
        self._top_bar.state, self._top_bar.thinks = self.session.shown, thinks(self) is not False
        self._top_bar.knows = bool(self.session.conversation.about)
        self._top_bar.own = in_short(self.chosen)
        self._tab_line.show(self.tabs.labels())
        self.side.look()
        show_frame(self, self._top_bar)
        self.show_hint()
        self._changed.publish(self.state)
        self.refresh_bindings()

    @on(Completions.Turned)
    def _on_other_offers(self) -> None:
        self.show_hint()
        self.refresh_bindings()

    def show_hint(self) -> None:
        """Say below the prompt which keys matter now."""
        self.prompt.show_hint(hint(self, self.interrupt.armed_by), self.session.can_take_back)

    @on(EngineNews)
    async def _on_engine_news(self, event: EngineNews) -> None:
        await self.talk.tell(event)
        follow_engine(self, event)
        if isinstance(event, EngineReady):
            await tell_of_files(self, event.ready)
            self.prompt.tell_typed()
        elif isinstance(event, PairChanged):
            self._top_bar.title = event.title
        self.show_state()

    @on(AnswerNews)
    async def _on_answer_news(self, event: AnswerNews) -> None:
        await self._answers.tell(event)
        if not isinstance(event, AnswerGrew):
            follow_answer(self, event)
            self.prompt.tell_typed()
            self.show_state()

    @on(ChatTabs.Chosen)
    async def _on_tab(self, event: ChatTabs.Chosen) -> None:
        await self.action_act("chat", str(event.place))

    @on(Transcript.Made)
    def _on_made(self) -> None:
        """Mark which of the turns are not sent."""
        self.show_state()

    @on(Addressed)
    def _on_sent(self, event: Addressed) -> None:
        """Do it in its turn, while words of an answer are shown; never where the app ends now."""
        start(self, self._do_in_turn, event)

    async def _do_in_turn(self, event: Addressed) -> None:
        async with self._doing:  # first come, first served
            if not await is_for_sight(self, event):
                self.show_state()
            elif isinstance(event.sent, Prompt.Commanded):
                await self._on_command(event.sent)
            else:
                await self._on_question(event.sent)

    @on(Prompt.Submitted)
    @on(Welcome.Chosen)
    async def _on_question(self, event: Prompt.Submitted | Welcome.Chosen) -> None:
        self.interrupt.disarm()
        attached = event.attachments if isinstance(event, Prompt.Submitted) else ()
        asking, amends = self.asking, self.asking.amends
        await asking.ask(event.question, attached)
        if amends and asking is self.asking:
            self.show_figures_of(asking.conversation.turns[-1])
        start(self, look_for_others, self)
        self.show_state()
        self.prompt.focus()

    async def on_key(self, event: events.Key) -> None:
        """Type into the prompt from wherever the focus is; say why a key does nothing."""
        if not await self.interrupt.leaves(event.key):
            explain(self, event.key)
        is_text = event.is_printable and not event.key.startswith("alt+")
        if is_text and event.character and not self.prompt.has_focus:
            self.prompt.focus()
            self.prompt.insert(event.character)
            event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Paste into the prompt from wherever the focus is."""
        self.prompt.focus()
        self.prompt.take_in(event.text)
        event.stop()

    @on(Prompt.Typed)
    async def _on_typed(self, event: Prompt.Typed) -> None:
        """Say how long it is that is being typed, while the engine has nothing else to do."""
        if event.text or self.prompt.attachments:  # it is told of anew, too, when nobody types
            self.interrupt.disarm()
        self._on_other_offers()
        is_free = self.state == "ready" and self.session.is_free
        overtake(self, self._counting.count, event.text, is_free, group="count")

    @on(Prompt.Commanded)
    async def _on_command(self, event: Prompt.Commanded) -> None:
        self.interrupt.disarm()
        await carry_out(self, event)
        self.show_state()

    async def action_interrupt(self) -> None:
        """Do what Ctrl+C does just now."""
        await self.interrupt.press()

    async def action_act(self, name: str, argument: str = "") -> None:
        """Do one of the actions."""
        self.interrupt.disarm()
        await act(self, name, argument)
        self.show_state()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what makes sense now."""
        return action != "act" or is_offered(self, str(parameters[0]))
