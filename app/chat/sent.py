"""What a conversation sends of its turns: all of them, or a summary in the place of the oldest.

What a person has left out is not sent, wherever it stands. A turn may hold a summary of its branch
up to itself. The last one counts, for it was made of the ones before; a branch that begins further
up has no such turn, and so no summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from app.thoughts import without_thinking
from engine import Message, Picture

TORN = "\N{REPLACEMENT CHARACTER}"
"""What is left of a character that an answer was cut in."""
ABOUT = "About the user:"
IN_SHORT = "What was said before, in short:"


class Said(Protocol):
    """A turn, as far as it is sent. summary: of its branch up to itself, "" if there is none.
    skipped: the person has left it out. in_words: what is sent to a model that sees no pictures.
    """

    @property
    def sent(self) -> str: ...
    @property
    def in_words(self) -> str: ...
    @property
    def pictures(self) -> list[Picture]: ...
    @property
    def answer(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def skipped(self) -> bool: ...


S = TypeVar("S", bound=Said)


def covered(turns: Sequence[Said]) -> int:
    """Return of how many turns, the oldest ones, there is a summary."""
    return next((n for n in range(len(turns), 0, -1) if turns[n - 1].summary), 0)


def summary_of(turns: Sequence[Said]) -> str:
    """Return the summary that counts, "" if there is none."""
    n = covered(turns)
    return turns[n - 1].summary if n else ""


def kept(turns: Sequence[S]) -> list[S]:
    """Return those that the person has not left out."""
    return [turn for turn in turns if not turn.skipped]


def knowing(about: str, system: str | None) -> str | None:
    """Return a system prompt behind what is known of the user, "" for nothing."""
    return "\n\n".join(part for part in (about and f"{ABOUT}\n{about}", system) if part) or None


def before_question(
    system: str | None,
    turns: Sequence[Said],
    left_out: int,
    summary: str | None = None,
    sees: bool = True,
) -> list[Message]:
    """Return how a prompt begins: every turn that has any answer text and is not left out, be it
    with the oldest or by itself, without what the model thought.

    summary: of the turns that are left out, None: the one that they hold. It is a part of the
    system message: where a template knows none, the engine puts that into the first question.
    sees: the model is shown the pictures; else it is told that there were some.
    """
    summary = summary_of(turns[:left_out]) if summary is None else summary
    told = [part for part in (system, f"{IN_SHORT}\n{summary}" if summary else "") if part]
    found = [Message(role="system", content="\n\n".join(told))] if told else []
    for turn in kept(turns[left_out:]):
        answer = without_thinking(turn.answer)
        if answer.strip():
            found.append(asked(turn) if sees else Message(role="user", content=turn.in_words))
            found.append(Message(role="assistant", content=answer))
    return found


def asked(turn: Said) -> Message:
    """Return a question with its pictures."""
    return Message(role="user", content=turn.sent, pictures=turn.pictures)


def prompt_of(
    system: str | None,
    before: Sequence[Said],
    turn: Said,
    left_out: int,
    summary: str | None = None,
    sees: bool = True,
) -> list[Message]:
    """Return a whole prompt, with the answer as far as it goes. summary, sees: as before; what is
    asked now is asked with its pictures whatever the model sees: the engine refuses them.
    """
    prompt = before_question(system, before, left_out, summary, sees)
    prompt.append(asked(turn))
    begun = turn.answer.rstrip(TORN)
    if begun:
        prompt.append(Message(role="assistant", content=begun))
    return prompt
