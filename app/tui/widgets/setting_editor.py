"""Changes one setting: a line for numbers, a list for choices, a text for the system prompt.

It knows what a value looks like, and asks `check` whether it is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static, TextArea

from app.errors import AppError
from app.settings.rows import Now, Row, Value, parsed, typed
from app.terminal.sanitise import one_line
from app.tui.keys.screen_keys import bound
from app.tui.widgets.line_input import LineInput
from app.tui.widgets.quick_text_area import QuickTextArea

Check = Callable[[Row, Value | None], None]
"""Raises AppError for a value that cannot be."""


class SettingEditor(Vertical):
    """Hidden until a setting is opened."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave it", priority=True),
        Binding("enter", "take", "Set", priority=True),
        bound("settings-set", "take_text", priority=True),
    ]
    DEFAULT_CSS = """
    SettingEditor {
        height: auto;
        display: none;
        &.-open { display: block; }
        Input, OptionList, TextArea { display: none; border: none; background: $surface; }
        Input { height: 1; }
        OptionList {
            height: auto;
            max-height: 5;
            padding: 0;
            scrollbar-size-vertical: 1;
            scrollbar-color: $panel-lighten-2;
            scrollbar-background: $surface;
            &:focus { border: none; background-tint: transparent; }
        }
        TextArea { height: 4; padding: 0; &:focus { border: none; } }
        &.-line Input, &.-list OptionList, &.-text TextArea { display: block; }
        .editor--error { height: auto; color: $error; }
    }
    """

    @dataclass
    class Taken(Message):
        """A setting gets another value."""

        row: Row
        value: Value | None

    @dataclass
    class Left(Message):
        """Nothing is changed."""

    def __init__(self, check: Check) -> None:
        super().__init__()
        self._check = check
        self._row: Row | None = None
        self._choices: tuple[str, ...] = ()
        self._line = LineInput(compact=True)
        self._list = OptionList(markup=False)
        self._was, self._left = "", ""
        self._text = QuickTextArea(compact=True, show_line_numbers=False)
        self._error = Static(classes="editor--error", markup=False)

    def compose(self) -> ComposeResult:
        """The three, of which one is seen, and what is wrong."""
        yield self._line
        yield self._list
        yield self._text
        yield self._error

    @property
    def is_open(self) -> bool:
        """Whether a setting is being changed."""
        return self._row is not None

    def open(self, row: Row, now: Now) -> None:
        """Begin with the value that is."""
        self._row, self._choices = row, now.choices
        text = typed(row, now.value)
        kind = {"choice": "list", "text": "text"}.get(row.kind, "line")
        for name in ("line", "list", "text"):
            self.set_class(name == kind, f"-{name}")
        self.add_class("-open")
        self._error.update("")
        if kind == "list":
            words = [*([row.nothing] if row.nothing else []), *now.choices]
            self._choices = tuple(words)
            self._list.clear_options()
            self._list.add_options([Content(one_line(word)) for word in words])
            self._list.highlighted = words.index(text) if text in words else 0
            self._list.focus()
        elif kind == "text":
            self._text.text = self._was = text
            if self._left:  # undoing brings what holds
                self._text.replace(self._left, (0, 0), self._text.document.end)
                self._text.move_cursor(self._text.document.end)
            self._text.focus()
        else:
            self._line.value = text
            self._line.placeholder = row.nothing
            self._line.select_all()
            self._line.focus()
        self.call_after_refresh(self.scroll_visible, animate=False)

    def close(self) -> None:
        """Hide again; a text that was changed and not set is there when it is opened next."""
        if self._row is not None and self._row.kind == "text":
            self._left = self._text.text if self._text.text != self._was else ""
        self._row = None
        self.remove_class("-open")

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _on_typed(self, event: Input.Changed | TextArea.Changed) -> None:
        """Say at once what is wrong."""
        event.stop()
        if self._row is not None:
            self._valid(self._row)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_take()

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()

    def action_take(self) -> None:
        """Set the value, if it is one."""
        row = self._row
        if row is None:
            return
        found = self._valid(row)
        if found is not None:
            self._was = self._text.text
            self.close()
            self.post_message(self.Taken(row, found[0]))

    def action_take_text(self) -> None:
        """Set the text, in which Enter is a new line."""
        self.action_take()

    def action_leave(self) -> None:
        """Change nothing."""
        self.close()
        self.post_message(self.Left())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter is a new line in a text."""
        is_text = self._row is not None and self._row.kind == "text"
        if action in ("take", "take_text"):
            return is_text == (action == "take_text")
        return True

    def _entered(self, row: Row) -> str:
        if row.kind == "choice":
            return self._choices[self._list.highlighted or 0]
        return self._text.text if row.kind == "text" else self._line.value

    def _valid(self, row: Row) -> tuple[Value | None] | None:
        """Return the value in a tuple of its own, or say why there is none."""
        try:
            value = parsed(row, self._entered(row), self._choices)
            self._check(row, value)
        except AppError as error:
            said = str(error)
            if said.startswith(f"{row.name}:"):
                said = row.label + said.removeprefix(row.name)
            self._error.update(Content(one_line(said)))
            return None
        self._error.update("")
        return (value,)
