"""What is full when a question or its answer has no room in the context, and what would make room.

Every figure is the engine's own count of the prompt as it would be asked. Nothing is left out here:
that is for the person to choose.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from app.chat.condense import SHARE
from app.chat.conversation import Conversation, Turn
from app.chat.sent import covered, kept
from app.files.attachments import Attachment, for_model
from app.terminal.sanitise import one_line
from engine import Message

Count: TypeAlias = Callable[[Sequence[Message]], Awaitable["int | None"]]
"""Counts the tokens of a prompt; None while the engine has something else to do."""

Counted: TypeAlias = Callable[[Sequence[Message]], Awaitable[int]]

FULL = ("too long", "context")
"""Why a turn ended that found the context full."""
CHANGE = ("edit", "Change the question")
LARGER = ("settings", "Set a larger context in {settings}; then choose the pair again in {model}")
"""Names in braces stand for keys (keymap.told)."""
LONGEST_SHOWN = 24
ROOM = 4
"""One part in so many of the context is kept for the answer, where leaving out can make that room.
"""


@dataclass(frozen=True, slots=True)
class Head:
    """So many of the first lines of a file, with which the prompt has `tokens`."""

    file: Attachment
    n_lines: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Full:
    """A turn that had no room.

    is_cut: its answer ran into the end; else it has none. used: tokens of its prompt, of all with
    the answer, or of the question where that alone is too long. fits: there is room now, with
    another context than before. left_out: how many of the oldest turns to do without, `more` of
    them sent until now, so that its prompt has `then` tokens; None if that would not do. unsummed:
    how many of them are in no summary yet, 0 if there would be no room for one. can_move: whether
    the question would have room in a chat of its own. head: what there is room for of a file that
    goes with a question that is too long even alone.
    """

    is_cut: bool
    used: int
    n_ctx: int
    fits: bool = False
    left_out: int | None = None
    more: int = 0
    then: int = 0
    can_move: bool = False
    unsummed: int = 0
    head: Head | None = None

    @property
    def what(self) -> str:
        """Say what is full."""
        if self.fits:
            return f"There is room for this now: {self.used:,} of {self.n_ctx:,} tokens."
        if self.is_cut:
            if self.used > self.n_ctx:
                return f"Too long to go on: {self.used:,} tokens; the context holds {self.n_ctx:,}."
            full = f"{self.used:,} of {self.n_ctx:,} tokens"
            return f"The context is full ({full}), so the answer was cut off."
        is_alone = self.left_out is None and not self.can_move
        before = "" if is_alone else " with what came before"
        return f"Too long: {self.used:,} tokens{before}; the context holds {self.n_ctx:,}."

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Return what can be done: the action's name, and what it does here."""
        if self.fits:
            again = ("continue", "Go on with the answer") if self.is_cut else ("retry", "Ask again")
            return [again, CHANGE]
        found = [CHANGE, LARGER]
        if self.head is not None:
            file, n_lines = self.head.file, self.head.n_lines
            lines = "the first line" if n_lines == 1 else f"the first {n_lines}"
            name = one_line(file.name, LONGEST_SHOWN)
            after = f"{self.head.tokens:,} of {self.n_ctx:,} tokens"
            part = f"Send {lines} of {file.of_lines or file.n_lines} lines of {name} ({after})"
            found.insert(0, ("send-head", part))
        if self.can_move:
            found.insert(0, ("move", "Start a new chat with this question"))
        if self.left_out is not None:
            then = "go on with the answer" if self.is_cut else "ask again"
            after = f"{self.then:,} of {self.n_ctx:,} tokens"
            if self.unsummed:
                found.insert(0, ("summarise", f"Summarise {_oldest(self.unsummed)} and {then}"))
            found.insert(0, ("make-room", f"Leave out {_oldest(self.more)} and {then} ({after})"))
        return found


def _oldest(n: int) -> str:
    return "the oldest turn" if n == 1 else f"the {n} oldest turns"


def full_turn(conversation: Conversation) -> Turn | None:
    """Return the last turn if it found the context full."""
    turn = conversation.turns[-1] if conversation.turns else None
    return turn if turn is not None and turn.reason in FULL else None


async def measure(conversation: Conversation, n_ctx: int, count: Count) -> Full | None:
    """Return what is full about the last turn, which must be; None if nobody can count now.

    As few turns are left out as make room for an answer, all if they make any. An answer that is to
    go on is read again, and may have more tokens then than it was written with.
    """

    async def counted(prompt: Sequence[Message]) -> int:
        tokens = await count(prompt)
        if tokens is None:
            raise _BusyError
        return tokens

    asked = copy(conversation)  # as it is now: the person goes on while the engine counts
    asked.turns = [*conversation.turns]
    try:
        return await _measured(asked, n_ctx, counted)
    except _BusyError:
        return None


class _BusyError(Exception):
    """The engine has something else to do."""


async def _measured(conversation: Conversation, n_ctx: int, count: Counted) -> Full:
    turn, most = conversation.turns[-1], len(conversation.turns) - 1
    in_short = covered(conversation.turns[:-1])
    now = max(turn.left_out, in_short)
    used, least = await count(conversation.prompt(now)), await count(conversation.prompt(most))
    is_cut, roomy = turn.reason == "context", n_ctx - n_ctx // ROOM
    if used <= roomy or (used < n_ctx and not is_cut):
        return Full(is_cut, used, n_ctx, fits=True)
    if now == most or least >= n_ctx:
        if is_cut:
            shown = max(turn.context_used, used)
            return Full(is_cut, shown, n_ctx, can_move=most > 0)
        head = await _head(turn, conversation.prompt(now), roomy, count)
        return Full(is_cut, least, n_ctx, head=head)

    async def is_roomy(n: int) -> bool:
        return await count(conversation.prompt(n)) <= max(least, roomy)

    low = await _first(now + 1, most, is_roomy)
    then = await count(conversation.prompt(low))
    shown = max(turn.context_used, used) if is_cut else used
    said = len(kept(conversation.turns[in_short:low]))
    unsummed = said if then + n_ctx // SHARE < n_ctx else 0
    more = len(kept(conversation.turns[now:low]))
    return Full(is_cut, shown, n_ctx, False, low, more, then, True, unsummed)


async def _head(turn: Turn, prompt: Sequence[Message], roomy: int, count: Counted) -> Head | None:
    """Return as many lines of the longest file of a question as leave room for an answer. prompt:
    the question is the last of it.
    """
    if not turn.attachments:
        return None
    whole = max(turn.attachments, key=lambda each: len(each.text))
    *before, asked = prompt

    async def tokens(n_lines: int) -> int:
        question = for_model(turn.question, swapped(turn.attachments, whole, n_lines))
        return await count([*before, msgspec.structs.replace(asked, content=question)])

    async def is_too_long(n_lines: int) -> bool:
        return await tokens(n_lines) > roomy

    n_lines = await _first(1, whole.n_lines, is_too_long) - 1
    return Head(whole, n_lines, await tokens(n_lines)) if n_lines else None


def swapped(
    attachments: Sequence[Attachment], whole: Attachment, n_lines: int
) -> tuple[Attachment, ...]:
    """Return the attachments with the first lines of one of them in its place."""
    return tuple(each.head(n_lines) if each is whole else each for each in attachments)


async def _first(low: int, high: int, holds: Callable[[int], Awaitable[bool]]) -> int:
    """Return the first number for which it holds, found by halving; it does for the last one."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if await holds(middle) else (middle + 1, high)
    return low
