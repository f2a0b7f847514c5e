"""A field of one line, whose keys do what they do in the order in which they come (own_keys.py)."""

from __future__ import annotations

from textual import events
from textual.widgets import Input

from app.terminal.sanitise import sanitise
from app.tui.widgets.own_keys import does


class LineInput(Input):
    """One line that is typed or pasted."""

    async def _on_key(self, event: events.Key) -> None:
        """Do at once what a key is bound to here; type nothing for Alt with a letter, which a
        terminal names with it, too.
        """
        if await does(self, event.key):
            event.stop()
        elif event.key.startswith("alt+"):
            event.prevent_default()

    def _on_paste(self, event: events.Paste) -> None:
        """Take in all lines as one harmless one: Textual's field would take the first as it is."""
        if len(event.text.splitlines()) > 1:
            event.text = " ".join(event.text.split())
        event.text = sanitise(event.text)
