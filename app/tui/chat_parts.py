"""What a chat is made of, once all of it is imported, read and opened; and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from textual.app import App

from app.chat.conversation import Engine
from app.history import History
from app.prompts.prompt_history import PromptHistory
from app.tui.chats.resuming import Resuming
from app.tui.keys.keymap import DEFAULT, Keys
from app.tui.models.desk import Desk
from app.tui.models.model_access import ModelAccess
from app.tui.models.pulls import Pulls
from app.tui.preferences.own_settings import Choice
from app.tui.preferences.themes import DARK
from app.tui.screens.chat import ChatScreen
from app.tui.serving.orders import SessionSettings

KeepTheme = Callable[[str], str]


@dataclass(slots=True)
class ChatParts:
    """models, history: None where there are no models to choose from and no chats to keep, as in
    pictures of the chat alone. keep_theme: keeps the theme that the person chooses and returns what
    there is to say of it; None: it holds for now. flag_choice: what flags choose for a chat.
    """

    engine: Engine
    settings: SessionSettings
    models: ModelAccess | None = None
    history: History | None = None
    prompts: PromptHistory | None = None
    theme: str = DARK.name
    keep_theme: KeepTheme | None = None
    resuming: Resuming | None = None
    flag_choice: Choice = field(default_factory=dict)
    keys: Keys = DEFAULT
    desk: Desk | None = field(default=None, init=False)
    is_saved: bool = field(default=False, init=False)
    """Whether the chats are on the disk, once all has ended."""

    def screen(self, app: App[Any]) -> ChatScreen:
        """Return the chat."""
        if self.models is not None:
            self.desk = Desk(self.models, Pulls(app, self.models))
        return ChatScreen(
            self.engine,
            self.settings,
            self.desk,
            self.history,
            self.prompts,
            self.resuming,
            self.flag_choice,
        )

    @property
    def is_unsaved(self) -> bool:
        """Whether something of the chats is not on the disk, and should be."""
        return self.history is not None and self.history.is_unsaved

    async def close(self) -> None:
        """End the engine, pause the downloads, and write what is not yet written of the chats."""
        if self.resuming is not None:
            self.resuming.close()
        ends = [self.engine.close()]
        if self.desk is not None:
            ends.append(self.desk.pulls.close())
        try:
            await asyncio.gather(*ends)
        finally:
            await asyncio.to_thread(self._close_history)

    def _close_history(self) -> None:
        """Close it in a thread, which comes to its end also where Ctrl-C ends who waits for it."""
        self.is_saved = self.history is None or self.history.close()
