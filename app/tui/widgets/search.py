"""The field in which words to find are typed. It leaves the keys of the list to the list."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from app.tui.widgets.line_input import LineInput

TAKEN = {"ctrl+d", "ctrl+e"}
"""Keys of a text field that mean something else beside a list."""


def _left_of(bindings: list[BindingType]) -> list[BindingType]:
    """Return bindings without the keys that are taken, in the order that the footer keeps."""
    left: list[BindingType] = []
    for binding in bindings:
        assert isinstance(binding, Binding)
        keys = [key for key in binding.key.split(",") if key not in TAKEN]
        left.append(replace(binding, key=",".join(keys)))
    return left


class Search(LineInput, inherit_bindings=False):
    """One line of words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_left_of(Input.BINDINGS),
        Binding(
            "ctrl+h", "delete_left", "Delete character left", show=False
        ),  # many a terminal's ⌫
    ]

    def __init__(self) -> None:
        super().__init__(placeholder="Search the chats", select_on_focus=False, id="search")

    @property
    def has_more_to_delete(self) -> bool:
        """Whether Delete would delete something here."""
        return bool(self.selected_text) or not self.cursor_at_end
