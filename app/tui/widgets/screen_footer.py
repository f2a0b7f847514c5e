"""The footer of the screens beside the chat: as many keys as there is room for, each whole.

The last ones go first; the way back stays. The chat has its own (key_footer.py).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.widgets import Label
from textual.widgets._footer import FooterKey

from app.tui.keys.keymap import keys_of
from app.tui.widgets.fitted_footer import FittedFooter, set_apart

BACK = "escape"
GAP = 1


@dataclass(frozen=True, slots=True)
class Part:
    """What goes or stays as a whole: keys with what they do, or a group's keys with one word."""

    keys: tuple[tuple[Binding, str], ...]
    word: str

    @property
    def columns(self) -> int:
        """How wide it is."""
        return sum(len(shown) for _, shown in self.keys) + len(self.keys) + len(self.word) + GAP

    @property
    def is_back(self) -> bool:
        """Whether it leads back."""
        return any(binding.key == BACK for binding, _ in self.keys)


class ScreenFooter(FittedFooter[Part]):
    """The keys of a screen."""

    DEFAULT_CSS = """
    ScreenFooter Label { margin-right: 1; color: $footer-description-foreground; }
    """

    def __init__(self, word: Callable[[Binding], str] = operator.attrgetter("description")) -> None:
        """word: says what a key does just now."""
        super().__init__(compact=True, show_command_palette=False)
        self._word = word

    def compose(self) -> ComposeResult:
        """Yield the keys that have room."""
        for part in self.parts:
            if len(part.keys) == 1:
                [(binding, shown)] = part.keys
                tip = binding.tooltip
                key = FooterKey(binding.key, shown, part.word, binding.action, tooltip=tip)
                yield set_apart(key, compact=True)
                continue
            for binding, shown in part.keys:
                tip = binding.description
                key = FooterKey(binding.key, shown, "", binding.action, tooltip=tip)
                yield set_apart(key, compact=True)
            yield Label(part.word)

    def wanted(self) -> tuple[Part, ...]:
        """Return the parts that have room now."""
        return tuple(fitted(self._all(), self.size.width))

    def _all(self) -> list[Part]:
        """Return what there is to show: of each action the first key."""
        bound = self.active()
        if keys_of(self).own:  # Textual has those last that were given other keys
            bound.sort(key=self._place)
        active = [each.binding for each in bound]
        shown = {binding.action: binding for binding in reversed(active) if binding.show}
        ordered = sorted(shown.values(), key=active.index)
        parts: list[Part] = []
        for group, members in groupby(ordered, key=lambda binding: binding.group):
            keys = [(binding, self.app.get_key_display(binding)) for binding in members]
            if group is not None:
                parts.append(Part(tuple(keys), group.description))
            else:
                parts += [Part((key,), self._word(key[0])) for key in keys]
        return parts

    def _place(self, bound: ActiveBinding) -> int:
        """Return where its action stands: those of a widget are first, those of the app last."""
        declared = [each.action for each in self.screen.BINDINGS if isinstance(each, Binding)]
        if bound.node is self.app:
            return len(declared)
        return declared.index(bound.binding.action) if bound.binding.action in declared else -1


def fitted(parts: Sequence[Part], width: int) -> list[Part]:
    """Return the parts that have room, in their order."""
    shown = list(parts)
    for part in reversed(parts):
        if sum(one.columns for one in shown) - GAP > width and not part.is_back:
            shown.remove(part)
    return shown
