"""What stands below the turns that are not sent to the model any more: a line, their summary."""

from __future__ import annotations

from collections.abc import Iterator

from textual.widgets import Static

from app.chat.conversation import Conversation
from app.chat.sent import covered, summary_of
from app.tui.text.reading_place import hold_place
from app.tui.widgets.summary_view import SummaryView
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView

DASH = "───"
BY_ITSELF = f"{DASH} Left out: not sent to the model; /leave-out {{number}} brings it back {DASH}"


class LeftOut(Static):
    """One line of the transcript. last: the turn that it stands below."""

    def __init__(self, words: str, last: TurnView) -> None:
        super().__init__(words, classes="note", markup=False)
        self.last = last
        self.about: tuple[object, ...] = (last, words)


def _oldest(n: int) -> str:
    turns = "turn above is" if n == 1 else f"{n} turns above are"
    return f"{DASH} The {turns} not sent to the model any more {DASH}"


async def mark_left_out(transcript: Transcript, conversation: Conversation) -> None:
    """Show which turns are not sent any more, and what is sent in their place."""
    views, turns, n = transcript.asked, conversation.turns, conversation.left_out
    if n > len(views):  # they are still being shown
        return
    for at, view in enumerate(views):
        view.set_class(at < n or (at < len(turns) and turns[at].skipped), "-left-out")
    marks = list(_marks(views, conversation))
    lines = [line for page in transcript.children for line in page.children]  # not what is in them
    shown = [each for kind in (LeftOut, SummaryView) for each in lines if isinstance(each, kind)]
    if [each.about for each in shown] == [each.about for each in marks]:
        return
    hold_place(transcript)
    for each in shown:
        await each.remove()
    for mark in reversed(marks):
        await transcript.put_below(mark.last, mark)


def _marks(views: list[TurnView], conversation: Conversation) -> Iterator[LeftOut | SummaryView]:
    """Return the lines that there are to be, and then the summary."""
    turns, n = conversation.turns, conversation.left_out
    for at, (view, turn) in enumerate(zip(views, turns, strict=False)):
        if view.parent is None:
            continue
        if at == n - 1 and n > covered(turns):
            yield LeftOut(_oldest(n), view)
        if at >= n and turn.skipped:
            yield LeftOut(BY_ITSELF.format(number=at + 1), view)
    summary = summary_of(turns)
    if n and summary and views[n - 1].parent is not None:
        yield SummaryView(summary, covered(turns), views[n - 1])
