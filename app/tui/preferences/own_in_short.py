"""What a chat has for itself of the settings, in the few words that the first line has room for."""

from __future__ import annotations

from app.settings.rows import ROWS, shown
from app.tui.preferences.own_settings import Choice, own

SHORT = {"temp": "T"}
THINK = "think"
"""The first line has words of its own for it."""


def in_short(chosen: Choice) -> str:
    """Return the persona, or that there is a system prompt, then all else; "" for nothing."""
    now = own(chosen)
    persona, prompt = now.pop("persona", None), now.pop("system", None)
    parts = [str(persona) if persona else "system prompt" if prompt else ""]
    parts += [
        f"{SHORT.get(name, ROWS[name].label)} {shown(ROWS[name], value)}"
        for name, value in now.items()
        if name in ROWS and name != THINK
    ]
    return " · ".join(part for part in parts if part)
