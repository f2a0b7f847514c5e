"""The chat's screen as actions see it: its parts by name.

screens/chat.py makes the parts and lays them out. The actions, and whatever else has to do with a
chat as a whole, know this base alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive, var

from app.terminal.sanitise import one_line
from app.tui.figures.figures import Figures
from app.tui.reading_screen import ReadingScreen
from app.tui.serving.shared_engine import RESTING, State

if TYPE_CHECKING:
    from app.chat.conversation import Turn
    from app.history import History
    from app.settings.rows import Value
    from app.tui.chats.tabs import Tabs
    from app.tui.models.choosing import Choosing
    from app.tui.models.desk import Desk
    from app.tui.serving.gauge import Gauge
    from app.tui.turns.asking import Asking
    from app.tui.turns.fullness import Full
    from app.tui.widgets.chat_side import ChatSide
    from app.tui.widgets.prompt import Prompt


class ChatView(ReadingScreen):
    """One chat at a time; session and talk are the base's.

    history, desk, choosing: None where nothing is kept, and there are no models. chosen: the
    settings that were changed here, by their names.
    """

    history: History | None
    desk: Desk | None
    choosing: Choosing | None
    tabs: Tabs
    prompt: Prompt
    side: ChatSide
    gauge: Gauge
    chosen: dict[str, Value | None]

    guesses: reactive[bool] = reactive(True)
    """Whether words are coloured by who proposed them."""
    figures: var[Figures] = var(Figures)
    """The figures of the running answer, or of the last one."""

    @property
    def asking(self) -> Asking:
        """What is done to the chat in sight."""
        return self.tabs.asking

    @property
    def is_idle(self) -> bool:
        """Whether nothing is answered, waits or is on its way in the chat in sight, no file is read
        for what is, and all that was answered there has reached the screen.
        """
        asking = self.asking
        is_on_way = asking.on_way or self.prompt.enclosing.is_reading
        is_behind = len(asking.transcript.asked) < len(asking.conversation.turns)
        return self.session.is_idle and not is_on_way and not is_behind

    @property
    def state(self) -> State:
        """What the engine is doing, for whichever chat."""
        return self.session.state

    @property
    def is_resting(self) -> bool:
        """Whether no engine runs until somebody asks."""
        return self.state in RESTING

    @property
    def full(self) -> Full | None:
        """What is full, while something is to be chosen about that."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Tell something in a toast."""
        self.notify(one_line(text), markup=False)

    def show_state(self) -> None:
        """Show what the session is doing."""
        raise NotImplementedError

    def show_hint(self) -> None:
        """Say below the prompt which keys matter now."""
        raise NotImplementedError

    def show_figures_of(self, turn: Turn | None) -> None:
        """Show the figures of an answer that was given earlier."""
        raise NotImplementedError

    async def action_act(self, name: str, argument: str = "") -> None:
        """Do one of the actions."""
        raise NotImplementedError
