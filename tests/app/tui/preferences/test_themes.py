"""Themes: what is written can be read in each, and colour is never all that says something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from app.history import History
from app.tui.chat_parts import ChatParts
from app.tui.preferences.themes import ANSI, CONTRAST, DARK, LIGHT, THEMES
from app.tui.screens.file_ask import ExportScreen
from app.tui.terminal.painting import Colourless, Grounds
from tests.app.tui.driving import WIDE, Chat, app_of, opened
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, Span

AA, AAA = 4.5, 7.0
EXPLICIT = [(DARK, AA), (LIGHT, AA), (CONTRAST, AAA)]
GROUNDS = ("background", "surface", "panel")
STATES = ("primary", "secondary", "accent", "success", "warning", "error")
ORIGINS = ("lookup", "draft_model", "corrected", "bonus", "eagle3")
SPANS = [Span("plain. ", "plain"), *(Span(f"by-{name} ", name) for name in ORIGINS)]
ROW = "/persona [NAME]"


def luminance(colour: Color) -> float:
    """As WCAG 2.2 defines it."""
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def ratio(text: str, ground: str) -> float:
    lights = sorted(luminance(Color.parse(colour)) for colour in (text, ground))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def painted(theme: Theme) -> dict[str, str]:
    """Return the theme's colours as the style sheets see them."""
    return {**theme.to_color_system().generate(), **theme.variables}


@pytest.mark.parametrize(("theme", "least"), EXPLICIT, ids=[t.name for t, _ in EXPLICIT])
def test_texts_stand_out_from_every_ground(theme: Theme, least: float) -> None:
    colours = painted(theme)
    texts = ("foreground", "foreground-muted", *STATES)
    for ground in GROUNDS:
        for text in texts:
            found = ratio(colours[text], colours[ground])
            assert found >= least, (text, ground, found)


@pytest.mark.parametrize(("theme", "least"), EXPLICIT, ids=[t.name for t, _ in EXPLICIT])
def test_texts_stand_out_from_marked_words_and_rows(theme: Theme, least: float) -> None:
    colours = painted(theme)
    marked = [name for name in colours if name.startswith("origin-")]
    marked += ["block-cursor-background", "block-cursor-blurred-background"]
    assert len(marked) == 7
    for ground in marked:
        found = ratio(colours["foreground"], colours[ground])
        assert found >= least, (ground, found)


