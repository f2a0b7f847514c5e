"""The two themes of the house: calm, and readable in daylight and at night."""

from __future__ import annotations

from textual.theme import Theme

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
"""The grounds behind words, by who proposed them; they stay apart where there are 256 colours."""

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
    variables={
        "footer-background": "#14171c",
        "footer-key-foreground": "#7aa7e8",
        **ORIGINS_DARK,
    },
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
    variables={
        "footer-background": "#fbfaf7",
        "footer-key-foreground": "#2f63b5",
        **ORIGINS_LIGHT,
    },
)

THEMES = (DARK, LIGHT)
