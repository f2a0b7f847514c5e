"""The footers of the screens beside the chat show whole keys, and the way back at any width."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding

from app.tui.screens.help import HelpScreen
from app.tui.screens.inspector import Inspector
from app.tui.widgets.screen_footer import Part, fitted
from tests.app.tui.alone import Seen, drive
from tests.app.tui.chats_driving import Kept, look
from tests.app.tui.chats_driving import Seen as SeenChats
from tests.app.tui.test_help_screen import SECTIONS
from tests.app.tui.test_inspector import STEPS

AT_ALL_WIDTHS = pytest.mark.parametrize("width", [30, 60, 80, 160])
CHATS = "⏎ Open ^r Rename ^p Pin ^d Delete alt+a Archive ^e Export ^o Import esc Back ^q Quit"
STEPPING = "← → Step r Next rejection PgUp PgDn Ten Home End Ends Esc Back"
HELP = "↑ Up ↓ Down pgup Page up pgdn Page down ^u Clear esc Back"
PARTS = {
    CHATS: "⏎ Open|^r Rename|^p Pin|^d Delete|alt+a Archive|^e Export|^o Import|esc Back|^q Quit",
    STEPPING: "← → Step|r Next rejection|PgUp PgDn Ten|Home End Ends|Esc Back|^q Quit",
    HELP: "↑ Up|↓ Down|pgup Page up|pgdn Page down|^u Clear|esc Back|^q Quit",
}


def is_whole(footer: str, keys: str, width: int) -> bool:
    """Whether it is as many of the keys, whole and in order, as there is room for."""
    shown, parts = footer.strip(), PARTS[keys].split("|")
    back = next(part for part in parts if part.lower().startswith("esc"))
    kept = list(parts)
    for part in reversed(parts):
        if len(" ".join(kept)) > width and part != back:
            kept.remove(part)
    return shown in (" ".join(kept), " ".join(part for part in kept if part != "^q Quit"))


@AT_ALL_WIDTHS
def test_the_inspector_shows_whole_keys(width: int) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until(lambda: is_whole(seen.footer, STEPPING, width))
        assert "Esc Back" in seen.footer

    drive(Inspector(STEPS, "A question?"), scenario, (width, 20))


@AT_ALL_WIDTHS
def test_the_help_shows_whole_keys(width: int) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until(lambda: is_whole(seen.footer, HELP, width))
        assert "esc Back" in seen.footer

    drive(HelpScreen(SECTIONS), scenario, (width, 20))


@AT_ALL_WIDTHS
def test_the_chats_show_whole_keys(width: int, tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.chats("How do I join two paths?")

    async def scenario(seen: SeenChats) -> None:
        await seen.until(lambda: is_whole(seen.footer, CHATS, width))
        assert "esc Back" in seen.footer

    look(scenario, kept, (width, 20))


def test_the_last_keys_go_first_and_the_way_back_never() -> None:
    parts = [
        Part(((Binding(key, "do"), key),), word)
        for key, word in (("a", "One"), ("b", "Two"), ("escape", "Back"), ("c", "Four"))
    ]
    shown = [" ".join(part.word for part in fitted(parts, width)) for width in (99, 25, 19, 1)]
    assert shown == ["One Two Back Four", "One Two Back", "One Back", "Back"]
