"""The footer of the chat: the keys of the actions, as many as the width has room for.

Of those that have no room the last go first: such that are not `kept`, then all but the ways out
of what is going on. An action may be called otherwise for the time being.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.widgets._footer import FooterKey

from app.tui.actions import ACTIONS, Action
from app.tui.widgets.fitted_footer import FittedFooter, set_apart

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ACT = re.compile(r"act\('([a-z-]+)'\)")
ORDER = list(ACTIONS)
WAYS_OUT = ("stop", "help", "quit")
NEEDED = 2
PALETTE = "-command-palette"
PADDING = 3
PALETTE_PADDING = 5


@dataclass(frozen=True)
class Key:
    """A key of the footer: its name, what is shown of it, what it does, and whether it may."""

    name: str
    display: str
    description: str
    act: str
    is_enabled: bool
    is_palette: bool
    tooltip: str

    @property
    def columns(self) -> int:
        """How wide it is."""
        padding = PALETTE_PADDING if self.is_palette else PADDING
        return len(self.display) + len(self.description) + padding

    @property
    def action(self) -> Action[ChatView] | None:
        """What it does, None if that is not one of a chat's actions."""
        found = ACT.fullmatch(self.act)
        return ACTIONS[found[1]] if found else None

    @property
    def weight(self) -> int:
        """How much it is needed; the palette's as much as those that are kept."""
        action = self.action
        if action is None or action.name not in WAYS_OUT:
            return 1 if action is None or action.kept else 0
        return NEEDED

    @property
    def rank(self) -> int:
        """Where it stands: Textual has those first that mean something in a text field."""
        action = self.action
        return ORDER.index(action.name) if action is not None else len(ORDER)

    def widget(self) -> FooterKey:
        """Return what shows it."""
        key = FooterKey(
            self.name,
            self.display,
            self.description,
            self.act,
            disabled=not self.is_enabled,
            tooltip=self.tooltip,
            classes=PALETTE if self.is_palette else "",
        )
        return set_apart(key, compact=self.is_palette)


class KeyFooter(FittedFooter[Key]):
    """The footer of the chat."""

    def compose(self) -> ComposeResult:
        """Yield the keys that have room."""
        yield from (key.widget() for key in self.parts)

    def wanted(self) -> tuple[Key, ...]:
        """Return the keys that have room now."""
        return tuple(fitted(sorted(self._active(), key=lambda key: key.rank), self.size.width))

    def _active(self) -> Iterator[Key]:
        """Yield what may be shown: of each action the first key."""
        chat = cast("ChatView", self.screen)
        acts: set[str] = set()
        for _, binding, is_enabled, tooltip in self.active():
            is_palette = binding.action == "command_palette"
            if binding.action in acts or not (binding.show or is_palette):
                continue
            acts.add(binding.action)
            key = Key(
                binding.key,
                self.app.get_key_display(binding),
                binding.description,
                binding.action,
                is_enabled,
                is_palette,
                tooltip or binding.description,
            )
            action = key.action
            if action is not None:
                key = replace(key, tooltip=f"{action.about[:1].upper()}{action.about[1:]}.")
            if action is not None and action.now is not None:
                key = replace(key, description=action.now(chat))
            yield key


def fitted(keys: list[Key], width: int) -> list[Key]:
    """Return the keys that have room, in their order."""
    shown = list(keys)
    for key in sorted(reversed(keys), key=lambda key: key.weight):
        if sum(one.columns for one in shown) > width and key.weight < NEEDED:
            shown.remove(key)
    return shown
