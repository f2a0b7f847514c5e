"""Makes a summary of a chat's oldest turns, by the model that answers: requests that are no turns.

What does not fit into one request goes in pieces, each together with the summary of those before;
an earlier summary is the first of these. Of a picture the request has the name, and what answers
say of it. The conversation has the new one when that is whole and shorter than what it replaces,
and is as it was in all other cases. Tokens are the engine's count.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.chat.conversation import Conversation, Turn
from app.chat.sent import covered, kept, summary_of
from app.chat.summary import reading
from app.errors import AppError
from app.sizes import counted
from app.thoughts import without_thinking
from engine import Delta, EngineDied, EngineError, Finished, Message, Started

Count: TypeAlias = Callable[[Sequence[Message], "bool | None"], Awaitable["int | None"]]
"""Counts the tokens of a prompt; None while the engine has something else to do."""

SHARE = 8
"""A summary takes at most one part in so many of the context."""
POLL_S = 0.05
TRIES = 100
USER, ASSISTANT = "User: ", "Assistant: "
CUTS = (f"\n\n{USER}", "\n", " ")
"""Where a text that is too long is cut best."""
WORDS_PER_TOKEN = 0.6
WHOLE = re.compile(r"(?s:.*)(?:[.!?](?=\s)|[\u3002\uff01\uff1f]|\n)")
PLEASE = (
    "Above is a part of a chat between a user and an assistant. Write down in short what the "
    "assistant has to know to go on with this chat: facts about the user, decisions, names, "
    "numbers, results, open questions. Take over all that the earlier summary says, if there is "
    "one. Write in the language of the chat, at most {n_words} words, only the summary itself: no "
    "introduction, no answer to the chat."
)
STOPPED = "The summary was stopped; nothing has changed."
NO_BETTER = "nothing has changed. When the context is full, the oldest turns can be left out."
EMPTY = f"The model wrote no summary; {NO_BETTER}"
TOO_SMALL = f"The context is too small to summarise in; {NO_BETTER}"


class NoSummaryError(AppError):
    """There is no summary that would be of use."""


@dataclass(slots=True)
class Condensing:
    """The making of one summary, of the n oldest turns; the last turn is not among them.

    before, after: tokens of the prompt with those turns, or with an earlier summary of some of
    them, and with the new one. problem: why there is none, "" once there is. how_far: in words, ""
    until that is known.
    """

    conversation: Conversation
    n: int
    n_ctx: int
    count: Count
    before: int = 0
    after: int = 0
    problem: str = STOPPED
    how_far: str = ""

    async def do(self) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Make it, and give it to the conversation. Raises what the engine dies of."""
        try:
            async for event in self._events():
                yield event
        except NoSummaryError as error:
            self.problem = str(error)
        except Exception as error:
            self.problem = f"There is no summary: {error}"
            if isinstance(error, EngineDied) or not isinstance(error, EngineError):
                raise

    @property
    def _most(self) -> int:
        """How many tokens it may have."""
        return max(1, self.n_ctx // SHARE)

    async def _events(self) -> AsyncGenerator[Started | Delta | Finished, None]:
        turns, think = self.conversation.turns[: self.n], self.conversation.think
        n_known, summary = covered(turns), summary_of(turns)
        self.before = await self._tokens(self.conversation.prompt(n_known), think)
        rest = as_text(turns[n_known:])
        if not rest:
            raise NoSummaryError("There is nothing to summarise.")
        part = 1
        while rest:
            piece = await self._piece(summary, rest)
            rest = rest[len(piece) :].lstrip()
            which, written = f"part {part}: " if rest or part > 1 else "", ""
            async for event in self.conversation.aside([self._asked(summary, piece)], self._most):
                if isinstance(event, Started):
                    self.how_far = which + reading(event)
                elif isinstance(event, Delta):
                    written += "".join(span.text for span in event.spans)
                    n_words = len(without_thinking(written).split())
                    self.how_far = f"{which}{counted(n_words, 'word')} so far"
                yield event
                if isinstance(event, Finished):
                    if event.reason == "cancelled":
                        return
                    summary = _whole_sentences(event)
            if not summary:
                raise NoSummaryError(EMPTY)
            part += 1
        self.after = await self._tokens(self.conversation.prompt(self.n, summary), think)
        if self.after >= self.before:
            raise NoSummaryError(f"The summary came out no shorter than the turns; {NO_BETTER}")
        self.conversation.summarise(turns[-1], summary)
        self.problem = ""

    def _asked(self, summary: str, piece: str) -> Message:
        """Return what the model is asked."""
        please = PLEASE.format(n_words=max(1, int(WORDS_PER_TOKEN * self._most)))
        known = [f"Earlier summary:\n{summary}"] if summary else []
        return Message(role="user", content="\n\n---\n\n".join([*known, piece, please]))

    async def _piece(self, summary: str, rest: str) -> str:
        """Return as much of the text as one request has room for, cut where it can be."""
        room = self.n_ctx - self._most

        async def fits(length: int) -> bool:
            asked = self._asked(summary, rest[:length])
            return await self._tokens([asked], False) <= room

        low, high = 0, len(rest)
        if await fits(high):
            return rest
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if await fits(middle) else (low, middle)
        if not low:
            raise NoSummaryError(TOO_SMALL)
        ends = (rest.rfind(cut, low // 2, low) for cut in CUTS)
        return rest[: next((end for end in ends if end > 0), low)]

    async def _tokens(self, messages: Sequence[Message], think: bool | None) -> int:
        """Count; somebody else may be counting for a moment."""
        for _ in range(TRIES):
            n = await self.count(messages, think)
            if n is not None:
                return n
            await asyncio.sleep(POLL_S)
        raise NoSummaryError("The engine does not count tokens now, so there is no summary.")


def _whole_sentences(finished: Finished) -> str:
    """Return what was written, without a last sentence that was cut off."""
    text = without_thinking(finished.text).strip()
    found = WHOLE.match(text) if finished.reason != "stop" else None
    return found[0].rstrip() if found else text


def as_text(turns: Sequence[Turn]) -> str:
    """Return what was said, of all that have an answer and are not left out, as the next prompt
    would hold it.
    """
    said = []
    for turn in kept(turns):
        answer = without_thinking(turn.answer).strip()
        if answer:
            said += [f"{USER}{turn.in_words}", f"{ASSISTANT}{answer}"]
    return "\n\n".join(said)
