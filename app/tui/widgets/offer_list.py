"""A list of few things to choose from, one line each, as it stands among other words."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

BULLET = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class OfferList(OptionList):
    """As tall as what it offers; a line is marked only while the list has the focus."""

    DEFAULT_CSS = """
    OfferList {
        height: auto;
        border: none;
        background: transparent;
        padding: 0;
        &:focus { border: none; background: transparent; }
        & > .option-list--option-highlighted {
            color: $foreground;
            background: transparent;
            text-style: none;
        }
        &:focus > .option-list--option-highlighted {
            color: $block-cursor-foreground;
            background: $block-cursor-background;
            text-style: bold;
        }
    }
    """


def offered(words: str, name: str | None = None) -> Option:
    """Return a line of the list. name: by which it is known when it is chosen."""
    return Option(Content.assemble((BULLET, "$primary"), words), id=name)
