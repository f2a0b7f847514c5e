"""A text field whose edits are on the screen before anything else that waits to be painted.

Textual paints in turns: a letter typed while an answer streams would wait for the mounting, the
layout and the painting of what came of the answer meanwhile. Here it does not. The picture is that
of the last layout, in which only the field is painted anew; its own growth comes with the next one.
"""

from __future__ import annotations

from time import perf_counter

from textual import events
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult


class QuickTextArea(TextArea):
    """A text field that paints itself as soon as it is edited."""

    edited_at = float("-inf")
    """When it was edited last, by `perf_counter`."""

    async def _on_key(self, event: events.Key) -> None:
        """Type nothing for Alt with a letter: a terminal names the letter with it, too."""
        if event.key.startswith("alt+"):
            event.prevent_default()

    def edit(self, edit: Edit) -> EditResult:
        """Change the text, and paint."""
        result = super().edit(edit)
        self._paint()
        self.edited_at = perf_counter()
        return result

    def _paint(self) -> None:
        """Paint the field alone, even where the rest is held back until all of it is ready."""
        if not self.is_attached or self.screen is not self.app.screen:
            return
        app, screen = self.app, self.screen
        held, app._batch_count = app._batch_count, 0
        try:
            screen._compositor.update_widgets({self})
            screen._compositor_refresh()
        finally:
            app._batch_count = held
