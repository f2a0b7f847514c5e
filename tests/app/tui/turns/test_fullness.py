"""What is full is counted, and the fewest turns that make room are offered to be left out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from app.chat.conversation import Conversation, Turn, TurnReason
from app.files.attachments import pasted
from app.tui.turns.fullness import Full, measure
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


class Counting(Conversation):
    """Counts what is made."""

    made = 0

    def prompt(self, left_out: int, summary: str | None = None) -> list[Message]:
        Counting.made += 1
        return super().prompt(left_out, summary)


def test_of_a_long_chat_few_prompts_are_made_and_none_of_what_it_becomes_meanwhile() -> None:
    conversation = Counting(FakeEngine())
    conversation.turns = [Turn("q", answer="a", reason="stop") for _ in range(500)]
    conversation.turns.append(Turn("q", reason="too long"))

    async def undone(messages: Sequence[Message]) -> int:
        conversation.turns.clear()
        return tokens(messages)

    full = asyncio.run(measure(conversation, 100, undone))
    assert full is not None and (full.left_out, full.more) == (463, 463)
    assert Counting.made < 15


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


def test_large_counts_are_told_as_everywhere_else() -> None:
    lines = Full(is_cut=True, used=10121, n_ctx=8192), Full(is_cut=False, used=10121, n_ctx=8192)
    assert lines[0].what == "Too long to go on: 10,121 tokens; the context holds 8,192."
    assert lines[1].what == "Too long: 10,121 tokens; the context holds 8,192."
    choices = dict(Full(False, 10121, 8192, left_out=1, more=1, then=6144).choices)
    assert choices["make-room"] == "Leave out the oldest turn and ask again (6,144 of 8,192 tokens)"


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


@pytest.mark.parametrize("n_ctx", (38, 40, 41, 100, 399))
@pytest.mark.parametrize("before", (0, 2))
def test_the_most_lines_of_the_longest_file_that_leave_room_are_offered(
    n_ctx: int, before: int
) -> None:
    conversation = Conversation(FakeEngine())
    short, long = pasted("a b\n", 1), pasted("".join(f"line {n} x\n" for n in range(200)), 2)
    conversation.turns = [Turn("q", answer="a", reason="stop")] * before
    conversation.turns.append(Turn("why?", reason="too long", attachments=(short, long)))
    full = asyncio.run(measure(conversation, n_ctx, count))
    assert full is not None and full.head is not None

    def with_lines(n: int) -> int:
        conversation.turns[-1].attachments = (short, long.head(n))
        return tokens(conversation.prompt(0))

    n = full.head.n_lines
    assert (full.head.file, full.head.tokens) == (long, with_lines(n))
    assert with_lines(n) <= n_ctx - n_ctx // 4 < with_lines(n + 1)
    assert [name for name, _ in full.choices] == ["send-head", "edit", "settings"]


def test_nothing_of_a_file_is_offered_where_not_a_line_has_room() -> None:
    conversation = Conversation(FakeEngine())
    conversation.turns = [Turn("q " * 30, reason="too long", attachments=(pasted("x\ny"),))]
    full = asyncio.run(measure(conversation, 20, count))
    assert full is not None and full.head is None
    conversation.turns = [Turn("q", reason="too long", attachments=(pasted("x " * 90),))]
    full = asyncio.run(measure(conversation, 20, count))
    assert full is not None and full.head is None


def test_a_summary_is_offered_of_what_is_in_none_yet_and_where_it_has_room() -> None:
    conversation = Conversation(FakeEngine())
    conversation.turns = [Turn("q " * 4, answer="a " * 4, reason="stop") for _ in range(5)]
    conversation.turns.append(Turn("q " * 8, reason="too long"))
    full = asyncio.run(measure(conversation, 40, count))
    assert full is not None and (full.left_out, full.unsummed) == (3, 3)
    conversation.turns[1].summary = "in short"
    full = asyncio.run(measure(conversation, 32, count))
    assert full is not None and (full.left_out, full.more, full.unsummed) == (4, 2, 2)
    conversation.turns[-1].question = "q " * 22
    full = asyncio.run(measure(conversation, 32, count))
    assert full is not None and full.left_out is not None and full.unsummed == 0
