"""Plots as inline SVG, made of plain shapes (pure). Colours are CSS classes of the page that holds
them; every text is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from app.terminal.sanitise import one_line

WIDTH = 640
LABELS = 150
"""Room for the names on the left."""
LABEL_LETTERS = 20
FIGURES = 60
"""Room for the figures on the right."""
BAR = 16
GAP = 4
CURVE_HEIGHT = 260
MARGIN = 36
TICKS = 4

Bar = tuple[str, float | None, float | None, float | None, str]
"""Class of colour, value, low end, high end, figure in words; None where nothing was measured."""


def speed_bars(groups: Mapping[str, Sequence[Bar]]) -> str:
    """Draw a group of bars per name, each with its spread, and a line at 1, where plain is."""
    values = [v for bars in groups.values() for _, *ends, _ in bars for v in ends if v]
    scale = (WIDTH - LABELS - FIGURES) / max([1.0, *values])
    parts: list[str] = []
    y = GAP
    for name, bars in groups.items():
        parts.append(_text(LABELS - 8, y + BAR - 4, one_line(name, LABEL_LETTERS), "end"))
        for colour, value, low, high, figure in bars:
            parts.append(_bar(colour, y, scale, value or 0.0, low, high))
            end = LABELS + scale * max(value or 0.0, high or 0.0)
            parts.append(_text(end + 6, y + BAR - 4, figure))
            y += BAR + GAP
        y += 2 * GAP
    one = LABELS + scale
    parts.append(f'<line class="one" x1="{one:.1f}" x2="{one:.1f}" y1="0" y2="{y}"/>')
    return _svg(y, parts, "Speed-up over plain decoding by task")


def _bar(
    colour: str, y: int, scale: float, value: float, low: float | None, high: float | None
) -> str:
    middle = y + BAR / 2
    shape = (
        f'<rect class="{escape(colour)}" x="{LABELS}" y="{y}" width="{scale * value:.1f}" '
        f'height="{BAR}" rx="2"/>'
    )
    if low is None or high is None:
        return shape
    return (
        f'{shape}<line class="spread" x1="{LABELS + scale * low:.1f}" '
        f'x2="{LABELS + scale * high:.1f}" y1="{middle}" y2="{middle}"/>'
    )


def place_bars(colour: str, name: str, places: Sequence[tuple[int, float]]) -> str:
    """Draw acceptance, 0 to 1, over the place in the draft."""
    height, foot = 110, 18
    room = height - foot - 14
    pitch = min(40.0, (WIDTH - MARGIN) / max(1, len(places)))
    parts: list[str] = []
    for number, (place, rate) in enumerate(places):
        x = MARGIN + number * pitch
        top = height - foot - rate * room
        title = f"<title>{escape(name)}, place {place}: {rate:.0%}</title>"
        parts.append(
            f'<rect class="{escape(colour)}" x="{x:.1f}" y="{top:.1f}" '
            f'width="{0.8 * pitch:.1f}" height="{rate * room:.1f}">{title}</rect>'
        )
        if place == 1 or place % 4 == 0:
            parts.append(_text(x + 0.4 * pitch, height - 4, str(place), "middle"))
    parts.append(_text(MARGIN - 4, height - foot, "0", "end"))
    parts.append(_text(MARGIN - 4, height - foot - room + 8, "1", "end"))
    return _svg(height, parts, f"Acceptance of {name} by place in the draft")


def curves(series: Mapping[str, tuple[str, Sequence[float]]]) -> str:
    """Draw values over 1, 2, 3, …; series: name: (class of colour, values)."""
    longest = max(len(values) for _, values in series.values())
    top = max(max(values) for _, values in series.values() if values)
    foot = CURVE_HEIGHT - MARGIN

    def x_at(n: int) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (n - 1) / max(1, longest - 1)

    def y_at(value: float) -> float:
        return foot - (foot - 12) * value / top

    parts = [_tick(top * i / TICKS, y_at(top * i / TICKS)) for i in range(TICKS + 1)]
    parts += [_text(x_at(n), foot + 16, str(n), "middle") for n in (1, *range(8, longest + 1, 8))]
    for number, (name, (colour, values)) in enumerate(series.items()):
        points = " ".join(f"{x_at(n):.1f},{y_at(v):.1f}" for n, v in enumerate(values, start=1))
        parts.append(f'<polyline class="line {escape(colour)}" points="{points}"/>')
        x = MARGIN + 16
        y = 16 + 18 * number
        parts.append(f'<rect class="{escape(colour)}" x="{x}" y="{y - 9}" width="10" height="10"/>')
        parts.append(_text(x + 16, y, name))
    return _svg(CURVE_HEIGHT, parts, "Costs over those of a plain token, by number of tokens")


def _tick(value: float, y: float) -> str:
    line = f'<line class="grid" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y:.1f}" y2="{y:.1f}"/>'
    return line + _text(MARGIN - 4, y + 4, f"{value:.1f}", "end")


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(height: float, parts: Sequence[str], label: str) -> str:
    return (
        f'<div class="wide"><svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg></div>'
    )
