"""What the colours of words mean is said where they are first seen, and when they are switched."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from app.tui.figures import legend
from app.tui.figures.legend import HIDDEN
from app.tui.help.words import COLOURS, FIGURES
from app.tui.keys.keymap import DEFAULT
from app.tui.screens.help import HelpScreen
from tests.app.tui.branching import act
from tests.app.tui.driving import SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, stats_at, words

LEGEND, SHOWN = map(DEFAULT.told, (legend.LEGEND, legend.SHOWN))
GUESSED = words("It joins one or more path segments.")
PLAIN = words("It joins one or more path segments.", ("plain",))


def test_a_narrow_chat_explains_colours_below_the_first_answer_that_has_some_and_once() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        assert not chat.shows(LEGEND)
        await chat.ask("second")
        await chat.answered(2)
        await chat.until(lambda: chat.shows(LEGEND))
        assert any(LEGEND in line for line in chat.lines), "it is one line"
        await chat.ask("third")
        await chat.answered(3)
        assert sum("who guessed each word" in line for line in chat.lines) <= 1

    drive(scenario, FakeEngine(Answer(PLAIN), Answer(GUESSED)))


def test_colours_are_explained_below_the_answer_that_has_them_and_not_below_what_waits() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: len(chat.turns) == 2)
        chat.engine.release()
        await chat.answered(2)
        page = chat.turns[0].parent
        assert page is not None
        below = page.children[page.children.index(chat.turns[0]) + 1]
        assert LEGEND in str(below.visual), "it is no part of the second turn"

    drive(scenario, FakeEngine(Answer(GUESSED, hold_after=2), Answer(GUESSED)))


def test_the_line_about_colours_goes_with_its_answer_and_comes_with_the_next() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        await chat.until(lambda: chat.shows(LEGEND))
        await act(chat, "undo")
        await chat.until(lambda: not chat.turns and chat.shows("Try one of these"))
        assert not chat.shows("who guessed each word")
        await chat.pilot.press("enter")
        await chat.answered()
        await chat.until(lambda: chat.shows(LEGEND))

    drive(scenario, FakeEngine(Answer(GUESSED)))


def test_the_line_about_colours_is_there_as_long_as_they_are() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.answered()
        for is_there in (True, False, True):
            await chat.until(lambda: chat.shows(LEGEND) == is_there)  # noqa: B023
            await chat.pilot.press("ctrl+g")
            await chat.until(lambda: chat.screen.guesses != is_there)  # noqa: B023
        assert not chat.screen.guesses

    drive(scenario, FakeEngine(Answer(GUESSED)))


def test_a_wide_chat_has_the_legend_beside_the_words() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        rows = [line[-31:] for line in chat.lines]
        by, own = (
            next(at for at, row in enumerate(rows) if text in row)
            for text in ("guessed by", "word of the model's own")
        )
        assert "kept of drafted" in rows[by]
        assert "lookup" in rows[by + 1] and "draft model" in rows[by + 2]
        assert own == by + 3
        assert all(word in rows[own + 1] for word in ("corrected", "bonus", "plain"))
        assert not chat.shows(LEGEND)

    drive(scenario, FakeEngine(Answer(GUESSED)), WIDE)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_switching_the_colours_says_what_it_did(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+g")
        await chat.until(lambda: chat.toasts(HIDDEN))
        await chat.pilot.press("ctrl+g")
        await chat.until(lambda: chat.toasts(SHOWN))
        assert len(chat.app._notifications) == 1

    drive(scenario, FakeEngine(), size)


def test_without_colours_there_is_nothing_to_explain() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+g")
        await chat.ask("question")
        await chat.answered()
        assert not chat.shows("who guessed each word")

    drive(scenario, FakeEngine(Answer(GUESSED)))


def test_every_figure_of_a_narrow_screen_is_explained_under_the_name_that_it_has_there() -> None:
    explained = {name for entry in FIGURES.entries for name in entry.word.split(", ")}
    shown = {"tok/s", "plain", "accept", "length", "draft", "TTFT", "context", "by place"}
    assert shown <= explained
    assert {entry.word for entry in COLOURS.entries} >= {"corrected", "bonus", "plain"}

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert all(chat.shows(name) for name in shown)

    drive(scenario, FakeEngine(Answer(GUESSED)))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_near_ties_are_told_only_where_there_are_some(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert not chat.shows("near-ties")
        stats = replace(stats_at(2), near_ties=[4, 9])
        chat.screen.figures = chat.screen.figures.ended(stats, 30)
        await chat.until(lambda: chat.shows("near-ties 2"))

    drive(scenario, FakeEngine(Answer(GUESSED)), size)


NEWCOMERS = {
    "mouse": "F4",
    "select": "Drag to select",
    "quit": "Ctrl+Q",
    "exit": "Ctrl+Q",
    "copy": "Ctrl+K",
    "code": "Alt+K",
    "ctrl+t": "light and dark",
    "ctrl+p": "All commands",
    "ctrl+c": "pressed twice, quits",
    "up": "typed before",
    "enter": "Sends",
    "shift+enter": "A new line",
    "speed": "Ctrl+X",
    "history": "F3",
}


def test_the_help_of_the_chat_knows_every_key_by_what_a_newcomer_calls_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f1")
        await chat.until(lambda: isinstance(chat.app.screen, HelpScreen))
        box = chat.app.screen.query_one(Input)
        for typed, found in NEWCOMERS.items():
            box.value = "xyzzy"
            await chat.until(lambda: chat.shows("Nothing here says 'xyzzy'"))
            box.value = typed
            await chat.until(lambda found=found: chat.shows(found))  # type: ignore[misc]
            assert not chat.shows("Nothing here says"), typed

    drive(scenario, FakeEngine(), WIDE)
