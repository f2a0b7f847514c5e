"""Doing an action in a chat: its keys, when it is offered, and a line where it cannot be done."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from textual.binding import Binding

from app.tui.actions import ACTIONS, Action
from app.tui.failures import said

if TYPE_CHECKING:
    from app.tui.app import SlipstreamApp
    from app.tui.screens.chat import ChatScreen


def _plain(action: Action) -> str:
    return f"act('{action.name}')"


KEYS: Sequence[Binding] = [
    Binding(
        key,
        f"act('{action.name}', '{action.given[key]}')" if key in action.given else _plain(action),
        action.title,
        show=action.shown and key == action.keys[0],
        priority=True,
    )
    for action in ACTIONS.values()
    for key in action.keys
]

BY_KEY = {key: action for action in ACTIONS.values() for key in action.keys}


async def act(chat: ChatScreen, name: str, argument: str) -> None:
    """Do it if that makes sense now, by whatever way it was chosen; say why where it does not.

    What told of the former one goes: it may not be true any more.
    """
    action = ACTIONS[name]
    cast("SlipstreamApp", chat.app).forget_told()
    if not action.makes_sense(chat):
        chat.say(action.why_not(chat))
        return
    try:
        done = action.run(chat, argument)
        if inspect.isawaitable(done):
            await done
    except Exception as error:
        chat.notify(said(error), severity="error", markup=False)


def explain(chat: ChatScreen, key: str) -> None:
    """Say why an action's key does nothing now, unless it edits what is typed; Esc may be pressed
    for nothing.
    """
    action = BY_KEY.get(key)
    is_editing = bool(chat.prompt.text) and key in chat.active_bindings
    if action is None or key == "escape" or is_editing or action.makes_sense(chat):
        return
    chat.say(action.why_not(chat))


def is_offered(chat: ChatScreen, name: str) -> bool:
    """Whether the key does it now."""
    if name == "stop" and chat.prompt.is_completing:
        return False  # Esc closes what is offered
    return ACTIONS[name].makes_sense(chat)
