"""Walking between the versions of the turns that are shown: other answers, other questions."""

from __future__ import annotations

from app.chat.conversation import Turn
from app.tui.turns.asking import Asking
from app.tui.widgets.turn_view import TurnView


def branching(asking: Asking) -> list[tuple[TurnView, Turn]]:
    """Return the chosen turn, or all from the last one up, that have more than one version."""
    chosen = asking.transcript.selected
    shown = zip(asking.transcript.asked, asking.conversation.turns, strict=False)
    found = []
    for view, turn in shown:
        places = asking.places(turn)
        if chosen in (None, view) and max(places.question[1], places.answer[1]) > 1:
            found.append((view, turn))
    return found[::-1]


async def walk(asking: Asking, steps: int) -> None:
    """Show another version of an answer, or of its question where there are no more answers, or of
    a turn further up where there are no more questions.
    """
    recorder, transcript = asking.recorder, asking.transcript
    if recorder is None:
        return
    chosen = transcript.selected
    for view, turn in branching(asking):
        turns = recorder.beside(turn, "answer", steps) or recorder.beside(turn, "question", steps)
        if turns:
            at = transcript.index(view)
            await asking.show_turns(turns)
            if chosen is not None:
                transcript.select(transcript.turns[at])
            return
