"""Colours in which a theme of Textual's can be read on our grounds.

Such a theme is made for Textual's widgets: its states are colours of grounds there, its footer has
a ground of its own, and its cursor stands out by a ground on which only one text can be read. Here
texts have those colours, and a row under the cursor has texts of many: so each is moved away from
the grounds as far as it must be (WCAG AA), and the cursor's ground is a shade of the screen's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.color import BLACK, WHITE, Color

LEAST = 4.5
"""How many times the luminance of a ground a text has, or the other way round."""
STEPS = 20
CURSOR, HOVER = 0.25, 0.12
"""How much of the primary colour is in a row that keys act on, and in one under the mouse."""
MUTED = 0.7
GROUNDS = ("background", "surface", "panel")
TEXTS = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")


def legible(colours: Mapping[str, str]) -> dict[str, str]:
    """Return what takes the place of a theme's own colours. colours: all of it, by their names."""
    had = {name: Color.parse(colours[name]) for name in (*GROUNDS, *TEXTS)}
    background, primary = had["background"], had["primary"]
    cursor = background.blend(primary, CURSOR, alpha=1.0)
    grounds = [*(had[name] for name in GROUNDS), cursor]
    muted = background.blend(had["foreground"], MUTED, alpha=1.0)
    texts = {**{name: had[name] for name in TEXTS}, "foreground-muted": muted}
    found = {name: _moved(text, grounds).hex for name, text in texts.items()}
    return found | {
        "block-cursor-background": cursor.hex,
        "block-cursor-foreground": found["foreground"],
        "block-cursor-blurred-background": background.blend(primary, HOVER, alpha=1.0).hex,
        "block-cursor-blurred-foreground": found["foreground"],
        "block-hover-background": background.blend(primary, HOVER, alpha=1.0).hex,
        "footer-background": background.hex,
        "footer-foreground": found["foreground"],
        "footer-key-foreground": found["primary"],
        "footer-description-foreground": found["foreground"],
    }


def contrast(one: Color, other: Color) -> float:
    """Return how many times the luminance of the darker one the lighter one has, as WCAG has it."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _moved(text: Color, grounds: Sequence[Color]) -> Color:
    """Return the colour that is nearest to a text's and can be read on all grounds."""
    end = max(BLACK, WHITE, key=lambda end: min(contrast(end, ground) for ground in grounds))
    ways = (text.blend(end, step / STEPS, alpha=1.0) for step in range(STEPS + 1))
    return next((way for way in ways if _is_read(way, grounds)), end)


def _is_read(text: Color, grounds: Sequence[Color]) -> bool:
    return all(contrast(text, ground) >= LEAST for ground in grounds)


def _luminance(colour: Color) -> float:
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    red, green, blue = parts
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
