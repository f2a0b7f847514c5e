"""What Enter does in the prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.settings.values import Enter
    from app.tui.chat_view import ChatView

ORDER = 8
DOES: dict[Enter, str] = {
    "send": "Enter sends, Ctrl+J makes a new line.",
    "newline": "Enter makes a new line, Ctrl+J sends; Alt+Enter does, where the terminal tells it.",
}


def enter(chat: ChatView, wanted: str) -> None:
    """Have Enter send or make a new line; without a word, the other one."""
    from app.tui.actions.tuning import apply
    from app.tui.keys.keymap import way_to

    now = wanted or ("newline" if chat.session.settings.habits.enter == "send" else "send")
    apply(chat, "enter", now)
    does = next(text for name, text in DOES.items() if name == now)
    chat.say(f"{does} {way_to(chat, 'settings')} can keep that.")


def choices(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer both."""
    return list(DOES.items())


ACTIONS = (
    Action(
        "enter",
        "What Enter does",
        enter,
        "have Enter send, or make a new line while another key sends",
        choices=choices,
        also="multiline several lines newline return compose editor send submit",
    ),
)
