"""The keys of vi, in the screens of lists and of texts: they do what the arrows do there.

A key that the screen, or the `[keys]` table, has for something else keeps that, and where letters
are typed these are letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.dom import DOMNode
from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea

LETTERS: Mapping[str, str] = {"j": "down", "k": "up", "g": "home", "G": "end"}
HALF_A_PAGE: Mapping[str, str] = {"ctrl+d": "down", "ctrl+u": "up"}
ENDS = ("home", "end")

if TYPE_CHECKING:
    _Node = DOMNode
else:  # Textual takes style sheets and bindings from the first base that is a node, and no other
    _Node = object


class ViKeys(_Node):
    """A screen with them; this stands before Textual's own class."""

    VI_KEYS: ClassVar[Mapping[str, str]] = {**LETTERS, **HALF_A_PAGE}
    """The keys, and what they do as."""

    async def on_key(self, event: events.Key) -> None:
        """Do what the other key is bound to; half a page is as many lines."""
        screen, field, same = self.screen, self.screen.focused, self.VI_KEYS.get(event.key)
        bound = screen.active_bindings
        own = bound.get(event.key)
        is_taken = own is not None and own.node is not field
        if same is None or is_taken or _is_typed_in(field):
            return
        if isinstance(field, TextArea) and same in ENDS:  # there, of the line
            event.stop()
            field.move_cursor(field.document.start if same == "home" else field.document.end)
        elif same in bound:
            event.stop()
            does = bound[same]
            times = _half(field or screen, same) if event.key in HALF_A_PAGE else 1
            for _ in range(times):
                await self.app.run_action(does.binding.action, does.node)


def _is_typed_in(field: Widget | None) -> bool:
    return isinstance(field, Input) or (isinstance(field, TextArea) and not field.read_only)


def _half(field: Widget, same: str) -> int:
    """Return how many lines half a page is; of a list no more than are left, for it is round."""
    lines = max(1, field.size.height // 2)
    if not isinstance(field, OptionList):
        return lines
    at = field.highlighted or 0
    left = field.options[at + 1 :] if same == "down" else field.options[:at]
    return min(lines, sum(not option.disabled for option in left))
