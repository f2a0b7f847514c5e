"""What is done to chats by the keys of their screen: rename, pin, delete, bring back."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from app.tui.widgets.rename import Rename
from tests.app.tui.chats_driving import NEVER, Kept, Seen, look
from tests.app.tui.driving import NARROW, SIZES, WIDE
from tests.app.tui.test_chats_screen import FILES, PATHS, TRICK

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A history of three chats, FILES being the newest."""
    kept = Kept(tmp_path)
    kept.chats(PATHS, TRICK, FILES)
    return kept


KEYS = "⏎ Open ^r Rename ^p Unpin ^d Delete alt+a Archive ^z Undo ^e Export "
LAST = {NARROW: "esc Back", WIDE: "^o Import esc Back ^q Quit"}


@at_both_sizes
def test_the_footer_names_every_key_that_has_room_in_full(
    kept: Kept, size: tuple[int, int]
) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+p", "ctrl+d", "ctrl+p")
        await seen.until(lambda: seen.footer.strip() == KEYS + LAST[size])
        assert "…" not in seen.footer

    look(scenario, kept, size)


@at_both_sizes
@pytest.mark.parametrize("key", ["ctrl+r", "f2"])
def test_a_title_is_typed_in_its_row(kept: Kept, key: str, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("down", key)
        rename = seen.app.chats.query_one(Rename)
        assert rename.has_focus
        assert rename.value == TRICK
        await seen.until(lambda: rename.region.y == seen.list.region.y + 1)
        await seen.until(lambda: seen.footer.strip() == "⏎ Save esc Cancel ^q Quit")
        await seen.type("magic")
        await seen.press("enter")
        await seen.until(lambda: seen.titles == [FILES, "magic", PATHS])
        await seen.settled()
        assert seen.titles == kept.titles == [FILES, "magic", PATHS]
        assert seen.search.has_focus
        assert seen.app.result == NEVER

    look(scenario, kept, size)


def test_an_empty_title_gives_back_the_first_question(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        for typed in ("x", "delete"):
            await seen.press("ctrl+r", typed, "enter")
            await seen.settled()
        assert seen.highlighted == kept.titles[0] == FILES

    look(scenario, kept)


def test_escape_and_the_mouse_keep_the_title(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+r", "x", "escape")
        await seen.until(lambda: seen.search.has_focus)
        await seen.press("ctrl+r", "x")
        await seen.pilot.click("#search")
        await seen.until(lambda: seen.search.has_focus)
        await seen.press("ctrl+r", "x")
        await seen.pilot.click("ChatList", offset=(8, 2))
        await seen.until(lambda: seen.search.has_focus)
        assert not seen.app.chats.query_one(Rename).display
        assert kept.titles == [FILES, TRICK, PATHS]
        assert seen.app.result == NEVER

    look(scenario, kept)


@at_both_sizes
def test_a_title_that_scrolls_out_of_sight_is_kept(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+r", "x")
        seen.list.scroll_end(animate=False)
        await seen.until(lambda: seen.search.has_focus)
        await seen.press("ctrl+home")
        assert seen.highlighted == "question 59"

    kept.chats(*(f"question {i}" for i in range(60)))
    look(scenario, kept, size)


@at_both_sizes
def test_a_pin_moves_the_chat_and_the_highlight_with_it(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("down", "down", "ctrl+p")
        await seen.until(lambda: seen.titles == [PATHS, FILES, TRICK])
        assert seen.highlighted == PATHS
        await seen.until(lambda: seen.shows(f"★ {PATHS}") and "^p Unpin" in seen.footer)
        await seen.press("ctrl+p")
        await seen.until(lambda: seen.titles == [FILES, TRICK, PATHS])
        assert seen.highlighted == PATHS
        await seen.settled()
        assert not seen.shows("★")

    look(scenario, kept, size)


@at_both_sizes
@pytest.mark.parametrize("key", ["ctrl+d", "delete"])
def test_what_is_deleted_comes_back_last_first(kept: Kept, key: str, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        assert "Undo" not in seen.footer
        await seen.press(key, key)
        assert seen.toasts(f"“{TRICK}” is deleted, and kept for 30 days. Ctrl+Z brings it back,")
        await seen.settled()
        assert seen.titles == kept.titles == [PATHS]
        await seen.until(lambda: "^z Undo" in seen.footer)
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.titles == [TRICK, PATHS])
        await seen.press("down", "ctrl+z")
        await seen.until(lambda: seen.titles == [FILES, TRICK, PATHS])
        assert seen.highlighted == FILES
        await seen.until(lambda: "Undo" not in seen.footer)
        await seen.press("ctrl+z")
        assert kept.titles == [FILES, TRICK, PATHS]

    look(scenario, kept, size)


@at_both_sizes
def test_no_key_acts_on_a_chat_that_is_not_seen(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        for y in (45, 60, 30):
            seen.list.scroll_to(y=min(y, seen.list.max_scroll_y), animate=False)
            await seen.pilot.pause()
            await seen.settled()
            await seen.until(lambda: seen.list.y_of_highlighted is not None)
            assert seen.list.scroll_offset.y > 0
            assert seen.shows(f"{seen.highlighted} demo")

    kept.chats(*(f"question {i}" for i in range(150)))
    look(scenario, kept, size)


def test_delete_inside_the_words_deletes_a_letter_and_no_chat(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("trickz")
        await seen.press("left", "delete")
        await seen.until(lambda: seen.titles == [TRICK])
        assert seen.search.value == "trick"
        assert kept.titles == [FILES, TRICK, PATHS]

    look(scenario, kept)


def test_the_open_chat_is_deleted_and_comes_back_like_any_other(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+d")
        assert "current" not in kept.titles
        await seen.press("ctrl+z")
        assert "current" in kept.titles

    (current,) = kept.chats("current")
    look(scenario, kept, current=current)


def test_the_last_chat_deleted_leaves_the_empty_state(tmp_path: Path) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+d")
        await seen.until(lambda: seen.shows("No chats yet."))
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.highlighted == PATHS and not seen.shows("No chats yet."))
        assert [chat.title for chat in kept.history.chats()] == [PATHS]

    kept = Kept(tmp_path / "one")
    kept.chats(PATHS)
    look(scenario, kept)


def test_what_the_disk_does_not_take_is_said(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(seen: Seen) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(History, "flush", lambda self, timeout_s: False)
            await seen.press("ctrl+p")
            await seen.until(lambda: seen.toasts("not on the disk yet"))
        assert seen.highlighted, "the list stays"

    look(scenario, kept)
