"""The terminal app: themes, the chat screen, and a clean end.

The first picture is painted before anything of the engine runs.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.filter import LineFilter, Monochrome
from textual.notifications import SeverityLevel

from app.conversation import Engine
from app.errors import AppError
from app.history import History
from app.prompt_history import PromptHistory
from app.sanitise import one_line
from app.tui.desk import Desk
from app.tui.orders import SessionSettings
from app.tui.painting import Colourless, Grounds
from app.tui.palette import Commands
from app.tui.pulls import Pulls
from app.tui.resuming import Resuming
from app.tui.room import ModelsRoom
from app.tui.screens.chat import ChatScreen
from app.tui.themes import ANSI, DARK, THEMES, origins, other_side

DELETED_FOR_S = 30 * 86_400
"""How long a deleted chat could be brought back."""
WORDS: Mapping[SeverityLevel, str] = {"warning": "Warning", "error": "Error"}
UNTITLED = ("", *WORDS.values())
KeepTheme = Callable[[str], str]
GROUNDS = Grounds()
COLOURLESS = (GROUNDS, Colourless())
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()


class SlipstreamApp(App[None]):
    """Slipstream in a terminal. It owns the engine it is given and the downloads, and ends both.

    room, history: None where there are no models to choose from and no chats to keep, as in
    pictures of the chat alone. keep_theme: keeps the theme that the person chooses and returns
    what there is to say of it; None: it holds for now.
    """

    TITLE = "Slipstream"
    DEFAULT_MODE = "chat"
    CSS = """
    .-theme-contrast TurnView { opacity: 100%; }
    """
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Commands}
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
        theme: str = DARK.name,
        keep_theme: KeepTheme | None = None,
        resuming: Resuming | None = None,
    ) -> None:
        is_colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=True if is_colourless else None)
        self.no_color = is_colourless  # to Textual, an empty NO_COLOR is one
        self._keep_theme = keep_theme
        self._engine = engine
        self._desk = Desk(room, Pulls(self, room)) if room is not None else None
        self._history = history
        self.add_mode(
            "chat",
            lambda: ChatScreen(engine, settings, self._desk, history, prompts, resuming),
        )
        for own in THEMES:
            self.register_theme(own)
        self.theme = theme

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's colours; without colours, what says the same is the ANSI theme's."""
        variables = super().get_css_variables()
        if not self.no_color:
            return variables
        self.theme_variables = variables | ANSI.to_color_system().generate()
        return self.theme_variables

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give every other theme of Textual's the origins' colours too."""
        return origins(self.current_theme)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what changes each line before it is painted."""
        if self.no_color:
            return COLOURLESS
        filters = [each for each in super().get_line_filters() if not isinstance(each, Monochrome)]
        return [*filters, GROUNDS] if self.native_ansi_color else filters

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Tell something in a toast; how serious it is says a word, too, not a colour alone.

        What has no title says how it went what the person did: the newest of these is enough.
        """
        if not title:
            for told in list(self._notifications):
                if told.title in UNTITLED:
                    self._unnotify(told, refresh=False)
        super().notify(
            message,
            title=title or WORDS.get(severity, ""),
            severity=severity,
            timeout=timeout,
            markup=markup,
        )

    def watch_theme(self, before: str, now: str) -> None:
        """Keep a theme that is chosen, by whatever way."""
        if self._keep_theme is None or before == now or not self.is_running:
            return
        try:
            told = self._keep_theme(now)
        except (AppError, OSError) as error:
            self.notify(one_line(str(error)), severity="error", markup=False)
            return
        if self.no_color:
            told = "NO_COLOR is set: there are no colours to see."
        if told:
            self.notify(one_line(told), markup=False)

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Ctrl+P to the screen of all chats, where it pins."""
        return action != "command_palette" or not self.screen.has_class("-own-ctrl-p")

    def action_light(self) -> None:
        """Change between the light and the dark theme."""
        self.theme = other_side(self.current_theme)
