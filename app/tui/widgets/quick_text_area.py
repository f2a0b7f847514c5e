"""A text field whose edits are on the screen before anything else that waits to be painted, and
whose keys do what they do in the order in which they come (own_keys.py).

Textual paints in turns: a letter typed while an answer streams would wait for the mounting, the
layout and the painting of what came of the answer meanwhile. Here it does not. The picture is that
of the last layout, in which only the field is painted anew; its own growth comes with the next one.
"""

from __future__ import annotations

from time import perf_counter

from textual import events
from textual.geometry import Offset
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Selection

from app.terminal.sanitise import sanitise
from app.tui.text.word import LINE_CLICKS, WORD_CLICKS, word_in
from app.tui.widgets.own_keys import does

ERASING = ("backspace", "ctrl+u", "ctrl+w")
"""Keys that are the field's own where nothing is typed, too: what is typed behind them stays."""
SELECTING = ("select_line", "select_all")


class QuickTextArea(TextArea):
    """A text field that paints itself as soon as it is edited, and takes in harmless text alone."""

    typed_at = float("-inf")
    """When it was edited or had a key last, by `perf_counter`."""
    last_key_at = float("-inf")
    """When a key got here last, whatever it does."""

    async def on_event(self, event: events.Event) -> None:
        """Take in an event."""
        if isinstance(event, events.Key):
            self.last_key_at = perf_counter()
        await super().on_event(event)

    async def _on_key(self, event: events.Key) -> None:
        """Type nothing for Alt with a letter, which a terminal names with it, too; do at once what
        a key is bound to here.
        """
        self.typed_at = perf_counter()
        if event.key.startswith("alt+"):
            event.prevent_default()
        elif (self.text or event.key in ERASING) and await does(self, event.key):
            event.stop()

    def load_text(self, text: str) -> None:
        """Put in another text."""
        super().load_text(sanitise(text))

    async def _on_paste(self, event: events.Paste) -> None:
        """Have the text field take in what is harmless; some terminals end lines as Enter does."""
        event.text = sanitise(event.text.replace("\r\n", "\n").replace("\r", "\n"))

    def on_click(self, event: events.Click) -> None:
        """Select the word that is clicked twice, or the line that is clicked three times."""
        if event.chain not in (WORD_CLICKS, LINE_CLICKS) or event.get_content_offset(self) is None:
            return
        row, column = self.get_target_document_location(event)
        line = self.document[row]
        whole = (0, len(line)) if column < len(line) else None
        found = word_in(line, column) if event.chain == WORD_CLICKS else whole
        if found is not None:
            self.selection = Selection((row, found[0]), (row, found[1]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Cut what is selected alone, and select nothing by F6 and F7: who presses such a key for
        something else would lose what is typed.
        """
        return action not in SELECTING and (action != "cut" or not self.selection.is_empty)

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor. An edit that is undone, or done again, may take the scrollbar away
        before it moves the cursor: where that stands behind the text, it is scrolled to then.
        """
        is_in_text = self.cursor_location[0] < self.document.line_count
        return super().scroll_cursor_visible(center, animate) if is_in_text else Offset()

    def edit(self, edit: Edit) -> EditResult:
        """Change the text, and paint."""
        result = super().edit(edit)
        self._paint()
        self.typed_at = perf_counter()
        return result

    def _paint(self) -> None:
        """Paint the field alone, even where the rest is held back until all of it is ready."""
        if not self.is_attached or self.screen is not self.app.screen:
            return
        app, screen = self.app, self.screen
        compositor = screen._compositor
        held, app._batch_count = app._batch_count, 0
        waiting, compositor._dirty_regions = compositor._dirty_regions, set()
        others, screen._dirty_widgets = screen._dirty_widgets - {self}, set()
        try:
            compositor.update_widgets({self})
            screen._compositor_refresh()
        finally:
            app._batch_count = held
            compositor._dirty_regions |= waiting
            screen._dirty_widgets |= others
