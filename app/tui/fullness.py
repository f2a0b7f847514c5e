"""What is full when a question or its answer has no room in the context, and what would make room.

Every figure is the engine's own count of the prompt as it would be asked. Nothing is left out here:
that is for the person to choose.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.conversation import Conversation, Turn
from engine import Message

Count: TypeAlias = Callable[[Sequence[Message]], Awaitable["int | None"]]
"""Counts the tokens of a prompt; None while the engine has something else to do."""

FULL = ("too long", "context")
"""Why a turn ended that found the context full."""
CHANGE = ("edit", "Change the question")
ROOM = 4
"""One part in so many of the context is kept for the answer, where leaving out can make that room.
"""


@dataclass(frozen=True, slots=True)
class Full:
    """A turn that had no room.

    is_cut: its answer ran into the end; else it has none. used: tokens of its prompt, of all with
    the answer, or of the question where that alone is too long. fits: there is room now, with
    another context than before. left_out: how many of the oldest turns to do without, `more` of
    them sent until now, so that its prompt has `then` tokens; None if that would not do. can_move:
    whether the question would have room in a chat of its own.
    """

    is_cut: bool
    used: int
    n_ctx: int
    fits: bool = False
    left_out: int | None = None
    more: int = 0
    then: int = 0
    can_move: bool = False

    @property
    def what(self) -> str:
        """Say what is full."""
        if self.fits:
            return f"There is room for this now: {self.used} of {self.n_ctx} tokens."
        if self.is_cut:
            if self.used > self.n_ctx:
                return f"Too long to go on: {self.used} tokens; the context holds {self.n_ctx}."
            full = f"{self.used} of {self.n_ctx} tokens"
            return f"The context is full ({full}), so the answer was cut off."
        is_alone = self.left_out is None and not self.can_move
        before = "" if is_alone else " with what came before"
        return f"Too long: {self.used} tokens{before}; the context holds {self.n_ctx}."

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Return what can be done: the action's name, and what it does here."""
        if self.fits:
            again = ("continue", "Go on with the answer") if self.is_cut else ("retry", "Ask again")
            return [again, CHANGE]
        found = [CHANGE]
        if self.can_move:
            found.insert(0, ("move", "Start a new chat with this question"))
        if self.left_out is not None:
            turns = "the oldest turn" if self.more == 1 else f"the {self.more} oldest turns"
            then = "go on with the answer" if self.is_cut else "ask again"
            after = f"{self.then} of {self.n_ctx} tokens"
            found.insert(0, ("leave-out", f"Leave out {turns} and {then} ({after})"))
        return found


def full_turn(conversation: Conversation) -> Turn | None:
    """Return the last turn if it found the context full."""
    turn = conversation.turns[-1] if conversation.turns else None
    return turn if turn is not None and turn.reason in FULL else None


async def measure(conversation: Conversation, n_ctx: int, count: Count) -> Full | None:
    """Return what is full about the last turn, which must be; None if nobody can count now.

    As few turns are left out as make room for an answer, all if they make any. An answer that is to
    go on is read again, and may have more tokens then than it was written with.
    """
    turn, now, most = conversation.turns[-1], conversation.left_out, len(conversation.turns) - 1
    prompts = [conversation.prompt(n) for n in range(most + 1)]
    used, least = await count(prompts[now]), await count(prompts[most])
    if used is None or least is None:
        return None
    is_cut, roomy = turn.reason == "context", n_ctx - n_ctx // ROOM
    if used <= roomy or (used < n_ctx and not is_cut):
        return Full(is_cut, used, n_ctx, fits=True)
    if now == most or least >= n_ctx:
        shown = max(turn.context_used, used) if is_cut else least
        return Full(is_cut, shown, n_ctx, can_move=is_cut and most > 0)
    low, high, then = now + 1, most, least
    while low < high:
        middle = (low + high) // 2
        tokens = await count(prompts[middle])
        if tokens is None:
            return None
        if tokens <= max(least, roomy):
            high, then = middle, tokens
        else:
            low = middle + 1
    shown = max(turn.context_used, used) if is_cut else used
    return Full(is_cut, shown, n_ctx, False, low, low - now, then, can_move=True)
