"""Which model wrote an answer is said in a chat where several did, on whatever branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.terminal.sanitise import one_line

if TYPE_CHECKING:
    from app.chat.conversation import Turn
    from app.chat.recorder import HistoryRecorder
    from app.tui.widgets.transcript import Transcript

LONGEST = 40


def name_models(
    transcript: Transcript, turns: Sequence[Turn], recorder: HistoryRecorder | None
) -> None:
    """Say it at each answer, or at none."""
    known = {turn.pair for turn in turns if turn.answer}
    known |= recorder.branches.pairs if recorder is not None else set()
    are_several = len(known - {""}) > 1
    for view, turn in zip(transcript.asked, turns, strict=False):
        is_told = are_several and bool(turn.answer)
        view.name_model(one_line(turn.pair, LONGEST) if is_told else "")
