"""Turns that a prompt gives to begin a chat with, and prompts made of the turns of a chat.

No model wrote what is given here: it has no figures and no seed, and names no pair.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.chat.amending import written
from app.chat.conversation import CUT_SHORT, Conversation, Turn
from app.chat.example_chat import ExampleChat
from app.trimmed import trimmed_lines
from engine import PLAIN, Span

NOT_WHOLE = CUT_SHORT - {"edited", "given"} | {None}
"""Why an answer ended, None if it has not, that is no good example."""


def given(turns: Iterable[tuple[str, str]]) -> list[Turn]:
    """Return questions with their answers as turns; nobody keeps them yet."""
    return [
        Turn(question, answer=answer, reason="given", spans=[Span(answer, PLAIN)])
        for question, answer in turns
    ]


def as_example(conversation: Conversation) -> ExampleChat:
    """Return what is shown of a chat, without what was thought and what is left out; a question
    that has no whole answer is for the box if it is the last one, and else not taken.
    """
    said = [
        (trimmed_lines(turn.in_words), written(turn.answer) if turn.reason not in NOT_WHOLE else "")
        for turn in conversation.turns
        if not turn.skipped
    ]
    last = said.pop()[0] if said and not said[-1][1] else ""
    turns = tuple((question, answer) for question, answer in said if question and answer)
    return ExampleChat(trimmed_lines(conversation.system or ""), turns, last)
