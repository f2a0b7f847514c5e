"""The terminal app: themes, the chat screen, and a clean end.

The first picture is painted before anything of the engine runs.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from app.conversation import Engine
from app.history import History
from app.prompt_history import PromptHistory
from app.sanitise import one_line
from app.tui.actions import ACTIONS
from app.tui.desk import Desk
from app.tui.orders import SessionSettings
from app.tui.pulls import Pulls
from app.tui.room import ModelsRoom
from app.tui.screens.chat import ChatScreen
from app.tui.themes import DARK, LIGHT, ORIGINS_DARK, ORIGINS_LIGHT, THEMES

DELETED_FOR_S = 30 * 86_400
"""How long a deleted chat could be brought back."""
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()


class SlipstreamApp(App[None]):
    """Slipstream in a terminal. It owns the engine it is given and the downloads, and ends both.

    room, history: None where there are no models to choose from and no chats to keep, as in
    pictures of the chat alone.
    """

    TITLE = "Slipstream"
    DEFAULT_MODE = "chat"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("ctrl+t", "light", "Light or dark", show=False, priority=True),
    ]

    def __init__(
        self,
        engine: Engine,
        settings: SessionSettings,
        room: ModelsRoom | None = None,
        history: History | None = None,
        prompts: PromptHistory | None = None,
    ) -> None:
        super().__init__()
        self._engine = engine
        self._desk = Desk(room, Pulls(self, room)) if room is not None else None
        self._history = history
        self.add_mode("chat", lambda: ChatScreen(engine, settings, self._desk, history, prompts))
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give every other theme of Textual's the origins' colours too."""
        return ORIGINS_DARK if self.current_theme.dark else ORIGINS_LIGHT

    def on_mount(self) -> None:
        """End well also when asked to by a signal."""
        loop = asyncio.get_running_loop()
        for number in ENDING_SIGNALS:
            loop.add_signal_handler(number, self.exit)
        if self._history is not None:
            self.tell_of_history(self._history.notice)
            self._history.purge(DELETED_FOR_S)

    def tell_of_history(self, line: str) -> None:
        """Say what is amiss with the chats on disk; "": nothing is."""
        if line:
            self.notify(one_line(line), title="Chats", severity="warning", markup=False)

    async def on_unmount(self) -> None:
        """End the engine and pause the downloads with the app, however that comes."""
        ends = [self._engine.close()]
        if self._desk is not None:
            ends.append(self._desk.pulls.close())
        await asyncio.gather(*ends)
        if self._history is not None:
            await asyncio.to_thread(self._history.close)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer what can be done in a chat, too, in the command palette."""
        yield from super().get_system_commands(screen)
        if isinstance(screen, ChatScreen):
            for action in ACTIONS.values():
                if action.makes_sense(screen):
                    yield SystemCommand(
                        action.title, action.about.capitalize(), _doing(screen, action.name)
                    )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+P to the screen of all chats, where it pins."""
        return action != "command_palette" or not self.screen.has_class("-own-ctrl-p")

    def action_light(self) -> None:
        """Change between the light and the dark theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name


def _doing(screen: ChatScreen, name: str) -> Callable[[], None]:
    """Return what begins an action: nobody awaits a command of the palette."""

    def begin() -> None:
        screen.run_worker(screen.action_act(name))

    return begin
