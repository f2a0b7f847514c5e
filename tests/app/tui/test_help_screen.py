"""The help: what is handed in and what is ours, all of it found by typing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from textual.content import Content

from app.prompts.slash import SLASHES
from app.tui.help.words import COLOURS, FIGURES, Entry, Section
from app.tui.screens.help import HelpScreen, laid_out
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.alone import Seen, drive
from tests.app.tui.driving import SIZES
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times

HEAVY = (
    *("numpy", "llama_cpp", "huggingface_hub", "jinja2", "pydantic"),
    *("requests", "urllib3", "gguf"),
)
SECTIONS = [
    Section(
        "Keys",
        (
            Entry("Enter", "sends"),
            Entry("Ctrl+G", "colours each word by who guessed it", also="hues"),
        ),
    ),
    Section("Commands", tuple(Entry(slash.usage, slash.help) for slash in SLASHES)),
]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_keys_come_first_and_the_footer_shows_the_way_back(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Enter sends")
        await seen.until(lambda: "esc Back" in seen.footer)
        assert "Keys" in " ".join(seen.lines[:6])
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    drive(HelpScreen(SECTIONS), scenario, size)


@pytest.mark.parametrize(
    "typed, found, hidden",
    [
        ("acceptance", "acceptance length", "Enter"),
        ("TOKENS/S", "pieces of words", "speed-up"),
        ("hues", "colours each word", "sends"),
        ("/temp", "the temperature", "/seed"),
        ("corrected", "the model put its own word", "lookup"),
        ("keys enter", "sends", "Ctrl+G"),
        ("settings.toml", "What holds for every chat", "personas.toml"),
    ],
)
def test_typing_narrows_it_to_what_has_all_the_words(typed: str, found: str, hidden: str) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press(*typed)
        await seen.until(lambda: seen.shows(found) and not seen.shows(hidden))
        await seen.press("ctrl+u")
        await seen.until_shown("Enter sends")
        assert seen.shows("Ctrl+G colours each word")

    drive(HelpScreen(SECTIONS), scenario)


def test_what_is_not_there_is_said() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press(*"xyzzy")
        await seen.until_shown("Nothing here says 'xyzzy'.")
        assert not seen.shows("Enter sends")

    drive(HelpScreen(SECTIONS), scenario)


def test_the_keys_scroll_while_the_filter_has_the_focus() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Enter sends")
        body = seen.app.shown.query_one("#body")
        await seen.press("down")
        await seen.until(lambda: body.scroll_y == 1)
        await seen.press("pagedown")
        await seen.until(lambda: body.scroll_y > 10)
        assert not seen.shows("Enter sends")
        await seen.press("pageup", "up")
        await seen.until(lambda: body.scroll_y == 0)
        await seen.until_shown("Enter sends")

    drive(HelpScreen(SECTIONS), scenario)


def test_keys_that_come_within_one_picture_all_scroll() -> None:
    async def scenario(seen: Seen) -> None:
        screen = seen.app.shown
        for _ in range(3):
            screen.action_scroll_lines(1)
        assert screen.query_one("#body").scroll_y == 3

    drive(HelpScreen(SECTIONS), scenario)


def test_every_figure_and_every_origin_is_explained() -> None:
    figures = {entry.word for entry in FIGURES.entries}
    assert figures >= {"tokens/s, tok/s", "plain decoding, plain", "acceptance rate, accept"}
    assert figures >= {"acceptance length, length", "draft length, draft", "near-ties"}
    origins = {entry.word: entry.style for entry in COLOURS.entries}
    assert set(origins) == {"lookup", "draft model", "drafter", "corrected", "bonus", "plain"}
    assert [word for word, style in origins.items() if not style] == ["plain"]


@pytest.mark.parametrize("width", [0, 5, 20, 40, 80, 200])
def test_no_word_is_lost_and_no_line_too_long_at_any_width(width: int) -> None:
    text = laid_out([FIGURES, COLOURS], width)
    for entry in (*FIGURES.entries, *COLOURS.entries):
        assert "".join(entry.meaning.split()) in "".join(text.plain.split())
    if width >= 40:
        assert max(map(len, text.plain.split("\n"))) <= width


@pytest.mark.parametrize(
    "text", [*HOSTILE_AT_ONCE.values(), MARKUP], ids=[*HOSTILE_AT_ONCE.keys(), "markup"]
)
def test_hostile_text_is_harmless(text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("after")
        assert not any(CONTROL.search(line) for line in seen.lines)
        assert times(LINK, seen.lines) == 3 * text.count(LINK)

    hostile = Section(text, (Entry(text, text), Entry("after", "x")))
    drive(HelpScreen([hostile]), scenario, (120, 40))


@pytest.mark.parametrize("name", ["help", "doctor", "bench", "settings"])
def test_importing_a_screen_loads_nothing_heavy(name: str) -> None:
    script = (
        f"import sys, app.tui.screens.{name}; print(*(m for m in sys.argv[1:] if m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *HEAVY], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def folds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that each width is added to for which the help is folded."""
    widths = []

    def folded(sections: Sequence[Section], width: int) -> Content:
        widths.append(width)
        return laid_out(sections, width)

    monkeypatch.setattr("app.tui.screens.help.laid_out", folded)
    return widths


def test_nothing_is_folded_before_there_is_a_width(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = folds(monkeypatch)

    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Enter sends")
        assert min(widths) > 60

    drive(HelpScreen(SECTIONS), scenario, SIZES[0])


@pytest.mark.parametrize("width", [60, 79, 80, 90, 100, 160])
def test_the_first_fold_leaves_room_for_the_scrollbar(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths = folds(monkeypatch)

    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Enter sends")
        await seen.pilot.pause()
        body = seen.app.shown.query_one("#body")
        assert body.show_vertical_scrollbar
        assert {min(100, body.scrollable_content_region.width)} == set(widths)

    drive(HelpScreen(SECTIONS), scenario, (width, 24))


def test_help_about_a_command_is_narrowed_to_it() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("/temp")
        assert "Ctrl+G" not in " ".join(seen.lines)

    drive(HelpScreen(SECTIONS, "/temp"), scenario, SIZES[0])
