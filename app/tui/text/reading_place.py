"""Keeps what a reader looks at in its place while the transcript becomes wider or narrower.

Who follows the newest text goes on following it.
"""

from __future__ import annotations

from dataclasses import dataclass

from textual.widget import Widget

from app.tui.widgets.transcript import Transcript

LAYOUTS = 3
"""So often it is looked where things lie by then: what comes near is laid out only now."""


@dataclass(frozen=True, slots=True)
class Place:
    """The smallest part that lies over the first line in sight. above: the share of it that is
    further up.
    """

    part: Widget
    above: float


def hold_place(transcript: Transcript) -> None:
    """Have the same words at the top once the transcript is laid out anew."""
    place = None if transcript.is_followed else _found(transcript)
    if place is not None:
        transcript.call_after_refresh(_go_back, transcript, place, LAYOUTS)


def _found(transcript: Transcript) -> Place | None:
    top, part = transcript.content_region.y, None
    inner: Widget | None = transcript
    while inner is not None:
        inner = next((each for each in inner.children if _lies_over(each, top)), None)
        part = inner or part
    if part is None:
        return None
    return Place(part, (top - part.region.y) / part.region.height)


def _lies_over(part: Widget, y: int) -> bool:
    """Whether a part lies over a line, or is the first one below it."""
    return part.display and part.region.height > 0 and part.region.bottom > y


def _go_back(transcript: Transcript, place: Place, tries: int) -> None:
    part, top = place.part, transcript.content_region.y
    if not (part.is_attached and transcript.is_attached):
        return
    lines = part.region.y + round(place.above * part.region.height) - top
    if lines:
        transcript.scroll_by(lines)
    if tries > 1:
        transcript.call_after_refresh(_go_back, transcript, place, tries - 1)
