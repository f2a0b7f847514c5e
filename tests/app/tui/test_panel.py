"""The live panel and the strip: how an answer went, what is left out first, nothing that jumps."""

from __future__ import annotations

from dataclasses import replace as replace_dataclass

import pytest
from msgspec.structs import replace
from textual.content import Content

from app.tui.figures.figures import Figures
from app.tui.figures.pace import GAP_S, MOST, NO_PACE, Pace, Point, ceiling, sparkline
from app.tui.figures.panel_lines import WIDTH, Block, blocks, laid_out
from app.tui.widgets.panel import Panel
from app.tui.widgets.strip import Strip
from engine import Delta, Ready, Stats
from tests.app.tui.driving import NARROW, WIDE, Chat, beyond, drive
from tests.app.tui.fakes import READY, FakeEngine, stats_at

LOW = (110, 24)
MISMATCH = "the vocabularies differ by 812 tokens, and more than that."
OFF = replace(READY, drafters=[], off=MISMATCH)


def counted(step: int, tps: float = 41.3) -> Stats:
    """Return figures that a draft of eight places has left."""
    return replace(
        stats_at(step, tps),
        tested_at=[1000, 700, 333, 120, 50, 9, 2, 1],
        accepted_at=[900, 490, 200, 60, 20, 3, 1, 0],
        near_ties=[3, 5, 9],
    )


def grown(steps: int, ready: Ready = READY, step_s: float = 0.1) -> Figures:
    """Return the figures after so many events, one every `step_s`."""
    figures = Figures(ready, rss_bytes=1_834_000_000)
    for step in range(1, steps + 1):
        stats = counted(step)
        shares = {name: stats.drafters[name] for name in ready.drafters}
        delta = Delta(1, [], replace(stats, drafters=shares), 4, 24 + 3 * step)
        figures = figures.growing(delta, now=step_s * step)
    return figures


def pace_of(*counts: tuple[float, int, int, int]) -> Pace:
    pace = NO_PACE
    for count in counts:
        pace = pace.plus(Point(*count))
    return pace


async def showing(chat: Chat, figures: Figures) -> None:
    await chat.until(lambda: chat.screen.figures.ready is not None)
    await chat.pilot.pause()  # for what is known of the engine's memory
    chat.screen.figures = figures
    await chat.pilot.pause()


# the pace


def test_a_rate_is_what_came_between_two_events() -> None:
    pace = pace_of((10.0, 5, 4, 4), (11.0, 15, 8, 6), (13.0, 35, 8, 6))
    assert pace.rates == [10.0, 10.0]
    assert pace.acceptances == [0.5, None]


def test_a_stretch_that_is_not_yet_over_is_not_shown() -> None:
    pace = pace_of((0.0, 0, 0, 0), (GAP_S, 3, 0, 0), (1.1 * GAP_S, 60, 0, 0))
    assert pace.rates == [pytest.approx(3 / GAP_S)]
    assert pace_of((1.0, 9, 9, 9)).rates == []


def test_the_pace_of_an_endless_answer_is_bounded_and_stays_exact() -> None:
    pace, most = NO_PACE, 0
    for tick in range(20_000):
        pace = pace.plus(Point(tick / 10, 4 * tick, 2 * tick, tick))
        most = max(most, len(pace.points))
    assert most <= MOST + 1
    assert len(pace.rates) >= MOST // 2 - 1
    assert pace.rates == pytest.approx([40.0] * len(pace.rates))
    assert pace.acceptances == pytest.approx([0.5] * len(pace.rates))
    assert pace.points[0].at_s == 0.0


def test_the_columns_before_the_newest_do_not_change_from_event_to_event() -> None:
    figures = grown(30)
    before = figures.pace.rates
    after = figures.growing(Delta(1, [], counted(31), 4, 200), now=3.1).pace.rates
    assert after[: len(before)] == before


def test_an_answer_begins_a_pace_of_its_own() -> None:
    figures = grown(40).ended(stats_at(40), 100)
    assert len(figures.pace.rates) > 3
    again = figures.growing(Delta(2, [], counted(1), 4, 30), now=100.0)
    assert again.pace.rates == []
    assert again.rss_bytes == figures.rss_bytes


def test_without_a_clock_there_is_no_pace_and_all_else_is_the_same() -> None:
    delta = Delta(1, [], counted(3), 4, 33)
    assert Figures(READY).growing(delta).pace is NO_PACE
    assert Figures(READY).growing(delta).stats == Figures(READY).growing(delta, now=1.0).stats


@pytest.mark.parametrize(
    ("most", "scale"), [(0.3, 0.3), (1, 1), (7, 8), (41.3, 50), (50, 50), (61, 80), (812, 1000)]
)
def test_a_scale_is_round_and_holds_every_value(most: float, scale: float) -> None:
    assert ceiling([0.0, most]) == pytest.approx(scale)


def test_nothing_has_a_scale_too() -> None:
    assert ceiling([]) == ceiling([0.0]) == 1.0


def test_a_sparkline_tells_none_from_nothing_tested() -> None:
    assert sparkline([0.0, None, 1.0], 1.0) == "▁ █"


# the blocks


def test_what_has_no_room_is_left_out_whole_and_last_things_first() -> None:
    told = blocks(grown(60))
    everything = laid_out(told, 100).plain.split("\n")
    assert "engine memory      1.83 GB" in everything
    for height in range(len(everything)):
        lines = laid_out(told, height).plain.split("\n")
        assert len(lines) <= max(1, height)
        assert lines[0] == (everything[0] if height >= 2 else "")
        assert all(line == "" or line in everything for line in lines)


