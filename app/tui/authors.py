"""Which model wrote an answer is said in a chat where several did, on whatever branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.terminal.sanitise import one_line

if TYPE_CHECKING:
    from app.tui.asking import Asking

LONGEST = 40


def name_models(asking: Asking) -> None:
    """Say it at each answer, or at none."""
    turns, recorder = asking.conversation.turns, asking.recorder
    known = {turn.pair for turn in turns if turn.answer}
    known |= recorder.pairs if recorder is not None else set()
    are_several = len(known - {""}) > 1
    for view, turn in zip(asking.transcript.asked, turns, strict=False):
        is_told = are_several and bool(turn.answer)
        view.name_model(one_line(turn.pair, LONGEST) if is_told else "")
