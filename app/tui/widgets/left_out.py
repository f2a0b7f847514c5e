"""The line below the turns that are not sent to the model any more."""

from __future__ import annotations

from textual.widgets import Static

from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView

DASH = "───"


class LeftOut(Static):
    """One line of the transcript."""

    def __init__(self, n: int, last: TurnView) -> None:
        """last: the turn that it stands below."""
        turns = "turn above is" if n == 1 else f"{n} turns above are"
        words = f"{DASH} The {turns} not sent to the model any more {DASH}"
        super().__init__(words, classes="note", markup=False)
        self.last = last


async def mark_left_out(transcript: Transcript, n: int) -> None:
    """Show that so many of the oldest turns are not sent any more, and no others."""
    views = transcript.asked
    if n > len(views):  # they are still being shown
        return
    for at, view in enumerate(views):
        view.set_class(at < n, "-left-out")
    last = views[n - 1] if n else None
    for line in transcript.query(LeftOut):
        if line.last is last:
            return
        await line.remove()
    if last is not None and last.parent is not None:
        await transcript.put_below(last, LeftOut(n, last))