def test_black_and_white_and_equal_colours_have_the_ratios_of_the_standard() -> None:
    assert ratio("#000000", "#ffffff") == pytest.approx(21.0)
    assert ratio("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert ratio("#123456", "#123456") == 1.0


# as they are painted


def play(scenario: Callable[[Chat], Awaitable[None]], theme: str = DARK.name) -> None:
    """Ask and play the scenario on the answer, while a list is open over the prompt."""

    async def run() -> None:
        fake = FakeEngine(Answer(SPANS))
        app = app_of(ChatParts(fake, FakeSettings(), theme=theme))
        async with app.run_test(size=WIDE) as pilot:
            chat = await opened(app, pilot, fake)
            await chat.ready()
            await chat.ask("question")
            await chat.answered()
            await pilot.press(*"/pers")
            await chat.until(lambda: chat.shows(ROW))
            await scenario(chat)

    asyncio.run(run())


def colours(chat: Chat) -> set[RichColor]:
    styles = [segment.style for line in chat.segments() for segment in line if segment.style]
    return {one for style in styles for one in (style.color, style.bgcolor) if one is not None}


def style_of(chat: Chat, text: str) -> Style:
    for line in chat.segments():
        for segment in line:
            if text in segment.text and segment.style is not None:
                return segment.style
    raise AssertionError(f"{text!r} is not on the screen:\n{chat.text}")


def said_without_colour(chat: Chat, text: str) -> tuple[bool, ...]:
    style = style_of(chat, text)
    return tuple(map(bool, (style.bold, style.italic, style.underline, style.reverse)))


def unsaid(chat: Chat) -> list[str]:
    """Return what only colour says, of origins, highlighted row and state."""
    ways = {said_without_colour(chat, f"by-{name}") for name in ORIGINS}
    ways.add(said_without_colour(chat, "plain."))
    legend, word = (said_without_colour(chat, text) for text in (" lookup ", "by-lookup"))
    facts = {
        "each origin": len(ways) == len(ORIGINS) + 1,
        "the legend": legend == word,
        "the highlighted row": bool(style_of(chat, ROW).reverse),
        "what is not highlighted": not style_of(chat, "question").reverse,
        "the state": chat.shows("● ready"),
    }
    return [fact for fact, is_said in facts.items() if not is_said]


def is_colourless(chat: Chat) -> bool:
    return all(colour.is_default for colour in colours(chat))


@pytest.mark.parametrize("theme", [*(each.name for each in THEMES), "nord"])
def test_without_colour_nothing_is_coloured_and_all_is_said(
    theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scenario(chat: Chat) -> None:
        assert is_colourless(chat)
        assert unsaid(chat) == []

    play(scenario, theme)


def test_an_empty_no_color_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")

    async def scenario(chat: Chat) -> None:
        assert not is_colourless(chat)
        found = {colour.triplet for colour in colours(chat)}
        assert RichColor.parse(DARK.primary).triplet in found

    play(scenario)


def test_the_ansi_theme_paints_with_the_terminals_own_colours_alone() -> None:
    async def scenario(chat: Chat) -> None:
        kinds = {colour.type for colour in colours(chat)}
        assert kinds == {ColorType.DEFAULT, ColorType.STANDARD}
        assert unsaid(chat) == []

    play(scenario, ANSI.name)


def test_every_theme_can_follow_every_other_while_the_app_runs() -> None:
    async def scenario(chat: Chat) -> None:
        for theme in (ANSI, LIGHT, ANSI, CONTRAST, DARK):
            chat.app.theme = theme.name
            await chat.pilot.pause()
            kinds = {colour.type for colour in colours(chat)}
            assert (ColorType.TRUECOLOR in kinds) is not theme.ansi, theme.name

    play(scenario)


def test_what_has_a_ground_of_its_own_is_painted_in_reverse() -> None:
    parsed = Style.parse
    line = [Segment("a", parsed("red on blue dim")), Segment("b", parsed("green")), Segment("c")]
    shown = Grounds().apply(line, Color(0, 0, 0))
    assert [segment.text for segment in shown] == ["a", "b", "c"]
    first, second, third = (segment.style for segment in shown)
    assert first is not None and first.reverse and not first.dim
    assert first.color == first.bgcolor == RichColor.default()
    assert (second, third) == (parsed("green"), None)
    bare = Colourless().apply(shown, Color(0, 0, 0))
    assert bare[1].style is not None and bare[1].style.color == RichColor.default()
    assert bare[2].style is None


@pytest.mark.parametrize(("severity", "word"), [("warning", "Warning"), ("error", "Error")])
def test_what_is_serious_is_said_by_a_word_too(severity: str, word: str) -> None:
    async def scenario(chat: Chat) -> None:
        chat.screen.notify("look out", severity=severity)  # type: ignore[arg-type]
        await chat.until(lambda: chat.toasts(f"{word} look out"))
        assert chat.toasts(f"{word} look out")

    play(scenario)


def test_focus_is_seen_in_every_theme() -> None:
    async def scenario(chat: Chat, theme: str) -> None:
        chat.app.theme = theme
        chat.prompt.focus()
        await chat.pilot.pause()
        with_focus = str(chat.segments())
        chat.screen.set_focus(None)
        await chat.pilot.pause()
        assert str(chat.segments()) != with_focus

    for theme in THEMES:
        play(partial(scenario, theme=theme.name))


def test_with_high_contrast_nothing_is_made_paler() -> None:
    async def scenario(chat: Chat) -> None:
        turn = chat.turns[0]
        turn.add_class("-left-out")
        await chat.pilot.pause()
        assert turn.styles.opacity == 1.0

    play(scenario, CONTRAST.name)


def test_what_is_chosen_among_several_has_a_shape_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    history = History.open(tmp_path / "history.db")

    async def scenario(chat: Chat) -> None:
        chat.app.push_screen(ExportScreen(history, 1, "A chat"))
        await chat.until(lambda: chat.shows("▐●▌ Markdown") and chat.shows("▐○▌ JSON"))
        await chat.pilot.press("tab", "down", "enter")
        await chat.until(lambda: chat.shows("▐●▌ JSON"))
        assert chat.shows("▐○▌ Markdown")

    play(scenario)
    history.close()
