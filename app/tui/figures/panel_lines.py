"""What the live panel says, in blocks of lines, and which of them a low panel has room for.

First things come first. A block is shown whole or not at all, but for the lines that it can spare.
Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from app.sizes import counted
from app.terminal.sanitise import one_line
from app.tui.figures.figures import Figures
from app.tui.figures.pace import MOST, ceiling, sparkline
from app.tui.text.origins import label, style_of
from app.tui.tones import DIM, FAINT
from engine import BONUS, CORRECTED

WIDTH = 26
PLACE_BAR = 11
LEAST_PLACES = 3
LEAST_REASON = 4
FEW = 8
"""A share of fewer tests than these is shown dim: it says little."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together.

    least: how many of them say enough where there is no room. mark: what ends a text cut short.
    """

    lines: tuple[Content, ...]
    least: int
    mark: str = ""

    def first(self, n: int) -> tuple[Content, ...]:
        """Return n lines."""
        if n >= len(self.lines) or not self.mark:
            return self.lines[:n]
        last = self.lines[n - 1].truncate(WIDTH - len(self.mark))
        return (*self.lines[: n - 1], Content.assemble(last, self.mark))


def blocks(figures: Figures) -> list[Block]:
    """Return what there is to say below the speed, first things first."""
    if figures.off is not None:
        reason = tuple(Content.styled(figures.off, "$warning").wrap(WIDTH))
        least = min(LEAST_REASON, len(reason))
        return [_gain(figures), Block(reason, least, "…"), _meters(figures)]
    most = [_gain(figures), _rows(figures), _who(figures), _meters(figures)]
    return [*most, _places(figures)] if figures.places else most


def laid_out(shown: Sequence[Block], height: int) -> Content:
    """Return the blocks that have room, an empty line between them."""
    given: list[int] = []
    left = height + 1
    for block in shown:
        if block.least + 1 > left:
            break
        given.append(block.least)
        left -= block.least + 1
    for index, block in enumerate(shown[: len(given)]):
        more = min(left, len(block.lines) - given[index])
        given[index] += more
        left -= more
    parts = [block.first(n) for block, n in zip(shown, given, strict=False)]
    return Content("\n\n").join([Content("\n").join(lines) for lines in parts if lines])


def _block(*lines: Content) -> Block:
    return Block(lines, len(lines))


def _gain(figures: Figures) -> Block:
    """Return the speed-up, and how the speed went."""
    style = "bold $success" if figures.pays else "bold"
    gain = Content.assemble((figures.speedup, style), ("  plain decoding", DIM))
    why = [] if figures.why_slower is None else [Content.styled(figures.why_slower, "$warning")]
    rates = figures.pace.rates
    top = ceiling(rates)
    return _block(gain, *why, _course(sparkline(rates, top), "$primary", f"0-{top:g}"))


def _rows(figures: Figures) -> Block:
    lines = (
        _value("acceptance rate", figures.acceptance_rate),
        _course(sparkline(figures.pace.acceptances, 1.0), "$success", "0-100%"),
        _value("acceptance length", figures.acceptance_length),
        _value("draft length", figures.draft_length),
        _value("draft efficiency", figures.draft_efficiency),
    )
    return Block(lines, len(lines) - 1)


def _course(line: str, style: str, scale: str) -> Content:
    """Return a sparkline and its scale, or how much room it will have."""
    if not line.strip():
        return Content.styled("·" * MOST, FAINT)
    dots = Content.styled("·" * (MOST - len(line)), FAINT)
    return _row(Content.assemble((line, style), dots), Content.styled(scale, DIM))


def _who(figures: Figures) -> Block:
    """Return what the colours of words mean, each drafter's share, and which one is missing."""
    if figures.ready is None:
        return _block(Content(""))
    shares = [_row(swatch(name), Content(figures.share(name))) for name in figures.names]
    if figures.verify is not None:
        shares.append(_value("verify", figures.verify))
    target = Content(" ").join([swatch(CORRECTED), swatch(BONUS), Content("plain")])
    heading = _row(Content.styled("guessed by", DIM), Content.styled("kept of drafted", DIM))
    own = Content.styled("word of the model's own", DIM)
    lines = (heading, *shares, own, target)
    if figures.refused is None:
        return _block(*lines)
    reason = Content.styled(figures.refused, "$warning").wrap(WIDTH)
    return Block((*lines, *reason), len(lines) + 1, "…")


def _meters(figures: Figures) -> Block:
    """Return what is in use, and what is worth knowing; the least is the context."""
    (full, empty), few = figures.bar(WIDTH), figures.few_left
    lines = [
        _value("context", figures.context),
        Content.assemble((full, "$primary" if few is None else "$warning"), (empty, FAINT)),
        *(
            []
            if few is None
            else [Content.styled(f"room for {counted(few, 'token')}", "bold $warning")]
        ),
        _value("first token", figures.ttft),
    ]
    if figures.near_ties is not None:
        lines.append(_value("near-ties", figures.near_ties))
    if figures.memory is not None:
        lines.append(_value("engine memory", figures.memory))
    return Block(tuple(lines), 3)


def _places(figures: Figures) -> Block:
    """Return a bar for each place of a draft."""
    lines = [Content.styled("accepted by place in draft", DIM)]
    for place, (share, tested) in enumerate(figures.places, start=1):
        full = round(min(share, 1.0) * PLACE_BAR)
        style = "bold" if tested >= FEW else DIM
        lines.append(
            Content.assemble(
                (f"{place:>2} ", DIM),
                ("━" * full, "$success"),
                ("─" * (PLACE_BAR - full), FAINT),
                (f"{100 * share:>4.0f} %", style),
                (f"{_short(tested):>5}", DIM),
            )
        )
    return Block(tuple(lines), min(LEAST_PLACES, len(lines)))


def _short(count: int) -> str:
    return str(count) if count < 10_000 else f"{count // 1000}k"


def swatch(origin: str) -> Content:
    """Return an origin's name in its colour."""
    return Content.styled(f" {one_line(label(origin))} ", f".{style_of(origin)}")


def _value(name: str, value: str) -> Content:
    return _row(Content.styled(name, DIM), Content.styled(value, "bold"))


def _row(name: Content, value: Content) -> Content:
    """Put a name at the left and its value at the right edge, whatever their lengths."""
    name = name.truncate(max(0, WIDTH - value.cell_length - 1), ellipsis=True)
    gap = max(1, WIDTH - name.cell_length - value.cell_length)
    return Content.assemble(name, " " * gap, value)
