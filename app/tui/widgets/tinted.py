"""Widgets whose text shows origins: `.origin-…` styles, coloured by the style sheet or not."""

from __future__ import annotations

from textual.style import Style
from textual.widget import Widget

from app.tui.origins import KNOWN, OTHER

ORIGIN_CLASSES = {f"origin-{name}" for name in (*KNOWN, OTHER)}


class Tinted(Widget):
    """Gives a widget and all within it the origins' styles.

    It comes last among the bases and `COMPONENT_CLASSES = ORIGIN_CLASSES` is said again: for style
    sheets Textual follows the first base alone.
    """

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
            bold=text_style.bold,
            underline=text_style.underline,
        )

    def notify_style_update(self) -> None:
        """Repaint what lies within: its styles may be this widget's."""
        super().notify_style_update()
        for inner in self.query("*"):
            inner.refresh()
