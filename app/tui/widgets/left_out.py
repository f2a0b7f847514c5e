"""What stands below the turns that are not sent to the model any more: a line, their summary."""

from __future__ import annotations

from textual.widgets import Static

from app.conversation import Conversation
from app.sent import covered, summary_of
from app.tui.widgets.summary_view import SummaryView
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
        self.about: tuple[object, ...] = (last, n)


async def mark_left_out(transcript: Transcript, conversation: Conversation) -> None:
    """Show which turns are not sent any more, and what is sent in their place."""
    views, n = transcript.asked, conversation.left_out
    if n > len(views):  # they are still being shown
        return
    for at, view in enumerate(views):
        view.set_class(at < n, "-left-out")
    last = views[n - 1] if n and views[n - 1].parent is not None else None
    n_covered, summary = covered(conversation.turns), summary_of(conversation.turns)
    marks: list[LeftOut | SummaryView] = []
    if last is not None and n > n_covered:
        marks.append(LeftOut(n, last))
    if last is not None and summary:
        marks.append(SummaryView(summary, n_covered, last))
    shown = [*transcript.query(LeftOut), *transcript.query(SummaryView)]
    if [each.about for each in shown] == [each.about for each in marks]:
        return
    for each in shown:
        await each.remove()
    for mark in reversed(marks):
        assert last is not None, "else there is no mark"
        await transcript.put_below(last, mark)
