"""What a chat has for itself of the settings, in the few words that the first line has room for."""

from __future__ import annotations

from app.settings.rows import ROWS, shown
from app.tui.preferences.own_settings import Choice, own

SHORT = {"temp": "T"}
THINK = "think"
"""The first line has words of its own for it."""


def in_short(chosen: Choice) -> str:
    """Return the persona, or that there is a system prompt, then all else in the settings' order,
    however it was chosen and kept; "" for nothing.
    """
    now = own(chosen)
    persona, prompt = now.pop("persona", None), now.pop("system", None)
    parts = [str(persona) if persona else "system prompt" if prompt else ""]
    parts += [
        f"{SHORT.get(name, row.label)} {shown(row, now[name])}"
        for name, row in ROWS.items()
        if name in now and name != THINK
    ]
    return " · ".join(part for part in parts if part)
