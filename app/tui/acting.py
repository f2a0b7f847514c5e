"""Doing an action in a chat: its keys, when it is offered, and a line where it cannot be done."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.binding import Binding

from app.tui.actions import ACTIONS
from app.tui.failures import said

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

KEYS: Sequence[Binding] = [
    Binding(
        key,
        f"act('{action.name}')",
        action.title,
        show=action.shown and key == action.keys[0],
        priority=True,
    )
    for action in ACTIONS.values()
    for key in action.keys
]


async def act(chat: ChatScreen, name: str, argument: str) -> None:
    """Do it if that makes sense now, by whatever way it was chosen; say why where it does not."""
    action = ACTIONS[name]
    if not action.makes_sense(chat):
        chat.notify(action.why_not(chat), severity="warning", markup=False)
        return
    try:
        done = action.run(chat, argument)
        if inspect.isawaitable(done):
            await done
    except Exception as error:
        chat.notify(said(error), severity="error", markup=False)


def is_offered(chat: ChatScreen, name: str) -> bool:
    """Whether the key does it now."""
    if name == "stop" and chat.prompt.is_completing:
        return False  # Esc closes what is offered
    return ACTIONS[name].makes_sense(chat)
