"""The list of themes: the one that is highlighted is seen at once, and kept only when chosen."""

from __future__ import annotations

from typing import cast

from textual import on
from textual.await_complete import AwaitComplete
from textual.command import Command
from textual.theme import ThemeProvider
from textual.widgets import OptionList

from app.tui.palettes.picker import Picker
from app.tui.preferences.themes import Themed


class ThemePalette(Picker):
    """Gives back the theme that was there, whatever it is dismissed for: what is chosen follows."""

    def __init__(self) -> None:
        super().__init__(providers=[ThemeProvider], placeholder="Search for themes…")
        self._before = ""
        self._has_moved = False

    @property
    def _own(self) -> Themed:
        return cast("Themed", self.app)

    def on_mount(self) -> None:
        """Remember what there was."""
        self._before = self.app.theme

    @on(OptionList.OptionHighlighted)
    def _on_moved(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme; the first of the list is highlighted without anybody's doing."""
        self._has_moved = self._has_moved or event.option_index > 0
        name = str(event.option.hit.text) if isinstance(event.option, Command) else ""
        if self._has_moved and name in self.app.available_themes:
            self._own.try_theme(name)

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Give the theme back and go."""
        self._own.try_theme(self._before)
        return super().dismiss(result)
