"""The list of chats beside the chat: shown, gone to, hidden; and a chat opened from it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action
from app.tui.frame import ROOM_FOR_LIST, has_room_for_list
from app.tui.keys.keymap import told

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 6
ON, OFF = "on", "off"
SWITCHED_OFF = "The list of chats is off."


async def step(chat: ChatView, wanted: str) -> None:
    """Show the list, go to it, or hide it again; a word says which of these."""
    is_shown = chat.session.settings.habits.chat_list
    if wanted == OFF or (not wanted and chat.side.has_focus):
        _show(chat, False)
        chat.prompt.focus()
        if not has_room_for_list(chat):
            chat.say(SWITCHED_OFF)
        await _keep(chat, False)
    elif not has_room_for_list(chat):
        chat.say(told(chat, too_narrow(chat)))
    else:
        if not is_shown:
            _show(chat, True)
        chat.side.take_keys()
        if not is_shown:
            await _keep(chat, True)


def _show(chat: ChatView, is_shown: bool) -> None:
    from app.tui.actions.tuning import apply
    from app.tui.text.reading_place import hold_place

    hold_place(chat.talk.transcript)
    apply(chat, "chat_list", is_shown)


async def _keep(chat: ChatView, is_shown: bool) -> None:
    """Have it so at the next start, too; say where a flag or a variable is stronger."""
    from app.tui.background.threads import in_thread
    from app.tui.models.local_models import LocalModels
    from app.tui.preferences.setting_sources import keep_chat_list

    models = chat.desk.models if chat.desk else None
    args = models.args if isinstance(models, LocalModels) else Namespace()
    if told := await in_thread(lambda: keep_chat_list(is_shown, args)):
        chat.say(told)


def on_or_off(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer both."""
    return [(ON, "show it, and go there"), (OFF, "hide it")]


def can_change(chat: ChatView) -> bool:
    """Whether it has room to be shown, or can be switched off until it has."""
    return has_room_for_list(chat) or chat.session.settings.habits.chat_list


def too_narrow(_: ChatView) -> str:
    """Say why it is not shown."""
    return f"The list of chats needs {ROOM_FOR_LIST} columns; {{search}} shows all chats."


ACTIONS = (
    Action(
        "chat-list",
        "List of chats",
        step,
        "show the list of chats beside the chat, go to it, hide it again",
        ("f6",),
        makes_sense=can_change,
        choices=on_or_off,
        also="sidebar side panel history toggle pane",
        why_not=too_narrow,
    ),
)
