"""Says once what coloured words are, where no panel beside them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.conversation import Turn
from app.tui.frame import has_panel
from app.tui.keys.keymap import told
from engine import PLAIN

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView
    from app.tui.widgets.turn_view import TurnView

LEGEND = "Colours: who guessed each word ahead. {help} explains, {xray} hides them."
SHOWN = "Colours of guesses: on. {help} says what each of them means."
HIDDEN = "Colours of guesses: off."


class Legend:
    """What is said of colours in a chat."""

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._is_told = False

    async def tell(self, turn: Turn, view: TurnView) -> None:
        """Say it below the first answer that has colours."""
        chat = self._chat
        is_seen = chat.guesses and any(span.origin != PLAIN for span in turn.spans)
        if is_seen and not self._is_told and not has_panel(chat):
            self._is_told = True
            await chat.talk.transcript.note(told(chat, LEGEND), below=view)
