"""Doing an action in a chat: its keys, when it is offered, and a line where it cannot be done."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from textual.binding import Binding

from app.errors import CatalogError, HistoryError, SettingsError
from app.prompts.slash import SlashError
from app.tui.actions import ACTIONS, Action
from app.tui.failures import error_line
from app.tui.keys.keymap import NO_KEY, keys_of, names_of, told
from engine import SettingError

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.toasts import ToastingApp
    from app.tui.widgets.prompt import Prompt


def _binding(action: Action[Any], name: str, key: str) -> Binding:
    does = f"act('{action.name}', '{action.given[key]}')" if key in action.given else ""
    is_shown = action.shown and key in action.keys[:1]
    return Binding(
        key,
        does or f"act('{action.name}')",
        action.title,
        show=is_shown,
        priority=True,
        id=name,
    )


KEYS: Sequence[Binding] = [
    _binding(action, name, key)
    for action in ACTIONS.values()
    for name, keys in names_of(action).items()
    for key in keys or (NO_KEY,)
]
"""What has no key is here, too: it may get one."""

OF_THE_LIST = ("stop", "page-up", "page-down", "first", "newest")
"""Actions whose keys leave the list of chats and move in it while it has the focus."""

OF_THE_LINE = {"edit": "ctrl+e", "copy": "ctrl+k", "continue": "ctrl+y"}
"""Actions whose key is that of the line which is typed, as in a shell, unless a turn is chosen; the
last is that of what was undone there.
"""


MENDABLE = (SlashError, SettingError, SettingsError, CatalogError, HistoryError)
"""What is raised where the argument of a command is at fault."""


async def act(chat: ChatView, name: str, argument: str) -> bool:
    """Do it if that makes sense now, by whatever way it was chosen; say why where it does not.
    Return False where what was given with it was refused.

    What told of the former one goes: it may not be true any more.
    """
    action = ACTIONS[name]
    cast("ToastingApp", chat.app).forget_told()
    if not action.makes_sense(chat):
        chat.say(told(chat, action.why_not(chat)))
        return True
    try:
        done = action.run(chat, argument)
        if inspect.isawaitable(done):
            await done
    except Exception as error:
        if chat.app.return_code is None:  # while the app is taken down much is gone already
            chat.notify(error_line(error), severity="error", markup=False)
        return not (argument and isinstance(error, MENDABLE))
    return True


async def carry_out(chat: ChatView, sent: Prompt.Commanded) -> None:
    """Do what was typed; where what was given with it is refused, have it in the box again, to be
    mended, unless something is written there by now.
    """
    asking, box = chat.asking, chat.prompt
    is_taken = await act(chat, sent.name, sent.argument)
    if not (is_taken or box.text or box.verbatim) and chat.asking is asking:
        box.take(f"/{sent.name} {sent.argument}")


def explain(chat: ChatView, key: str) -> None:
    """Say why an action's key does nothing now, unless it edits what is typed; Esc may be pressed
    for nothing.
    """
    action = keys_of(chat).action(key)
    if action is None or key == "escape" or action.makes_sense(chat):
        return
    if key in chat.active_bindings and (chat.prompt.text or _is_of_the_line(chat, action.name)):
        return
    chat.say(told(chat, action.why_not(chat)))


def is_offered(chat: ChatView, name: str) -> bool:
    """Whether the key does it now."""
    if name == "stop" and chat.prompt.is_completing:
        return False  # Esc closes what is offered
    if name in OF_THE_LIST and chat.side.has_focus:
        return False
    return not _is_of_the_line(chat, name) and ACTIONS[name].makes_sense(chat)


def _is_of_the_line(chat: ChatView, name: str) -> bool:
    """Whether an action's key does something to the line that is typed."""
    line, is_chosen = chat.prompt, chat.talk.transcript.selected is not None
    has_its_key = OF_THE_LINE.get(name) in keys_of(chat).of_action(ACTIONS[name])
    does = line.history.redo_stack if name == "continue" else line.text
    return has_its_key and line.has_focus and not is_chosen and bool(does)
