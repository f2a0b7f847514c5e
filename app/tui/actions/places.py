"""Other chats, models, and the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 4


async def new(chat: ChatScreen, _: str) -> None:
    """Begin a new chat; the old one stays in the history."""
    await chat.asking.new_chat()
    chat.show_figures_of(None)


def model(chat: ChatScreen, _: str) -> None:
    """Choose another pair, download or remove one."""
    if chat.choosing is not None:
        chat.choosing.open()


def has_models(chat: ChatScreen) -> bool:
    return chat.choosing is not None


async def leave(chat: ChatScreen, _: str) -> None:
    """Leave."""
    await chat.app.run_action("quit")


ACTIONS = (
    Action("new", "New chat", "begin a new chat", new, ("ctrl+n", "ctrl+l"), True),
    Action(
        "model",
        "Models",
        "choose, download or remove models",
        model,
        ("ctrl+o",),
        True,
        has_models,
    ),
    Action("quit", "Quit", "leave", leave),
)
