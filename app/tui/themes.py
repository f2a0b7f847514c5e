"""The two themes of the house: calm, and readable in daylight and at night."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="slipstream-dark",
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
    variables={"footer-background": "#14171c", "footer-key-foreground": "#7aa7e8"},
)

LIGHT = Theme(
    name="slipstream-light",
    primary="#2f63b5",
    secondary="#7a4fb5",
    accent="#0d7f79",
    success="#2e7d43",
    warning="#a8660b",
    error="#b83246",
    foreground="#23272e",
    background="#fbfaf7",
    surface="#f2f0eb",
    panel="#e8e5de",
    dark=False,
    variables={"footer-background": "#fbfaf7", "footer-key-foreground": "#2f63b5"},
)

THEMES = (DARK, LIGHT)
