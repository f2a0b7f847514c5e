"""A screen that is left once, however many keys come at a time that leave it."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.events import Event
from textual.message import Message
from textual.messages import CloseMessages, Prune

from app.tui.terminal.styled_once import StyledOnce

R = TypeVar("R")
ITS_END = (Event, CloseMessages, Prune)
"""What takes a screen down."""


class LeftOnce(StyledOnce[R]):
    """The base of the screens that lie over the chat. Textual's own would take the chat away, too,
    where it is dismissed twice.
    """

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Leave, unless that has happened, or another screen lies over this one."""
        return super().dismiss(result) if self.is_active else AwaitComplete()

    async def _on_message(self, message: Message) -> None:
        """Do nothing more for its widgets once it is left: keys were on their way to them."""
        if isinstance(message, ITS_END) or self in self.app.screen_stack:
            await super()._on_message(message)
