"""The figures of an answer in two parts are those of one answer."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from app.chat.conversation import Conversation
from app.chat.whole_stats import whole_stats
from engine import Delta, DrafterStats, Finished, Stats
from tests.app.chat.test_conversation import JOIN, cut_short, drain, loaded
from tests.app.tui.fakes import Answer, stats_at


def part(tokens: int, tps: float | None, plain: float | None, ttft_s: float = 0.5) -> Stats:
    return msgspec.structs.replace(
        stats_at(tokens), output_tokens=tokens, decode_tps=tps, plain_tps=plain, ttft_s=ttft_s
    )


def test_counts_add_up_and_ratios_are_those_of_the_sums() -> None:
    first = msgspec.structs.replace(stats_at(4), near_ties=[2], tested_at=[4, 2], accepted_at=[3])
    then = msgspec.structs.replace(stats_at(2), near_ties=[1], tested_at=[2], accepted_at=[1])
    whole = whole_stats(first, then)
    assert (whole.output_tokens, whole.steps, whole.drafted) == (18, 6, 24)
    assert (whole.accepted, whole.tested) == (12, 18)
    assert whole.acceptance_rate == pytest.approx(12 / 18)
    assert whole.draft_efficiency == pytest.approx(12 / 24)
    assert whole.mean_acceptance_length == pytest.approx(18 / 6)
    assert whole.near_ties == [2, 12 + 1]
    assert (whole.tested_at, whole.accepted_at) == ([6, 2], [4])
    assert whole.engine_overhead_s == pytest.approx(0.02)


def test_a_speed_is_all_tokens_over_all_their_time() -> None:
    whole = whole_stats(part(30, 10.0, 5.0), part(10, 40.0, 20.0, ttft_s=9.0))
    assert whole.decode_tps == pytest.approx(40 / (30 / 10 + 10 / 40))
    assert whole.plain_tps == pytest.approx(40 / (30 / 5 + 10 / 20))
    assert whole.speedup == pytest.approx(2.0)


def timed(tokens: int, first_tokens: int, decode_s: float) -> Stats:
    tps = (tokens - first_tokens) / decode_s if decode_s else None
    return msgspec.structs.replace(
        part(tokens, tps, tps and tps / 2), first_step_tokens=first_tokens, decode_s=decode_s
    )


def test_each_parts_first_step_counts_for_no_speed() -> None:
    whole = whole_stats(timed(30, 5, 2.0), timed(13, 3, 3.0))
    assert (whole.decode_s, whole.first_step_tokens) == (5.0, 5 + 3)
    assert whole.decode_tps == pytest.approx((25 + 10) / 5.0)
    assert whole.speedup == pytest.approx(2.0)
    again = whole_stats(whole, timed(4, 4, 0.0))
    assert (again.decode_tps, again.first_step_tokens) == (whole.decode_tps, 5 + 3 + 4)


def test_a_part_that_was_kept_without_its_time_counts_by_its_speed() -> None:
    whole = whole_stats(part(30, 10.0, 5.0), timed(13, 3, 1.0))
    assert whole.decode_s == pytest.approx(30 / 10 + 1.0)
    assert whole.decode_tps == pytest.approx((30 + 10) / 4.0)


def test_an_unknown_speed_of_one_part_leaves_the_others() -> None:
    whole = whole_stats(part(30, 10.0, 5.0), part(1, None, None))
    assert (whole.decode_tps, whole.plain_tps) == (10.0, 5.0)
    assert whole_stats(part(1, None, None), part(1, None, None)).decode_tps is None


@pytest.mark.parametrize("is_short_first", [True, False])
def test_the_speed_up_is_that_of_the_parts_with_both_speeds(is_short_first: bool) -> None:
    short, long = part(4, 90.0, None), part(30, 10.0, 5.0)
    whole = whole_stats(short, long) if is_short_first else whole_stats(long, short)
    assert whole.speedup == pytest.approx(2.0)
    assert whole.decode_tps == pytest.approx(34 / (4 / 90 + 30 / 10))
    assert whole.plain_tps == pytest.approx((whole.decode_tps or 0) / 2.0)
    assert whole_stats(part(4, 90.0, None), part(4, None, 5.0)).speedup is None


def test_prompt_and_time_to_first_token_are_those_of_the_first_part() -> None:
    then = msgspec.structs.replace(part(3, 1.0, 1.0, ttft_s=7.0), prompt_tokens=999)
    whole = whole_stats(part(3, 1.0, 1.0, ttft_s=0.25), then)
    assert (whole.ttft_s, whole.prompt_tokens) == (0.25, 24)


def test_a_drafter_of_one_part_alone_keeps_its_share() -> None:
    first = msgspec.structs.replace(stats_at(1), drafters={"lookup": DrafterStats(4, 3, 2)})
    both = {"lookup": DrafterStats(1, 1, 1), "draft_model": DrafterStats(6, 5, 4)}
    whole = whole_stats(first, msgspec.structs.replace(stats_at(1), drafters=both))
    assert whole.drafters == {
        "lookup": DrafterStats(5, 4, 3),
        "draft_model": DrafterStats(6, 5, 4),
    }


def test_without_a_first_part_the_figures_are_the_second_ones() -> None:
    nothing = msgspec.structs.replace(stats_at(1), output_tokens=0)
    assert whole_stats(None, stats_at(3)) is not None
    assert whole_stats(None, stats_at(3)) == whole_stats(nothing, stats_at(3)) == stats_at(3)


def test_a_continued_answer_tells_and_keeps_the_figures_of_the_whole() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN, fail_after=3), Answer(JOIN[3:]))
        chat = Conversation(engine)
        turn = await cut_short(chat, "question")
        assert turn.stats is not None
        assert turn.stats.output_tokens == 9
        events = await drain(chat.go_on())
        told = [event.stats.output_tokens for event in events if isinstance(event, Delta)]
        finished = events[-1]
        assert isinstance(finished, Finished)
        assert told == [12, 15, 18]
        assert turn.stats == finished.stats
        assert (turn.stats.output_tokens, turn.stats.steps) == (18, 6)

    asyncio.run(run())


def test_a_question_that_is_asked_again_has_figures_of_its_own() -> None:
    async def run() -> None:
        engine = await loaded(Answer(JOIN, fail_after=3), Answer(JOIN))
        chat = Conversation(engine)
        await cut_short(chat, "question")
        await drain(chat.retry())
        stats = chat.turns[-1].stats
        assert stats is not None
        assert stats.output_tokens == stats_at(len(JOIN)).output_tokens

    asyncio.run(run())
