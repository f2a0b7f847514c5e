"""A footer that shows what there is room for, and is built anew only when that changes.

Textual's own is built anew with every change of state, which costs more than all else of it.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual import events
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from app.tui.keys.keymap import keys_of

Part = TypeVar("Part")
"""What goes or stays as a whole; it is compared with what is shown."""


class FittedFooter(Footer, Generic[Part]):
    """What such footers share: `wanted` says what is to be seen, `compose` shows `parts`."""

    parts: tuple[Part, ...] = ()

    def wanted(self) -> tuple[Part, ...]:
        """Return the parts that have room now."""
        raise NotImplementedError

    def active(self) -> list[ActiveBinding]:
        """Return what holds now; of what was given keys, the first one alone."""
        own = keys_of(self).own
        return [
            each
            for each in self.screen.active_bindings.values()
            if each.binding.key in own.get(each.binding.id or "", (each.binding.key,))[:1]
        ]

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Show other keys, also to who looks at a terminal that has not the focus."""
        if self.is_attached and screen is self.screen:
            self.call_after_refresh(self._show)

    def on_resize(self, event: events.Resize) -> None:
        """Show more or fewer."""
        self.call_after_refresh(self._show)

    async def _show(self) -> None:
        if not self.is_attached:  # the screen was left meanwhile
            return
        parts = self.wanted()
        if parts != self.parts:
            self.parts = parts
            await self.recompose()


def set_apart(key: FooterKey, compact: bool) -> FooterKey:
    """Say how much room a key has around it, before it is mounted: later it would be styled anew,
    and once more where the footer's own choice is handed down to it.
    """
    key.set_reactive(FooterKey.compact, compact)
    return key.set_class(compact, "-compact", update=False)
