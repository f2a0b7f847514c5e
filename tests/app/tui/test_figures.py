"""The live figures are those of the engine, at every width."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.widgets import Digits

from app.tui.figures import UNKNOWN, Figures, summary
from app.tui.widgets.panel import Panel
from app.tui.widgets.strip import Strip
from engine import Delta
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, stats_at, words

JOIN = words("It joins path components.")
MISMATCH = "Speculation is off: the vocabularies differ by 812 tokens."


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_idle_figures_are_those_of_the_finished_answer(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.answered()
        stats = stats_at(len(JOIN), 40.7)
        assert chat.screen.figures.stats == stats
        assert chat.shows("67 %")
        assert chat.shows("3.00")
        assert chat.shows("118 ms")
        assert chat.shows("1.7\N{MULTIPLICATION SIGN}")
        assert chat.shows("ø 4.0")
        assert chat.shows("36 / 2048")
        if size == WIDE:
            assert chat.screen.query_one(Digits).value == f"{stats.decode_tps:.1f}"
            assert chat.shows(f"{stats.drafters['lookup'].accepted} of {len(JOIN)}")
        else:
            assert chat.shows("40.7 tok/s")

    drive(scenario, FakeEngine(Answer(JOIN)), size)


def test_figures_move_while_the_answer_runs() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows("41.3 tok/s"))
        assert chat.state == "answering"
        assert chat.shows("draft 4")

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)))


def test_the_screen_switches_between_panel_and_strip_with_its_width() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for size, wide in ((NARROW, False), (WIDE, True), (NARROW, False)):
            await chat.pilot.resize_terminal(*size)
            await chat.pilot.pause()
            assert chat.screen.query_one(Panel).display is wide
            assert chat.screen.query_one(Strip).display is not wide

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_speculation_that_is_off_says_why(size: tuple[int, int]) -> None:
    ready = replace(READY, drafters=[], notices=["Something else.", MISMATCH])

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("speculation off: "))
        await chat.until(lambda: chat.shows("the vocabularies differ"))
        assert not chat.shows("acceptance rate")

    drive(scenario, FakeEngine(ready=ready), size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_whole_reason_is_on_the_screen_and_stays_with_the_figures(
    size: tuple[int, int],
) -> None:
    memory = "this model's memory cannot take rejected tokens back."
    ready = replace(READY, drafter="none", drafters=[], rollback="none")
    ready = replace(ready, notices=[f"Speculation is off: {memory}"])

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows(f"Speculation is off: {memory}"))
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        assert chat.shows("speculation off:")
        assert chat.screen.figures.off == f"speculation off: {memory}"

    drive(scenario, FakeEngine(Answer(JOIN), ready=ready), size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_way_of_verifying_is_shown_where_it_is_not_the_usual_one(
    size: tuple[int, int],
) -> None:
    usual = replace(READY, drafters=["lookup"])

    async def says(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("verify rejection"))

    async def says_nothing(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("lookup"))
        assert not chat.shows("verify")
        assert not chat.shows("coupled")

    drive(says, FakeEngine(ready=replace(usual, verify="rejection")), size)
    drive(says_nothing, FakeEngine(ready=usual), size)


def test_nobody_verifies_where_nobody_drafts() -> None:
    assert Figures(replace(READY, verify="rejection")).verify == "rejection"
    assert Figures(replace(READY, verify="rejection", drafters=[])).verify is None


def test_nothing_measured_is_shown_as_unknown() -> None:
    blank = Figures()
    shown = (blank.tokens_per_s, blank.speedup, blank.acceptance_rate, blank.acceptance_length)
    rest = (blank.draft_length, blank.drafter, blank.ttft, blank.context)
    assert {*shown, *rest} == {UNKNOWN}
    assert (blank.off, blank.memory, blank.near_ties, blank.places) == (None, None, None, [])


def test_memory_and_near_ties_are_told_with_the_answer_and_after_it() -> None:
    stats = replace(stats_at(2), near_ties=[4, 9], tested_at=[4, 2], accepted_at=[3, 0])
    running = Figures(READY, rss_bytes=1_834_000_000).growing(Delta(1, [], stats, 2, 40), now=1.0)
    for figures in (running, running.ended(stats, 41), running.ended(None, 41)):
        assert (figures.memory, figures.near_ties) == ("1.83 GB", "2")
        assert figures.places == [(0.75, 4), (0.0, 2)]


def test_an_answer_without_a_known_plain_speed_has_no_speedup() -> None:
    stats = replace(stats_at(2), plain_tps=None, speedup=None, acceptance_rate=None)
    figures = Figures(READY, stats)
    assert figures.speedup == UNKNOWN
    assert figures.acceptance_rate == UNKNOWN


def test_a_reason_is_told_before_what_became_of_it() -> None:
    ready = replace(READY, drafter="none", drafters=[], notices=["Other.", MISMATCH])
    assert Figures(ready).off == "speculation off: the vocabularies differ by 812 tokens."


def test_the_reason_names_the_flag_where_the_person_chose_so() -> None:
    figures = Figures(replace(READY, drafter="none", drafters=[]))
    assert figures.off == "speculation off: --drafter none"


@pytest.mark.parametrize(("used", "filled"), [(0, 0), (1, 1), (1024, 10), (2048, 20), (9999, 20)])
def test_the_context_bar_is_as_full_as_the_context(used: int, filled: int) -> None:
    full, empty = Figures(READY, None, None, used).bar(20)
    assert (len(full), len(full) + len(empty)) == (filled, 20)


@pytest.mark.parametrize(
    ("loaded", "chosen", "off"),
    [
        ("none", "auto", None),
        ("none", None, "speculation off: --drafter none"),
        ("none", "none", "speculation off: --drafter none"),
        ("auto", "none", "speculation off: /draft none"),
        ("auto", "lookup", None),
    ],
)
def test_whether_anybody_drafts_is_told_of_the_chat_and_not_of_the_load_alone(
    loaded: str, chosen: str | None, off: str | None
) -> None:
    ready = replace(READY, drafter=loaded, drafters=[] if loaded == "none" else ["lookup"])
    assert Figures(ready, chosen=chosen).off == off


def test_a_pair_that_nobody_can_draft_for_says_so_whatever_is_chosen() -> None:
    ready = replace(READY, drafter="auto", drafters=[], notices=[MISMATCH])
    off = Figures(ready, chosen="lookup").off
    assert off == "speculation off: the vocabularies differ by 812 tokens."


def test_drafting_switched_off_in_a_chat_is_on_the_screen() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.action_act("draft", "none")
        await chat.until(lambda: chat.shows("speculation off: /draft none"))
        await chat.until(lambda: chat.toasts("Nothing is drafted."))
        await chat.screen.action_act("draft", "zzz")
        await chat.until(lambda: chat.toasts("There is no drafter zzz; there are"))
        assert chat.screen.session.conversation.drafter == "none"

    drive(scenario, FakeEngine(ready=replace(READY, drafters=["lookup"])))


def test_a_new_chat_has_no_figures_of_the_old_one() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.screen.figures.stats is not None
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.figures.stats is None)
        assert chat.screen.figures.context_used == 0

    drive(scenario, FakeEngine())


def test_an_answer_without_drafts_says_so_instead_of_a_gain_of_one() -> None:
    drafted = stats_at(4)
    assert summary(drafted) == "12 tokens · 41.3 tok/s · ≈1.7\N{MULTIPLICATION SIGN} plain"
    plain = replace(drafted, drafted=0, accepted=0, tested=0, speedup=1.0)
    assert summary(plain) == "12 tokens · 41.3 tok/s · nothing drafted"
