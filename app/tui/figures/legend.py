"""Says once what coloured words are, where no panel beside them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.conversation import Turn
from app.tui.frame import has_panel
from app.tui.keys.keymap import told
from app.tui.widgets.legend_line import LegendLine
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
        self._line: LegendLine | None = None

    async def tell(self, turn: Turn, view: TurnView) -> None:
        """Say it below the first answer that has colours, of those that are there."""
        chat = self._chat
        is_seen = chat.guesses and any(span.origin != PLAIN for span in turn.spans)
        is_told = self._line is not None and self._line.is_attached
        if is_seen and not is_told and not has_panel(chat):
            self._line = LegendLine(told(chat, LEGEND), view)
            await chat.talk.transcript.put_below(view, self._line)
