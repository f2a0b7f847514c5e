"""The token X-ray shows of every step what was drafted, what became of it and what it cost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec
import pytest
from rich.segment import Segment
from textual.widgets import Footer

from app.chat.summary import NOT_WORTH_IT
from app.terminal.sanitise import REPLACEMENT
from app.tui.figures.xray import Xray, rows, running_text, token_text
from app.tui.screens.inspector import NO_REJECTION, NO_TRACE, Inspector
from app.tui.widgets.step_bars import StepBars
from app.tui.widgets.step_view import StepTable, TextSoFar
from engine import BONUS, CORRECTED, PLAIN, Span, TracedStep
from tests.app.terminal.test_sanitise import HOSTILE
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, beyond, drive
from tests.app.tui.fakes import FakeEngine

MANY = 3000
TITLE = "What does [bold]os.path.join[/] do?"

Scenario = Callable[[Chat, Inspector], Awaitable[None]]


def step(
    drafted: str, accepted: int, said: Span, drafter: str = "lookup", step_s: float = 0.02
) -> TracedStep:
    """Return a step whose draft is these words, taken apart at the bars."""
    spans = [Span(text, drafter) for text in drafted.split("|")] if drafted else []
    sure = [0.91, 0.62, 0.33, 0.04, 0.03, 0.02][: len(spans)]
    return TracedStep(spans, sure, accepted, said, step_s, 0.015 * (accepted + bool(said.text)))


FIRST = step("", 0, Span("It", PLAIN), step_s=0.2)
REJECTED = step(" joins| some| paths| quickly", 2, Span(" path", CORRECTED), "draft_model")
WHOLE = step(" components|.", 2, Span("\n", BONUS))
SLOW = step("Nothing| was", 0, Span("\t", CORRECTED), step_s=0.045)
CUT = step("It| does|n't", 1, Span("", PLAIN))
STEPS = [FIRST, REJECTED, WHOLE, SLOW, CUT]


def inspect(
    scenario: Scenario, steps: Sequence[TracedStep] = STEPS, size: tuple[int, int] = NARROW
) -> None:
    async def opened(chat: Chat) -> None:
        await chat.ready()
        screen = Inspector(steps, TITLE)
        await chat.app.push_screen(screen)
        await chat.pilot.pause()
        await scenario(chat, screen)

    drive(opened, FakeEngine(), size)


def styled(chat: Chat, word: str) -> Segment:
    """Return the segment of the last place where a word stands."""
    found = [segment for line in chat.segments() for segment in line if word in segment.text]
    assert found, chat.text
    return found[-1]


# the steps


def test_the_tokens_of_all_steps_make_up_the_answer() -> None:
    xray = Xray(STEPS)
    whole = "".join(span.text for i in range(len(STEPS)) for span in xray.said(i))
    assert whole == "It joins some path components.\n\tIt"
    assert xray.before(len(STEPS), 1000) == whole
    assert xray.tokens == [1, 3, 3, 1, 1]


def test_a_token_says_what_became_of_it() -> None:
    assert [(row.token, row.fate) for row in rows(REJECTED)] == [
        ("␠joins", "accepted"),
        ("␠some", "accepted"),
        ("␠paths", "rejected"),
        ("␠path", "corrected"),
        ("␠quickly", "not tested"),
    ]
    assert [row.fate for row in rows(WHOLE)] == ["accepted", "accepted", "bonus"]
    assert [row.fate for row in rows(FIRST)] == ["plain"]
    assert [row.fate for row in rows(CUT)] == ["accepted", "not needed", "not needed"]


def test_the_first_step_is_left_out_of_what_was_saved() -> None:
    totals = Xray(STEPS).totals
    assert (totals.steps, totals.drafted, totals.accepted) == (5, 11, 5)
    assert totals.plain_s == pytest.approx(0.015 * 8)
    assert totals.saved_s == pytest.approx(0.015 * 8 - 0.105)
    assert Xray(STEPS).gain_s(0) is None
    assert Xray(STEPS).gain_s(3) == pytest.approx(-0.03)


def test_the_next_rejection_is_where_the_target_disagreed() -> None:
    xray = Xray(STEPS)
    assert [xray.next_rejection(i) for i in range(5)] == [1, 3, 3, None, None]


def test_no_more_text_is_gathered_than_has_room() -> None:
    xray = Xray([step("", 0, Span("word ", PLAIN))] * MANY)
    assert xray.before(MANY, 12) == "word word word "


def test_white_space_can_be_seen_and_controls_are_gone() -> None:
    assert token_text(" a b\n\t") == "␠a␠b⏎⇥"
    assert token_text("") == ""
    assert token_text("\x1b") == token_text("\u200b") == REPLACEMENT
    assert "\x1b" not in token_text("\x1b[31mred")
    assert running_text(" a\n") == " a⏎\n"
    assert running_text("  ") == "␠␠"


# the screen


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_head_is_whole_before_any_key_is_pressed(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, _: Inspector) -> None:
        await chat.until(lambda: "step 1 of" in chat.lines[0])
        assert "step 1 of 5" in chat.lines[0]

    inspect(scenario, size=size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_step_shows_its_tokens_its_drafter_and_what_it_cost(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        await chat.until(lambda: chat.shows("step 2 of 5"))
        for text in (
            "4 drafted · 2 accepted · 1 rejected · 1 unused",
            "✓ ␠joins draft model 91 % accepted",
            "✓ ␠some draft model 62 % accepted",
            "✗ ␠paths draft model 33 % rejected",
            "→ ␠path target said instead",
            "· ␠quickly draft model 4 % not tested",
            "It[ joins some path]",
            "20.0 ms for 3 tokens",
            "≈45.0 ms",
            "saved ≈25.0 ms",
            "5 steps 11 drafted 5 accepted saved ≈15 ms of ≈120 ms plain",
        ):
            assert text in "\n".join(" ".join(line.split()) for line in chat.lines), text
        assert not beyond(chat.app.screen)

    inspect(scenario, size=size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_token_that_rounding_may_have_decided_says_so(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        lines = [" ".join(line.split()) for line in chat.lines]
        for text, is_near in (
            ("✓ ␠joins draft model 91 % accepted", False),
            ("✓ ␠some draft model 62 % accepted, near-tie", True),
            ("✗ ␠paths draft model 33 % rejected", False),
            ("→ ␠path target said instead, near-tie", True),
        ):
            line = next(line for line in lines if text in line)
            assert ("near-tie" in line) is is_near

    near = msgspec.structs.replace(REJECTED, near_ties=[1, 2])
    inspect(scenario, [near], size)


def test_a_rejected_token_is_struck_through_and_the_steps_own_are_underlined() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        await chat.pilot.pause()
        for word, struck in (("␠joins", False), ("␠paths", True), ("␠quickly", True)):
            style = styled(chat, word).style
            assert style is not None
            assert bool(style.strike) is struck, word
        own = next(s for line in chat.segments() for s in line if " some" in s.text)
        assert own.style is not None
        assert own.style.underline

    inspect(scenario)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_each_drafter_has_its_colour(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        grounds = []
        for _ in range(2):
            await chat.pilot.press("right")
            await chat.pilot.pause()
            for word in ("target", " lookup " if screen.current == 2 else " draft model "):
                style = styled(chat, word).style
                grounds.append(style.bgcolor if style else None)
        assert len(set(grounds)) == 4  # corrected, draft model, bonus, lookup

    inspect(scenario, size=size)


def test_a_step_that_lost_and_the_first_one_say_so() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        assert chat.shows("the first step also reads the end of the question")
        assert chat.shows(NOT_WORTH_IT)
        await chat.pilot.press("right", "right", "right")
        await chat.until(lambda: chat.shows("lost ≈30.0 ms ≈0.3"))

    inspect(scenario)


def test_keys_go_through_the_answer_and_stop_at_its_ends() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        for keys, index in (
            (["left"], 0),
            (["right", "l", "l"], 3),
            (["h"], 2),
            (["pagedown"], 12),
            (["pageup", "pageup"], 0),
            (["end"], MANY - 1),
            (["right", "pagedown"], MANY - 1),
            (["home"], 0),
        ):
            await chat.pilot.press(*keys)
            assert screen.current == index, keys
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)

    inspect(scenario, [WHOLE] * MANY)


def test_a_key_goes_from_rejection_to_rejection() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        for index in (1, 3, 3):
            await chat.pilot.press("r")
            assert screen.current == index
        assert chat.toasts(NO_REJECTION)

    inspect(scenario)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_click_on_a_bar_goes_to_its_step(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        bars = screen.query_one(StepBars)
        width = bars.content_size.width
        await chat.pilot.click(StepBars, offset=(bars.gutter.left + 17, 1))
        await chat.until(lambda: screen.current == 17)
        screen.current = width
        await chat.pilot.pause()
        await chat.pilot.click(StepBars, offset=(bars.gutter.left + 3, 1))
        await chat.until(lambda: screen.current == width + 3)
        assert bars.shown == range(width, 2 * width)

    inspect(scenario, [WHOLE] * MANY, size)


def test_a_click_beside_the_bars_changes_nothing() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.click(StepBars, offset=(40, 1))
        await chat.pilot.click(StepBars, offset=(3, 0))
        await chat.pilot.pause()
        assert screen.current == 0

    inspect(scenario)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_mark_stands_under_the_current_step(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("end")
        await chat.pilot.pause()
        row = next(y for y, line in enumerate(chat.lines) if "▲" in line)
        column = chat.lines[row].index("▲")
        bars = chat.lines[row - 1]
        assert bars[column] in "▁▂▃▄▅▆▇█"
        assert bars[column + 1 :].strip() == ""
        assert chat.shows(f"to {MANY}")

    inspect(scenario, [WHOLE] * MANY, size)


def test_only_what_is_visible_of_a_long_answer_is_rendered() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("end")
        await chat.pilot.pause()
        for view in (screen.query_one(TextSoFar), screen.query_one(StepBars)):
            assert len(str(view.render())) <= (chat.app.size.width + 1) * view.size.height
        assert chat.shows("⏎")

    inspect(scenario, [WHOLE] * MANY)


def test_a_long_draft_scrolls_and_the_next_step_is_seen_from_its_top() -> None:
    long = step("|".join(f"w{n}" for n in range(40)), 40, Span("end", BONUS))

    async def scenario(chat: Chat, screen: Inspector) -> None:
        table = screen.query_one("#table")
        assert screen.query_one(StepTable).size.height == 41
        await chat.pilot.press(*["down"] * 40)
        await chat.until(lambda: chat.shows("added: bonus"))
        await chat.pilot.press("right")
        await chat.until(lambda: table.scroll_y == 0)

    inspect(scenario, [long, WHOLE])


def test_keys_that_come_within_one_picture_all_scroll() -> None:
    long = step("|".join(f"w{n}" for n in range(40)), 40, Span("end", BONUS))

    async def scenario(chat: Chat, screen: Inspector) -> None:
        for _ in range(3):
            screen.action_scroll_table(1)
        assert screen.query_one("#table").scroll_y == 3

    inspect(scenario, [long])


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_an_answer_without_a_trace_says_so_and_offers_only_the_way_back(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        assert chat.shows(NO_TRACE)
        await chat.pilot.press("right", "r", "end", "pagedown")
        await chat.until(lambda: chat.shows("Esc Back"))
        assert not chat.shows("rejection")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)

    inspect(scenario, [], size)


@pytest.mark.parametrize("size", [*SIZES, (60, 16), (40, 12)])
def test_everything_lies_on_the_screen(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        await chat.pilot.pause()
        assert not beyond(chat.app.screen)
        assert chat.lines[0].strip().startswith("Inspector")
        assert screen.region.contains_region(screen.query_one(Footer).region)
        assert screen.max_scroll_y == 0

    inspect(scenario, size=size)


def test_all_keys_are_in_the_footer_at_80_by_24() -> None:
    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.until(lambda: chat.shows("Esc Back"))
        for key in ("← → Step", "PgUp PgDn Ten", "Home End Ends", "r Next rejection"):
            assert chat.shows(key), key

    inspect(scenario)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_foreign_text_is_harmless_and_no_markup(size: tuple[int, int]) -> None:
    markup = "[bold red]x[/] [@click=app.quit]y[/]"
    hostile = TracedStep(
        [Span("".join(HOSTILE.values()), "lookup"), Span(markup, "[red]drafter")],
        [0.5],
        1,
        Span(markup, "x"),
        1,
        1,
    )

    async def scenario(chat: Chat, screen: Inspector) -> None:
        assert chat.shows(TITLE)
        assert chat.shows("[bold red]x[/]")
        assert not any(ord(character) < 32 for line in chat.lines for character in line)
        assert "\x9b" not in chat.text

    inspect(scenario, [hostile] * 3, size)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "160x50"])
def test_no_color_leaves_marks_brackets_and_underlines(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scenario(chat: Chat, screen: Inspector) -> None:
        await chat.pilot.press("right")
        await chat.pilot.pause()
        assert chat.shows("It[ joins some path]")
        name = styled(chat, "draft model").style
        assert name is not None
        assert name.underline
        struck = styled(chat, "␠paths").style
        assert struck is not None
        assert struck.strike

    inspect(scenario, size=size)
