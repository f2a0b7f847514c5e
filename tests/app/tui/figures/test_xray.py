"""Of a trace every token is counted and can be brought into sight, and no character is torn."""

from __future__ import annotations

from functools import partial

import pytest

from app.tui.figures.xray import PART, Xray, rows
from app.tui.screens.inspector import Inspector
from app.tui.widgets.step_view import NO_TEXT, TextSoFar
from engine import BONUS, CORRECTED, PLAIN, Span, TracedStep
from tests.app.tui.driving import NARROW, Chat, beyond
from tests.app.tui.test_inspector import CUT, FIRST, inspect, step

HALF = step("|🙂", 2, Span("", BONUS))
REST = step("", 0, Span("你", PLAIN))
LONE = step(" a", 1, Span("", BONUS))
END = step("", 0, Span("", PLAIN))
STEPS = [FIRST, HALF, REST, LONE, END]


def shown(steps: list[TracedStep], index: int) -> list[str]:
    return [row.token or NO_TEXT for row in Xray(steps).rows(index)]


def test_a_token_without_text_before_a_character_has_a_part_of_it() -> None:
    assert shown(STEPS, 1) == [PART, "🙂", PART]
    assert shown(STEPS, 2) == ["你"]


def test_a_token_that_adds_nothing_is_no_part() -> None:
    assert shown(STEPS, 3) == ["␠a", NO_TEXT]
    assert shown(STEPS, 4) == [NO_TEXT]
    assert shown([LONE, FIRST], 0) == ["␠a", NO_TEXT]  # a letter is one byte
    assert [row.token for row in rows(HALF)] == [PART, "🙂", ""]


def test_what_was_not_accepted_is_shown_as_it_is() -> None:
    assert shown([CUT, REST], 0) == ["It", "␠does", "n't"]
    rejected = step("|x", 0, Span("", CORRECTED))
    assert shown([rejected, REST], 0) == [NO_TEXT, PART, "x"]


def test_tokens_are_counted_and_not_texts() -> None:
    xray = Xray([*STEPS, CUT])
    assert xray.tokens == [1, 3, 1, 2, 1, 1]
    assert xray.before(len(STEPS), 100) == "It🙂你 a"


def test_the_last_step_is_for_the_end_token() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("end")
        await chat.until(lambda: chat.shows("step 5 of 5"))
        assert chat.shows("for 1 token ") and chat.shows("8 tokens")
        await chat.pilot.press("home", "right")
        await chat.until(lambda: chat.shows(f"✓ {PART}"))

    inspect(scenario, STEPS)


SIGHT = step("|".join(f"w{n}" for n in range(12)), 3, Span("end", CORRECTED), "draft_model")


LOW = [(80, 18), (80, 16), (80, 14), (40, 12), (160, 14), (160, 12)]


@pytest.mark.parametrize("size", [NARROW, *LOW])
def test_the_last_row_of_a_step_can_be_scrolled_into_sight(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        await chat.until(lambda: chat.shows("✓ w0"))
        assert not chat.shows("· w11")
        await chat.pilot.press(*["down"] * 13)
        await chat.until(lambda: chat.shows("· w11"))
        table = screen.query_one("#table")
        assert screen.query_one("#body").region.contains_region(table.region)
        assert screen.query_one(TextSoFar).size.height >= 1

    inspect(scenario, [FIRST, SIGHT], size)


@pytest.mark.parametrize("size", [(40, 24), (60, 24), NARROW])
def test_times_and_fates_are_to_be_read_at_every_width(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        for text in ("20.0 ms", "≈60.0 ms", "91 % accepted", "rejected"):
            await chat.until(partial(chat.shows, text))
        await chat.pilot.press(*["down"] * 13)
        await chat.until(lambda: chat.shows("not tested"))
        assert not beyond(chat.app.screen)
        assert chat.shows(" draft ")

    inspect(scenario, [FIRST, SIGHT], size)
