"""The live figures are those of the engine, at every width."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.widgets import Digits

from app.chat.summary import TOO_DEAR, summary, took_s
from app.tui.figures.figures import BUSY, UNKNOWN, Figures
from app.tui.figures.panel_lines import PLACE_BAR, WIDTH, blocks, laid_out
from app.tui.widgets.panel import Panel
from app.tui.widgets.strip import Strip
from engine import Costs, Delta
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, stats_at, words

JOIN = words("It joins path components and more.")
MISMATCH = "the vocabularies differ by 812 tokens."


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
        assert chat.shows("42 / 2048")
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
    notices = ["Something else.", f"Speculation is off: {MISMATCH}"]
    ready = replace(READY, drafters=[], notices=notices, off=MISMATCH)

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
    ready = replace(ready, notices=[f"Speculation is off: {memory}"], off=memory)

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
    ready = replace(READY, drafter="none", drafters=[], notices=["Other."], off=MISMATCH)
    assert Figures(ready).off == "speculation off: the vocabularies differ by 812 tokens."


def test_the_reason_names_the_setting_where_the_person_chose_so() -> None:
    figures = Figures(replace(READY, drafter="none", drafters=[]))
    assert figures.off == "speculation off: the drafter is none"


@pytest.mark.parametrize(("used", "filled"), [(0, 0), (1, 1), (1024, 10), (2048, 20), (9999, 20)])
def test_the_context_bar_is_as_full_as_the_context(used: int, filled: int) -> None:
    full, empty = Figures(READY, None, None, used).bar(20)
    assert (len(full), len(full) + len(empty)) == (filled, 20)


@pytest.mark.parametrize(
    ("loaded", "chosen", "off"),
    [
        ("none", "auto", None),
        ("none", None, "speculation off: the drafter is none"),
        ("none", "none", "speculation off: /draft none"),
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
    why = "this model's memory cannot take rejected tokens back."
    ready = replace(READY, drafter="none", drafters=[], off=why, rollback="none")
    assert Figures(ready, chosen="lookup").off == f"speculation off: {why}"


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


def test_what_is_changed_in_mid_answer_holds_from_the_next_answer_on_and_says_so() -> None:
    off = "speculation off: /draft none"

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering" and chat.shows("It"))
        await chat.screen.action_act("draft", "none")
        await chat.until(lambda: chat.toasts("Nothing is drafted from the next answer on."))
        await chat.screen.action_act("temp", "1.25")
        await chat.until(lambda: chat.toasts("The temperature is 1.25 from the next answer on."))
        await chat.screen.action_act("draft", "lookup")
        await chat.until(lambda: chat.toasts("Drafts are made by lookup from the next answer on."))
        await chat.screen.action_act("draft", "none")
        assert chat.screen.figures.off is None and not chat.shows(off)
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows(off))
        assert chat.screen.figures.off == off
        await chat.screen.action_act("temp")
        await chat.until(lambda: chat.toasts("The temperature is 1.25."))

    drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=2)))


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
    drafted = stats_at(6)
    assert summary(drafted) == "18 tokens · 0.5 s · 41.3 tok/s · ≈1.7\N{MULTIPLICATION SIGN} plain"
    plain = replace(drafted, drafted=0, accepted=0, tested=0, speedup=1.0)
    assert summary(plain) == "18 tokens · 0.5 s · 41.3 tok/s · nothing drafted"


def test_an_answer_took_its_first_step_and_the_time_behind_it() -> None:
    assert took_s(replace(stats_at(6), decode_s=3.0)) == pytest.approx(0.118 + 3.0)
    assert took_s(replace(stats_at(6), decode_s=3.0, ttft_s=None)) is None


@pytest.mark.parametrize(
    ("tokens", "steps", "shown"),
    [(15, 5, UNKNOWN), (16, 3, UNKNOWN), (16, 4, "≈1.7\N{MULTIPLICATION SIGN}")],
)
def test_of_a_short_answer_no_gain_is_told_anywhere(tokens: int, steps: int, shown: str) -> None:
    stats = replace(stats_at(6), output_tokens=tokens, steps=steps)
    assert Figures(READY, stats).speedup == shown
    assert ("plain" in summary(stats)) == (shown != UNKNOWN)


@pytest.mark.parametrize(
    ("draft_s", "shown"), [([0.001] * 8, BUSY), ([0.01] * 8, BUSY), ([0.3] * 8, TOO_DEAR)]
)
def test_what_made_an_answer_slower_than_plain_is_told_as_far_as_the_costs_tell(
    draft_s: list[float], shown: str
) -> None:
    costs = Costs(target_s=[0.1] * 9, draft_s=draft_s, noise=0.0, kept=True)
    ready, slow = replace(READY, costs=costs), replace(stats_at(8), speedup=0.5)
    assert Figures(ready, slow).why_slower == shown
    assert len(shown) <= WIDTH
    assert Figures(ready, stats_at(8)).why_slower is None
    assert Figures(ready, replace(slow, accepted=0)).why_slower is None
    assert Figures(READY, slow).why_slower is None


def test_guesses_that_none_was_worth_a_test_of_are_told_to_have_cost_too_much() -> None:
    vain = replace(stats_at(8), drafted=0, accepted=0, tested=0, drafters={}, speedup=0.7)
    assert Figures(READY, vain).why_slower == TOO_DEAR
    assert TOO_DEAR in laid_out(blocks(Figures(READY, vain)), 30).plain
    assert summary(vain).endswith(f"nothing drafted: {TOO_DEAR}")
    for free in (replace(vain, speedup=1.0), replace(vain, output_tokens=3)):
        assert Figures(READY, free).why_slower is None
        assert summary(free).endswith("nothing drafted")


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_who_drafted_without_being_loaded_for_it_is_named(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.action_act("draft", "lookup")
        await chat.ask("question")
        await chat.answered()
        assert chat.screen.figures.names == ["lookup", "draft_model"]
        bottom = "\n".join(chat.lines[-10:] if size == NARROW else chat.lines)
        assert " lookup " in bottom and " draft model " in bottom

    ready = replace(READY, drafter="none", drafters=[])
    drive(scenario, FakeEngine(Answer(JOIN), ready=ready), size)


def test_the_panel_says_why_it_was_slower() -> None:
    costs = Costs(target_s=[0.1] * 9, draft_s=[0.001] * 8, noise=0.0, kept=True)
    figures = Figures(replace(READY, costs=costs), replace(stats_at(8), speedup=0.5))
    assert BUSY in laid_out(blocks(figures), 30).plain


@pytest.mark.parametrize(
    ("ttft_s", "tokens", "steps", "tps", "shown"),
    [
        (0.5, 21, 21, 10.0, "2.5 s"),
        (0.5, 1, 1, None, "0.5 s"),
        (2.0, 1001, 1001, 100.0, "12 s"),
        (2.0, 601, 601, 10.0, "1 min 2 s"),
        (None, 21, 21, 10.0, None),
    ],
)
def test_an_answers_figures_say_how_long_it_took(
    ttft_s: float | None, tokens: int, steps: int, tps: float | None, shown: str | None
) -> None:
    stats = replace(stats_at(1), ttft_s=ttft_s, output_tokens=tokens, steps=steps, decode_tps=tps)
    parts = summary(stats).split(" · ")
    assert (parts[1] == shown) if shown else not any(part.endswith(" s") for part in parts)


def test_no_bar_of_the_panel_is_longer_than_all_of_it() -> None:
    odd = replace(stats_at(3), tested_at=[1, 4], accepted_at=[10**6, 3])
    lines = laid_out(blocks(Figures(READY, odd, context_used=10**9)), 40).plain.split("\n")
    assert {line.count("━") + line.count("─") for line in lines} == {0, WIDTH, PLACE_BAR}
