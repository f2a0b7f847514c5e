"""The list of what can be done or chosen, within the rows that the terminal has."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandInput, CommandList, CommandPalette

from app.tui.screens.left_once import LeftOnce
from app.tui.widgets.line_input import LineInput

ROWS = 24
"""From so many on Textual's own measures leave it on the screen."""


class _Wanted(CommandInput, LineInput):
    """Where it is typed what is looked for."""


class Picker(CommandPalette, LeftOnce[None]):
    """Textual's palette, for low terminals, too, and for those that change their size."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROWS, "-high")]  # noqa: RUF012 (as in the base)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "Back", show=False, priority=True)
    ]
    DEFAULT_CSS = """
    Picker.-low > Vertical { margin-top: 0; }
    Picker.-low CommandList { max-height: 60vh; }
    """

    def compose(self) -> ComposeResult:
        """The palette, with a field of ours."""
        for widget in super().compose():
            if isinstance(widget, CommandInput):
                widget = _Wanted(placeholder=widget.placeholder, select_on_focus=False)
            yield widget

    def _action_command_list(self, action: str) -> None:
        """Do it in the list; before that is laid out, Textual fails to turn a page of it."""
        is_there = bool(self.query_one(CommandList).scrollable_content_region)
        if is_there or not action.startswith("page"):
            super()._action_command_list(action)

    def on_resize(self) -> None:
        """Keep the row that Enter takes in sight."""
        for commands in self.query(CommandList):
            self.call_after_refresh(commands.scroll_to_highlight)


class PickingApp(App[None]):
    """An app with that list for Textual's palette."""

    def action_command_palette(self) -> None:
        """Show what can be done."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Picker(id="--command-palette"))
