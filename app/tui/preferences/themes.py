"""The themes of the house: dark, light, the terminal's own colours, and high contrast.

Quiet text is `$foreground-muted`, the row that keys act on `$block-cursor-…`: other names of a
share of a colour mean nothing where the colours are the terminal's. Texts of `dark` and `light`
have at least 4.5 times the luminance of their grounds or the other way round (WCAG AA), those of
`contrast` 7 times (AAA).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from textual.theme import Theme

if TYPE_CHECKING:
    from textual.app import App


class Themed(Protocol):
    """The app, which shows a theme without keeping it."""

    def try_theme(self, name: str) -> None:
        """Show a theme."""


ORIGINS_DARK = {
    "origin-lookup": "#26482c",
    "origin-draft-model": "#242c4e",
    "origin-drafter": "#1b4f4d",
    "origin-corrected": "#41382b",
    "origin-bonus": "#32243c",
}
ORIGINS_LIGHT = {
    "origin-lookup": "#cdf0cd",
    "origin-draft-model": "#cddcfa",
    "origin-drafter": "#c8f0f0",
    "origin-corrected": "#fae1be",
    "origin-bonus": "#f0dcf5",
}
ORIGINS_CONTRAST = {
    "origin-lookup": "#005f00",
    "origin-draft-model": "#00005f",
    "origin-drafter": "#005f5f",
    "origin-corrected": "#5f0000",
    "origin-bonus": "#5f005f",
}
"""The grounds behind words, by who proposed them; they stay apart where there are 256 colours."""
ORIGINS_ANSI = dict.fromkeys(ORIGINS_DARK, "ansi_default")
"""No grounds: where the colours are the terminal's, origins.tcss colours the words themselves."""

DARK = Theme(
    name="dark",
    primary="#7aa7e8",
    secondary="#a58bd3",
    accent="#5cc8c2",
    success="#7cc48a",
    warning="#e0b061",
    error="#e57482",
    foreground="#d7dae0",
    background="#14171c",
    surface="#1b1f26",
    panel="#222730",
    dark=True,
    variables={
        "foreground-muted": "#979ba3",
        "block-cursor-background": "#334259",
        "block-cursor-foreground": "#d7dae0",
        "block-cursor-blurred-background": "#283445",
        "block-hover-background": "#232d3b",
        "footer-background": "#14171c",
        "footer-key-foreground": "#7aa7e8",
        **ORIGINS_DARK,
    },
)

LIGHT = Theme(
    name="light",
    primary="#2759a8",
    secondary="#7046aa",
    accent="#0a6964",
    success="#226a36",
    warning="#85500a",
    error="#ab2a3e",
    foreground="#23272e",
    background="#fbfaf7",
    surface="#f2f0eb",
    panel="#e8e5de",
    dark=False,
    variables={
        "foreground-muted": "#5c6069",
        "panel-lighten-2": "#b3ada0",
        "block-cursor-background": "#bccde6",
        "block-cursor-foreground": "#23272e",
        "block-cursor-blurred-background": "#d1dbea",
        "block-hover-background": "#dce3ec",
        "footer-background": "#fbfaf7",
        "footer-key-foreground": "#2759a8",
        **ORIGINS_LIGHT,
    },
)

CONTRAST = Theme(
    name="contrast",
    primary="#87d7ff",
    secondary="#d7afff",
    accent="#5fffff",
    success="#5fff87",
    warning="#ffd75f",
    error="#ffafaf",
    foreground="#ffffff",
    background="#000000",
    surface="#121212",
    panel="#1c1c1c",
    dark=True,
    variables={
        "foreground-muted": "#d0d0d0",
        "panel-lighten-2": "#8a8a8a",
        "border-blurred": "#8a8a8a",
        "block-cursor-background": "#00407a",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-blurred-background": "#303030",
        "block-hover-background": "#303030",
        "footer-background": "#000000",
        "footer-key-foreground": "#87d7ff",
        **ORIGINS_CONTRAST,
    },
)

ANSI = Theme(
    name="ansi",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_magenta",
    accent="ansi_magenta",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    dark=True,
    variables={
        "surface": "ansi_default",
        "panel": "ansi_default",
        "panel-lighten-2": "ansi_default",
        "border": "ansi_cyan",
        "border-blurred": "ansi_default",
        "foreground-muted": "ansi_default",
        "foreground-disabled": "ansi_default",
        # Any ground but the terminal's own is painted in reverse: see app/tui/terminal/painting.py.
        "block-cursor-background": "ansi_white",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-cursor-blurred-text-style": "bold underline",
        "input-selection-background": "ansi_white",
        "screen-selection-background": "ansi_white",
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "markdown-h1-color": "ansi_cyan",
        "markdown-h2-color": "ansi_cyan",
        "markdown-h3-color": "ansi_cyan",
        "footer-key-foreground": "ansi_cyan",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        **ORIGINS_ANSI,
    },
)

THEMES = (DARK, LIGHT, ANSI, CONTRAST)
ABOUT = {
    DARK.name: "calm, for the night",
    LIGHT.name: "calm, for daylight",
    ANSI.name: "the terminal's own 16 colours",
    CONTRAST.name: "high contrast",
}


def names(app: App[Any]) -> list[str]:
    """Return the names of all themes, ours first."""
    return [*ABOUT, *sorted(app.available_themes.keys() - ABOUT.keys())]


def origins(theme: Theme) -> dict[str, str]:
    """Return the origins' grounds for a theme that says none: one of Textual's own."""
    if theme.ansi:
        return ORIGINS_ANSI
    return ORIGINS_DARK if theme.dark else ORIGINS_LIGHT


def fitted(theme: Theme, colours: Mapping[str, str]) -> dict[str, str]:
    """Return what takes the place of colours that are not made for our screens: those of Textual's
    own themes, but where they are the terminal's.
    """
    if theme.ansi or theme.name in ABOUT:
        return {}
    from app.tui.preferences.legible import legible

    return legible(colours)


def other_side(theme: Theme) -> str:
    """Return the name of the light theme for a dark one, and of the dark one for a light one."""
    return LIGHT.name if theme.dark else DARK.name
