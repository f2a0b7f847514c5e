"""Ctrl+C: stops the answer or the reading of files, or copies what is selected, or empties the
prompt; twice, it quits. So does Ctrl+D in the empty prompt, as in a shell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.timer import Timer

from app.tui.keys.key_name import pretty
from app.tui.keys.keymap import keys_of

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ARMED_S = 3.0
"""For so long a second press quits."""
STOPPING, LEAVING = "ctrl+c", "ctrl+d"


class Interrupt:
    """What Ctrl+C does in a chat. armed_by: the key whose next press quits, as it stands on a
    keyboard, if there is nothing else to do; "" for none.
    """

    def __init__(self, chat: ChatView) -> None:
        self._chat = chat
        self._armed: Timer | None = None
        self.armed_by = ""

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
        else:
            await self._leave(STOPPING, was_armed)
        chat.show_state()

    async def leaves(self, key: str) -> bool:
        """Whether a key was Ctrl+D in the empty prompt, where it has nothing to delete; leave then
        as Ctrl+C does.
        """
        chat, prompt = self._chat, self._chat.prompt
        is_empty = prompt.has_focus and not (prompt.text or prompt.attachments)
        if key != LEAVING or not is_empty or keys_of(chat).action(key) is not None:
            return False
        was_armed = self.is_armed
        self.disarm()
        await self._leave(key, was_armed)
        chat.show_state()
        return True

    async def _leave(self, key: str, was_armed: bool) -> None:
        """Quit, or have the next press do so."""
        if was_armed:
            await self._chat.app.run_action("quit")
            return
        self.armed_by = pretty(key)
        self._armed = self._chat.set_timer(ARMED_S, self.disarm)

    def disarm(self) -> None:
        """Forget the first press: something else was done meanwhile."""
        if self._armed is not None:
            self._armed.stop()
            self._armed, self.armed_by = None, ""
            self._chat.show_state()
