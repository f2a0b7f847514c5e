"""An answer in a person's own words: a version beside the one that it was, as asking again makes.

What the model thought before it stays in front of it, for the engine to go on from.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.chat.conversation import CUT_SHORT, Recorder, Turn
from app.chat.sent import TORN
from app.thoughts import split, without_thinking
from app.trimmed import trimmed
from engine import PLAIN, Span


def written(answer: str) -> str:
    """Return what there is to change of an answer."""
    return trimmed(without_thinking(answer).rstrip(TORN))


def amended(
    turns: Sequence[Turn], at: int, text: str, recorder: Recorder | None = None
) -> list[Turn]:
    """Return the turns up to one, with another text for its answer, which nobody proposed; keep
    that. Raises IndexError without such a turn.
    """
    before, old = list(turns[:at]), turns[at]
    answer = _thought(old.answer) + text
    turn = Turn(
        old.question,
        old.attempt + (old.reason not in CUT_SHORT),
        answer,
        "edited",
        spans=[Span(answer, PLAIN)],
        context_used=old.context_used,
        attachments=old.attachments,
        question_id=old.question_id,
        left_out=old.left_out,
    )
    if recorder is not None:
        recorder.began(turn, before[-1] if before else None)
        recorder.ended(turn)
    return [*before, turn]


def _thought(answer: str) -> str:
    """Return what stands before the words of an answer, with the tags around it."""
    parts = split(answer)
    said = [part for part in parts if part.kind == "answer"]
    if len(said) == len(parts):
        return ""
    return answer[: said[0].start] if len(said) == 1 and parts[-1] is said[0] else ""
