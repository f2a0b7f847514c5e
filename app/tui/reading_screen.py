"""What a reader of a chat does with the mouse, and with End: select, copy, scroll, go on following.

A double click takes a word, a third click its line or paragraph; the wheel scrolls the chat from
wherever nothing else is to be scrolled.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.selection import Selection
from textual.widget import Widget
from textual.widgets import Markdown

from app.terminal.sanitise import one_line
from app.tui.background.starting import start
from app.tui.serving.session import Session
from app.tui.terminal.quick_screen import QuickScreen
from app.tui.text.copied import copy_and_tell
from app.tui.text.selected import kept, line_at, text_of, word_at
from app.tui.text.word import LINE_CLICKS, WORD_CLICKS
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.talk import Talk


class ReadingScreen(QuickScreen):
    """The base of the chat's screen."""

    AUTO_FOCUS = "Prompt"
    """Textual scrolls to what it focuses: an offer in an empty chat would end the following."""

    talk: Talk
    session: Session
    _copied: Mapping[Widget, Selection] | None = None

    def validate_selections(self, selections: dict[Widget, Selection]) -> dict[Widget, Selection]:
        """Leave out what nobody said: it is neither shown as selected nor copied."""
        return kept(selections)

    def get_selected_text(self) -> str | None:
        """Return what is selected, None where nothing is."""
        return text_of(self.selections) if self.selections else None

    def _select_all_in_widget(self, widget: Widget) -> None:
        """Select nothing: Textual takes all that is in whatever is clicked twice, seen or not."""

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked twice, or three times."""
        if event.chain not in (WORD_CLICKS, LINE_CLICKS):
            return
        widget, at = self.get_widget_and_offset_at(event.screen_x, event.screen_y)
        is_text = "offset" in self.get_style_at(event.screen_x, event.screen_y).meta
        if widget is None or at is None or not is_text:
            return
        if self.talk.transcript not in widget.ancestors:
            return
        found = word_at(widget, at) if event.chain == WORD_CLICKS else line_at(widget, at)
        self.selections = {} if found is None else {widget: found}
        self.on_text_selected()

    def on_text_selected(self) -> None:
        """Copy what the mouse has selected, if that is wished for, and once."""
        if not self.session.settings.habits.copy_on_select or self.selections is self._copied:
            return
        self._copied = self.selections
        if selected := self.get_selected_text():
            start(self, self.copy, selected)

    def on_prompt_at_end(self, event: Prompt.AtEnd) -> None:
        """Go to the newest text, too, where that moves nothing in the prompt."""
        event.stop()
        if not self.talk.transcript.is_followed:
            self.talk.transcript.follow()

    async def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """Hand the address over: a model's link is not opened unseen, nor from a remote shell."""
        self.notify(one_line(event.href), title="Link", markup=False)
        await self.copy(event.href)

    async def copy(self, text: str, name: str = "") -> None:
        """Copy a text by all ways there are, and say truly how that went."""
        await copy_and_tell(self.app, text, name)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll the chat from beside it."""
        self._wheel(event, -self.app.scroll_sensitivity_y)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll the chat from beside it."""
        self._wheel(event, self.app.scroll_sensitivity_y)

    def _wheel(self, event: events.MouseEvent, by: float) -> None:
        under, _ = self.get_widget_at(event.screen_x, event.screen_y)
        beneath = (each for each in under.ancestors_with_self if isinstance(each, Widget))
        if event.ctrl or event.shift or any(each.allow_vertical_scroll for each in beneath):
            return
        self.talk.transcript.scroll_by(by)