@pytest.mark.parametrize("ready", [READY, OFF], ids=["on", "off"])
def test_no_line_is_longer_than_the_panel(ready: Ready) -> None:
    busy = replace(counted(900_000, 12_345.6), drafted=9_999_999, tested_at=[123_456] * 8)
    figures = grown(60, ready).growing(Delta(1, [], busy, 4, 24), now=99.0)
    for line in laid_out(blocks(figures), 60).split("\n"):
        assert line.cell_length <= WIDTH, line.plain


def test_a_context_with_room_for_one_token_says_so() -> None:
    figures = replace_dataclass(grown(60), context_used=READY.n_ctx - 1)
    lines = laid_out(blocks(figures), 60).plain.splitlines()
    assert "room for 1 token" in [line.strip() for line in lines]


def test_a_reason_cut_short_ends_in_an_ellipsis() -> None:
    lines = tuple(Content(f"line {n}") for n in range(6))
    assert laid_out([Block(lines, 2, "…")], 3).plain == "line 0\nline 1\nline 2…"
    assert laid_out([Block(lines, 2, "…")], 6).plain.endswith("line 5")


def test_a_share_of_few_tests_is_dim() -> None:
    styles = {
        line.plain[:2]: {str(span.style) for span in line.spans}
        for line in laid_out(blocks(grown(60)), 60).split("\n")
        if "%" in line.plain and line.plain.startswith(" ")
    }
    assert "bold" in styles[" 6"]
    assert "bold" not in styles[" 7"]


# on the screen


def test_a_wide_screen_shows_it_all() -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, grown(60))
        for text in (
            "≈1.7\N{MULTIPLICATION SIGN} plain decoding",
            "0-30",
            "0-100%",
            "acceptance rate 67 %",
            "draft length 4",
            "lookup 60 of 60",
            "draft model 60 of 180",
            "context 204 / 2048",
            "first token 118 ms",
            "near-ties 3",
            "engine memory 1.83 GB",
            "accepted by place in draft",
            "90 % 1000",
            "0 % 1",
        ):
            assert chat.shows(text), text

    drive(scenario, FakeEngine(), WIDE)


def test_a_low_panel_shows_the_most_important_and_cuts_the_rest_cleanly() -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, grown(60))
        panel = chat.screen.query_one(Panel)
        assert not beyond(chat.app.screen)
        for text in ("acceptance rate 67 %", "draft model 60 of 180", "context 204 / 2048"):
            assert chat.shows(text), text
        assert not chat.shows("accepted by place")
        assert panel.max_scroll_y == 0

    drive(scenario, FakeEngine(), LOW)


def test_a_narrow_screen_shows_how_it_went_on_three_lines() -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, grown(60))
        assert chat.screen.query_one(Strip).size.height == 3
        for text in (
            "41.3 tok/s",
            "TTFT 118 ms",
            "context 204 / 2048",
            "by place █▆",
            "near-ties 3",
        ):
            assert chat.shows(text), text

    drive(scenario, FakeEngine(), NARROW)


def test_a_very_low_screen_keeps_to_two_lines() -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, grown(60))
        assert chat.screen.query_one(Strip).size.height == 2
        assert chat.shows("41.3 tok/s")

    drive(scenario, FakeEngine(), (60, 16))


@pytest.mark.parametrize("size", [NARROW, LOW, WIDE], ids=["80x24", "110x24", "160x50"])
def test_where_nobody_drafts_the_reason_takes_the_place_of_the_acceptance(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, grown(60, OFF))
        await chat.until(lambda: chat.shows("speculation off: the"))
        assert not chat.shows("by place")
        assert not chat.shows("acceptance rate")

    drive(scenario, FakeEngine(ready=OFF), size)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "160x50"])
def test_memory_that_nobody_knows_is_not_shown(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await showing(chat, Figures(READY))
        assert not chat.shows("memory")

    drive(scenario, FakeEngine(), size)


def test_figures_that_grow_leave_the_others_where_they_are() -> None:
    async def scenario(chat: Chat) -> None:
        places = []
        for tps, used in ((9.8, 96), (41.3, 204), (123.4, 1999)):
            stats = replace(counted(60, tps), acceptance_rate=tps / 200)
            await showing(chat, Figures(READY, stats, 4, used))
            places.append(
                [line.find(word) for line in chat.lines for word in ("accept", "TTFT", "━")]
            )
        assert places[0] == places[1] == places[2]

    drive(scenario, FakeEngine(), NARROW)


# a draft model that is refused

REFUSED = replace(
    READY,
    draft=None,
    drafters=["lookup"],
    draft_refused="its vocabulary does not match (812 differ).",
)


@pytest.mark.parametrize("size", [(60, 20), NARROW, LOW, WIDE])
def test_a_draft_model_that_is_refused_stays_on_the_screen(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await showing(chat, grown(30, REFUSED))
        shown = [line[-30:] if size[0] >= LOW[0] else line for line in chat.lines]
        beside = " ".join(" ".join(shown).split())
        assert "draft model not used" in beside and "context" in beside
        assert ("its vocabulary does not match" in beside) == (size == WIDE)

    drive(scenario, FakeEngine(), size)


def test_nothing_is_said_of_a_draft_model_where_none_is_refused_or_all_is_off() -> None:
    assert Figures(READY).refused is None and Figures().refused is None
    assert Figures(replace(REFUSED, drafters=[])).refused is None
    assert Figures(REFUSED).refused == (
        "draft model not used: its vocabulary does not match (812 differ)."
    )
