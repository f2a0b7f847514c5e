"""The terminal app: themes, the chat screen, and a clean end.

The first picture is painted before anything of the engine runs.
"""

from __future__ import annotations

import asyncio
import signal
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from app.conversation import Engine
from app.tui.screens.chat import ChatScreen
from app.tui.session import SessionSettings
from app.tui.themes import DARK, LIGHT, ORIGINS_DARK, ORIGINS_LIGHT, THEMES

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()


class SlipstreamApp(App[None]):
    """Slipstream in a terminal. It owns the engine it is given and closes it."""

    TITLE = "Slipstream"
    DEFAULT_MODE = "chat"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("ctrl+t", "light", "Light or dark", show=False, priority=True),
    ]

    def __init__(self, engine: Engine, settings: SessionSettings) -> None:
        super().__init__()
        self._engine = engine
        self.add_mode("chat", lambda: ChatScreen(engine, settings))
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

    async def on_unmount(self) -> None:
        """End the engine with the app, however that comes."""
        await self._engine.close()

    def action_light(self) -> None:
        """Change between the light and the dark theme."""
        self.theme = LIGHT.name if self.current_theme.dark else DARK.name
