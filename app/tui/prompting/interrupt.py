"""Ctrl+C: stops the answer or the reading of files, or copies what is selected, or empties the
prompt; twice, it quits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.timer import Timer

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ARMED_S = 3.0
"""For so long a second press quits."""


class Interrupt:
    """What Ctrl+C does in a chat."""

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._armed: Timer | None = None

    @property
    def is_armed(self) -> bool:
        """Whether the next press quits, if there is nothing else to do."""
        return self._armed is not None

    async def press(self) -> None:
        """Do the first of these that there is something for."""
        chat, prompt = self._chat, self._chat.prompt
        was_armed = self.is_armed
        self.disarm()
        selected = prompt.selected_text or chat.get_selected_text()
        if chat.session.answering or prompt.enclosing.is_reading:
            if chat.state != "stopping":  # to restart the engine is left to Esc
                await chat.action_act("stop")
        elif selected:
            await chat.copy(selected)
            chat.clear_selection()
            prompt.move_cursor(prompt.cursor_location)
        elif (prompt.text or prompt.attachments) and chat.asking.editing is not None:
            chat.asking.leave_editing()
        elif prompt.text or prompt.attachments:
            prompt.discard()
        elif was_armed:
            await chat.app.run_action("quit")
        else:
            self._armed = chat.set_timer(ARMED_S, self.disarm)
        chat.show_state()

    def disarm(self) -> None:
        """Forget the first press: something else was done meanwhile."""
        if self._armed is not None:
            self._armed.stop()
            self._armed = None
            self._chat.show_state()
