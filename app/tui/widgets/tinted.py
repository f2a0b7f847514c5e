"""Widgets whose text shows origins: `.origin-…` styles, coloured by the style sheet or not."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.style import Style
from textual.widget import Widget

from app.tui.text.origins import KNOWN, OTHER

ORIGIN_CLASSES = {f"origin-{name}" for name in (*KNOWN, OTHER)}
GUESSES = "-guesses"
"""The class of a screen while its words are coloured by who guessed them."""


class Tinted(Widget):
    """Gives a widget and all within it the origins' styles.

    It comes last among the bases and `COMPONENT_CLASSES = ORIGIN_CLASSES` is said again: for style
    sheets Textual follows the first base alone.
    """

    _tints: dict[str, Style] | None = None

    def tint(self, name: str) -> Style:
        """Return an origin's style by the name of its class."""
        if self._tints is None:
            self._tints = {}
        if name not in self._tints:
            self._tints[name] = self.get_visual_style(name, partial=True)
        return self._tints[name]

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """Return an origin's style as the style sheet has it.

        Textual's own way to a partial style darkens translucent backgrounds.
        """
        if not partial or not component_classes[0].startswith("origin-"):
            return super().get_visual_style(*component_classes, partial=partial)
        styles = self.get_component_styles(*component_classes)
        text_style = styles.text_style
        return Style(
            background=styles.background,
            foreground=styles.color if styles.has_rule("color") else None,
            bold=text_style.bold,
            italic=text_style.italic,
            underline=text_style.underline,
            reverse=text_style.reverse,
        )

    def notify_style_update(self) -> None:
        """Repaint what lies within: its styles may be this widget's."""
        super().notify_style_update()
        self._tints = None
        for inner in self.query("*"):
            inner.refresh()


def show_guesses(screen: Screen[Any], are_shown: bool) -> None:
    """Colour the words by who guessed them, or not. Nothing else is styled: all that is in a long
    chat takes a second and more.
    """
    if screen.has_class(GUESSES) != are_shown:
        screen.set_class(are_shown, GUESSES, update=False)
        tinted = [node for node in screen.walk_children() if isinstance(node, Tinted)]
        screen.app.stylesheet.update_nodes(tinted)


class Tintable(Widget):
    """Gives what is within a `Tinted` the origins' styles at once.

    Textual asks every ancestor in turn, for every line. It too comes last among the bases.
    """

    def _get_style(self, style: Style | str) -> Style:
        if isinstance(style, str) and style.startswith(".origin-"):
            owner = next((node for node in self.ancestors if isinstance(node, Tinted)), None)
            if owner is not None:
                return owner.tint(style[1:])
        return super()._get_style(style)
