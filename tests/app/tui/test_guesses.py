"""Guessed words are coloured inside the rendered text, until the reader switches that off."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem

from app.tui.preferences.themes import ORIGINS_CONTRAST, ORIGINS_DARK, ORIGINS_LIGHT
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, Span

SOURCE = [
    Span("Plain, **gues", "plain"),
    Span("sed** and `drafted`", "lookup"),
    Span(" words", "draft_model"),
    Span(".\n\n```python\nimport ", "corrected"),
    Span("bisect", "bonus"),
    Span("\n```\n\n- one ", "plain"),
    Span("item", "eagle3"),
    Span("\n\n| a | b |\n|---|---|\n| cell ", "plain"),
    Span("ghost", "lookup"),
    Span(" | d |\n", "plain"),
]


def backgrounds(chat: Chat, word: str) -> set[Color | None]:
    """Return the background colours of a word's characters, where it first stands."""
    for line in chat.segments():
        cells = [(c, s.style.bgcolor if s.style else None) for s in line for c in s.text]
        start = "".join(character for character, _ in cells).find(word)
        if start >= 0:
            return {colour for _, colour in cells[start : start + len(word)]}
    raise AssertionError(f"{word!r} is not on the screen:\n{chat.text}")


def only(colours: set[Color | None]) -> Color | None:
    (colour,) = colours
    return colour


async def coloured(chat: Chat) -> None:
    """Assert that each origin has its own colour."""
    plain = only(backgrounds(chat, "Plain"))
    lookup = only(backgrounds(chat, "and"))
    model = only(backgrounds(chat, "words"))
    assert len({plain, lookup, model}) == 3
    assert only(backgrounds(chat, "sed")) == lookup
    assert only(backgrounds(chat, "gues")) == plain


@pytest.mark.parametrize("theme", ["dark", "light", "contrast", "textual-light"])
def test_each_origin_has_its_colour_while_streaming_and_when_done(theme: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.app.theme = theme
        await chat.ask("question")
        await chat.until(lambda: chat.shows("drafted words"))
        await coloured(chat)
        streaming = only(backgrounds(chat, "words"))
        chat.engine.release()
        await chat.answered()
        await coloured(chat)
        assert only(backgrounds(chat, "words")) == streaming

    drive(scenario, FakeEngine(Answer(SOURCE, hold_after=3)), (80, 40))


def test_code_lists_and_tables_are_coloured_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert backgrounds(chat, "import ") != backgrounds(chat, "bisect")
        assert only(backgrounds(chat, "one")) != only(backgrounds(chat, "item"))
        assert only(backgrounds(chat, "cell")) != only(backgrounds(chat, "ghost"))

    drive(scenario, FakeEngine(Answer(SOURCE)), (80, 60))


def test_the_key_switches_the_colours_off_and_on() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await coloured(chat)
        await chat.pilot.press("ctrl+g")
        await chat.pilot.pause()
        assert backgrounds(chat, "Plain") == backgrounds(chat, "words")
        assert backgrounds(chat, "import ") == backgrounds(chat, "bisect")
        await chat.pilot.press("ctrl+g")
        await chat.pilot.pause()
        await coloured(chat)

    drive(scenario, FakeEngine(Answer(SOURCE)), (80, 60))


def test_the_legend_names_this_pairs_drafters() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        legend = "lookup draft model corrected bonus plain"
        await chat.until(lambda: chat.shows(legend))
        assert chat.shows(legend)

    drive(scenario, FakeEngine())


def test_colours_survive_a_change_of_theme() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        before = backgrounds(chat, "words")
        await chat.pilot.press("ctrl+t")
        await chat.pilot.pause()
        await coloured(chat)
        assert backgrounds(chat, "words") != before
        assert backgrounds(chat, "import ") != backgrounds(chat, "bisect")

    drive(scenario, FakeEngine(Answer(SOURCE)), (80, 60))


@pytest.mark.parametrize("grounds", [ORIGINS_DARK, ORIGINS_LIGHT, ORIGINS_CONTRAST])
def test_origins_stay_apart_where_there_are_256_colours(grounds: dict[str, str]) -> None:
    shown = {Color.parse(c).downgrade(ColorSystem.EIGHT_BIT).number for c in grounds.values()}
    assert len(shown) == len(grounds)
