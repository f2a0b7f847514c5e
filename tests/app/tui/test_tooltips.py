"""What the mouse rests on is explained, in the words of the help."""

from __future__ import annotations

import pytest
from textual.widgets._footer import FooterKey

from app.tui.actions import ACTIONS
from app.tui.figures.figure_tips import meaning
from app.tui.screens.inspector import Inspector
from app.tui.widgets.panel import Panel
from app.tui.widgets.strip import Strip
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

JOIN = words("It joins paths.")


@pytest.mark.parametrize(
    ("text", "column", "begins"),
    [
        ("  545 tok/s", 2, "How many tokens"),
        ("≈6.1\N{MULTIPLICATION SIGN} plain", 0, "The speed-up"),
        ("accept  95 %", 9, "Of the guessed tokens that the model checked"),
        ("acceptance length     5.75", 20, "How many tokens one step"),
        ("lookup   corrected   bonus  plain", 1, "Found in what was said"),
        ("lookup   corrected   bonus  plain", 10, "The guess was wrong"),
        ("lookup   corrected   bonus  plain", 29, "Written by the model with no guess"),
    ],
)
def test_a_figure_is_explained_where_it_is_named(text: str, column: int, begins: str) -> None:
    assert (meaning(text, column) or "").startswith(begins)


def test_what_names_no_figure_is_not_explained() -> None:
    assert meaning("───────", 3) is None and meaning("", 0) is None


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_figures_under_the_mouse_are_explained_and_a_click_shows_the_steps(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        name = "accept " if size == NARROW else "acceptance rate"
        kind = Strip if size == NARROW else Panel
        await chat.until(lambda: chat.shows(name.strip()))
        row, line = next((y, line) for y, line in enumerate(chat.lines) if name in line)
        column = line.rindex(name)
        await chat.pilot.hover(offset=(column, row))
        tip = "Of the guessed tokens"
        await chat.until(lambda: str(chat.screen.query_one(kind).tooltip).startswith(tip))
        await chat.pilot.click(offset=(column, row))
        await chat.until(lambda: isinstance(chat.app.screen, Inspector))
        assert len(chat.app.screen_stack) == 2

    drive(scenario, FakeEngine(Answer(JOIN)), size)


def test_each_key_of_the_footer_says_in_a_sentence_what_it_does() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: "Models" in chat.lines[-1] or "Help" in chat.lines[-1])
        keys = [key for key in chat.screen.query(FooterKey) if key.action.startswith("act(")]
        tips = {key.description: str(key.tooltip) for key in keys}
        assert tips["Help"] == "Keys, commands, what the figures mean."
        for tip in tips.values():
            assert tip.rstrip(".").lower() in {one.about.lower() for one in ACTIONS.values()}

    drive(scenario, FakeEngine(), WIDE)
