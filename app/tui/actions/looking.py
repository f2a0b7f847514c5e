"""What is seen: colours of guessed words, the inspector, scrolling, light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.tui.actions import Action, Run

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 3


def xray(chat: ChatScreen, _: str) -> None:
    """Colour the words by who proposed them, or stop colouring."""
    chat.guesses = not chat.guesses


def paging(direction: int) -> Run:
    """Scroll the transcript by a page."""

    def run(chat: ChatScreen, _: str) -> None:
        transcript = chat.talk.transcript
        move = transcript.scroll_page_up if direction < 0 else transcript.scroll_page_down
        move(animate=False)

    return run


ACTIONS = (
    Action("xray", "X-ray", "colour each word by who guessed it", xray, ("ctrl+g",), True),
    Action("page-up", "Page up", "scroll up", paging(-1), ("pageup",)),
    Action("page-down", "Page down", "scroll down", paging(1), ("pagedown",)),
)
