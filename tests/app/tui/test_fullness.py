"""What is full is counted, and the fewest turns that make room are offered to be left out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.conversation import Conversation, Turn, TurnReason
from app.tui.fullness import measure
from engine import Message
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.small_engine import tokens


async def count(messages: Sequence[Message]) -> int:
    return tokens(messages)


async def count_nothing(messages: Sequence[Message]) -> None:
    """Count as an engine does that has something else to do."""


def test_who_cannot_count_now_says_nothing() -> None:
    conversation = Conversation(FakeEngine())
    conversation.turns = [Turn("q", answer="a", reason="stop"), Turn("q", reason="too long")]
    assert asyncio.run(measure(conversation, 8, count)) is not None
    assert asyncio.run(measure(conversation, 8, count_nothing)) is None


@pytest.mark.parametrize(("reason", "choice"), (("too long", "retry"), ("context", "continue")))
def test_in_a_larger_context_there_is_room_again(reason: TurnReason, choice: str) -> None:
    conversation = Conversation(FakeEngine())
    conversation.turns = [Turn("q " * 5, answer="a " * 5, reason="stop"), Turn("q", reason=reason)]
    full = asyncio.run(measure(conversation, 40, count))
    assert full is not None
    assert (full.fits, full.used, full.choices[0][0]) == (True, 11, choice)


@pytest.mark.parametrize("before", (0, 1))
def test_an_answer_that_reads_longer_than_it_was_written_is_never_said_to_fill_less(
    before: int,
) -> None:
    conversation = Conversation(FakeEngine())
    cut = Turn("q", answer="a " * 20, reason="context", context_used=6)
    conversation.turns = [Turn("q " * 9, answer="a " * 9, reason="stop")] * before + [cut]
    full = asyncio.run(measure(conversation, 16, count))
    assert full is not None
    assert full.used == tokens(conversation.prompt(0)) > full.n_ctx
    assert full.what == f"Too long to go on: {full.used} tokens; the context holds 16."


@pytest.mark.parametrize("n_turns", range(2, 9))
@pytest.mark.parametrize("share", (0.3, 0.5, 0.8, 1.0))
def test_the_fewest_turns_that_make_room_are_left_out(n_turns: int, share: float) -> None:
    conversation = Conversation(FakeEngine())
    conversation.turns = [
        Turn("q " * (1 + at % 3), answer="a " * 3, reason="stop") for at in range(n_turns)
    ]
    conversation.turns.append(Turn("q q", reason="too long"))
    by_left_out = [tokens(conversation.prompt(n)) for n in range(n_turns + 1)]
    n_ctx = max(by_left_out[-1] + 1, int(share * by_left_out[0]))
    full = asyncio.run(measure(conversation, n_ctx, count))
    assert full is not None
    room = max(by_left_out[-1], n_ctx - n_ctx // 4)
    fewest = next(n for n in range(1, n_turns + 1) if by_left_out[n] <= room)
    assert (full.left_out, full.then) == (fewest, by_left_out[fewest])
    assert full.used == by_left_out[0]
