"""A footer that shows what there is room for, and changes only when that does.

Textual's own is built anew with every change of state, which costs more than all else of it: a key
that is mounted anew costs many times as much as one that now says something else.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from textual import events
from textual.binding import ActiveBinding
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Label
from textual.widgets._footer import FooterKey

from app.tui.keys.keymap import keys_of

Part = TypeVar("Part")
"""What goes or stays as a whole; it is compared with what is shown."""
SAID = ("key", "key_display", "description", "action", "tooltip")
"""What a key of the footer is to whoever sees it or clicks on it."""


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
            await self._become()

    async def _become(self) -> None:
        """Show the parts: by what is mounted, as far as it can show them, then by new keys."""
        wanted = list(self.compose())
        n = 0
        for shown, other in zip(self.children, wanted, strict=False):
            if not became(shown, other):
                break
            n += 1
        with self.app.batch_update():
            await self.remove_children(self.children[n:])
            if self.is_attached:  # the screen may be left meanwhile
                await self.mount_all(wanted[n:])


def became(shown: Widget, other: Widget) -> bool:
    """Have what is mounted show what the other one would; tell whether it can."""
    if type(shown) is not type(other) or shown.classes != other.classes:
        return False
    if isinstance(shown, FooterKey) and isinstance(other, FooterKey):
        if any(getattr(shown, name) != getattr(other, name) for name in SAID):
            for name in SAID:
                setattr(shown, name, getattr(other, name))
            shown.refresh(layout=True)
    elif isinstance(shown, Label) and isinstance(other, Label):
        shown.update(other.content)
    return True


def set_apart(key: FooterKey, compact: bool) -> FooterKey:
    """Say how much room a key has around it, before it is mounted: later it would be styled anew,
    and once more where the footer's own choice is handed down to it.
    """
    key.set_reactive(FooterKey.compact, compact)
    return key.set_class(compact, "-compact", update=False)
