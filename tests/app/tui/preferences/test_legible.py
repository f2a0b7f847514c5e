"""Whatever theme `/theme` offers is chosen, what is written on a screen can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment
from textual.color import Color

from app.history import History
from app.tui.chat_parts import ChatParts
from app.tui.preferences.legible import GROUNDS, LEAST, TEXTS
from app.tui.preferences.themes import names
from app.tui.screens.block_cursor import BlockCursor
from app.tui.screens.chats import ChatsScreen
from tests.app.tui.driving import WIDE, Chat, app_of, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.preferences.test_themes import ratio

APP = app_of(ChatParts(FakeEngine(), FakeSettings()))
THEMES = [name for name in names(APP) if not APP.available_themes[name].ansi]
SEEN = 2.5
"""What even the hint in an empty field has, which Textual makes pale."""


def ratios(lines: list[list[Segment]]) -> dict[str, float]:
    """Return the contrast of every text on the screen."""
    found: dict[str, float] = {}
    for segment in (segment for line in lines for segment in line):
        text, style = segment.text.strip(), segment.style
        if any(map(str.isalnum, text)) and style and style.color and style.bgcolor:
            colours = map(Color.from_rich_color, (style.color, style.bgcolor))
            found[text] = ratio(*(colour.hex for colour in colours))
    return found


@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read_on_every_ground_and_at_the_cursor(theme: str) -> None:
    app = app_of(ChatParts(FakeEngine(), FakeSettings(), theme=theme))
    shown = app.get_css_variables()
    texts = (*TEXTS, "foreground-muted", "footer-key-foreground")
    least = LEAST if theme not in ("dark", "light") else 3.4  # at the cursor: only the brightest
    for ground in (*GROUNDS, "block-cursor-background"):
        for text in texts:
            assert ratio(shown[text], shown[ground]) >= least, (text, ground)
    row = ratio(shown["block-cursor-foreground"], shown["block-cursor-background"])
    assert row >= LEAST


def test_no_theme_hides_the_footer_the_state_or_what_is_chosen(tmp_path: Path) -> None:
    fake = FakeEngine(Answer(words("One block. There is no more."), pace_s=0.0))

    async def worst(chat: Chat, *needed: str) -> dict[str, dict[str, float]]:
        """Return what cannot be read in each theme; what is needed is on the screen."""
        unread = {}
        for theme in THEMES:
            chat.app.try_theme(theme)
            await chat.pilot.pause()
            found = ratios(chat.segments())
            assert all(any(text in each for each in found) for text in needed), "; ".join(found)
            unread[theme] = {text: ratio for text, ratio in found.items() if ratio < SEEN}
        return {theme: texts for theme, texts in unread.items() if texts}

    async def scenario(chat: Chat) -> None:
        await chat.ask("What is chosen?")
        await chat.answered()
        await chat.pilot.press("alt+up")
        await chat.until(lambda: chat.turns[0].has_class("-selected"))
        assert await worst(chat, "ready", "What is chosen?", "Deselect") == {}
        await chat.pilot.press("escape", "alt+j")
        await chat.until(lambda: isinstance(chat.app.screen, BlockCursor))
        assert await worst(chat, "One", "Next code") == {}
        await chat.pilot.press("escape", "f3")
        await chat.until(lambda: isinstance(chat.app.screen, ChatsScreen))
        await chat.until(lambda: chat.shows("What is chosen?"))
        assert await worst(chat, "What is chosen?", "Open") == {}

    drive(scenario, fake, WIDE, history=History.open(tmp_path / "history.db"))
