"""What stands around the chat, and what the logs say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.settings.values import Frame
    from app.tui.chat_view import ChatView

ORDER = 8
SHOWN: dict[Frame, str] = {
    "full": "The figures and the row of keys are shown.",
    "figures": "The figures are shown, the row of keys is not.",
    "keys": "The row of keys is shown, the figures are not.",
    "none": "Neither the figures nor the row of keys are shown.",
}


def frame(chat: ChatView, wanted: str) -> None:
    """Show or hide the figures and the row of keys; without a word, step to the next choice."""
    from app.tui.actions.tuning import apply
    from app.tui.keys.keymap import way_to

    choices = list(SHOWN)
    at = choices.index(chat.session.settings.habits.frame)
    now = wanted or choices[(at + 1) % len(choices)]
    apply(chat, "frame", now)
    told = next(text for name, text in SHOWN.items() if name == now)
    chat.say(f"{told} {way_to(chat, 'settings')} can keep that.")


def frames(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all choices."""
    return list(SHOWN.items())


async def log(chat: ChatView, _: str) -> None:
    """Show what the engine and the app wrote to their logs last."""
    from app.logs import ends_of
    from app.paths import Paths
    from app.tui.background.threads import in_thread
    from app.tui.screens.log import LogScreen

    text = await in_thread(lambda: ends_of(Paths()))
    chat.app.push_screen(LogScreen(text))


ACTIONS = (
    Action(
        "frame",
        "Around the chat",
        frame,
        "show or hide the figures and the row of keys",
        choices=frames,
        also="hide panel strip bar zen focus compact small screen look frame",
    ),
    Action(
        "log",
        "Logs",
        log,
        also="debug crash error llama problem why file",
    ),
)
