"""The chats screen: what is listed, what is found while typing, which chat it is dismissed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import HistoryError
from app.history import History, Hit
from app.tui.chats.chat_feed import PAGE
from app.tui.widgets.chat_browser import ChatBrowser
from app.tui.widgets.chat_preview import ChatPreview
from tests.app.terminal.test_sanitise import HOSTILE
from tests.app.tui.chats_driving import NEVER, Kept, Seen, look
from tests.app.tui.driving import NARROW, SIZES, WIDE, beyond
from tests.app.tui.picture import picture
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])

PATHS, TRICK, FILES = "How do I join two paths?", "What is the trick?", "Rename all files"


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A history without chats."""
    return Kept(tmp_path)


@at_both_sizes
def test_chats_are_listed_newest_first_behind_the_pinned_ones(
    kept: Kept, size: tuple[int, int]
) -> None:
    async def scenario(seen: Seen) -> None:
        assert seen.titles == [PATHS, FILES, TRICK]
        for row in (
            "chat pair asked last",
            f"★ {PATHS} demo 1 2 h",
            f"{FILES} demo 1 now",
            f"● {TRICK} demo 1 1 h",
            "3 chats",
        ):
            assert seen.shows(row), row
        assert seen.highlighted == TRICK

    pinned, current, _ = kept.chats(PATHS, TRICK, FILES)
    kept.history.pin(pinned)
    look(scenario, kept, size, current)


@at_both_sizes
def test_without_chats_it_says_so(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        assert seen.shows("No chats yet.")
        assert not [key for key in ("Open", "Rename", "Pin", "Delete") if key in seen.footer]
        await seen.press("enter", "ctrl+r", "ctrl+p", "ctrl+d", "ctrl+z", "ctrl+e", "delete")
        await seen.press("up", "down", "pageup", "pagedown", "ctrl+home", "ctrl+end")
        assert seen.app.screen is seen.app.chats
        await seen.press("escape")
        await seen.until(lambda: seen.app.result is None)

    look(scenario, kept, size)


@at_both_sizes
def test_typing_finds_and_marks_what_matched(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("pathl")
        await seen.until(lambda: seen.titles == [PATHS])
        await seen.pilot.pause()
        assert seen.shows("1 found")
        assert seen.shows("Answer: Take pathlib for that.")
        assert underlined(seen) == ["pathl"]
        await seen.press("backspace", *"s two")
        await seen.until(lambda: seen.search.value == "paths two")
        await seen.settled()
        assert underlined(seen) == ["two", "paths", "two", "paths"]
        await seen.press("ctrl+u")
        await seen.until(lambda: seen.titles == [TRICK, PATHS])

    kept.chat(PATHS, "Take pathlib for that.")
    kept.chats(TRICK)
    look(scenario, kept, size)


def underlined(seen: Seen) -> list[str]:
    """Return the words on the screen that are marked in the rows."""
    right = seen.app.screen.query_one(ChatBrowser).region.right
    strips = [strip.crop(0, right) for strip in picture(seen.app)[5:]]
    return [s.text for strip in strips for s in strip if s.style and s.style.underline]


def test_what_is_not_found_is_named(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("zebra")
        await seen.until(lambda: seen.shows("Nothing found for “zebra”"))
        seen.search.value = "z" * 90
        await seen.until(lambda: seen.shows("zzz…”"))
        assert not seen.shows("z" * 90)

    kept.chats(PATHS)
    look(scenario, kept)


def test_the_newest_words_win_over_a_slow_search(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []

    def search(history: History, words: str, limit: int, archived: bool) -> list[Hit]:
        searched.append(words)
        return really(history, words, limit, archived)

    really = History.search
    monkeypatch.setattr(History, "search", search)

    async def scenario(seen: Seen) -> None:
        seen.search.value = "rename"
        seen.search.value = "tri"
        seen.search.value = "trick"
        await seen.until(lambda: seen.titles == [TRICK])
        await seen.settled()
        assert searched == ["trick"]

    kept.chats(PATHS, TRICK, FILES)
    look(scenario, kept)


def test_enter_opens_what_the_words_find_however_fast(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        seen.search.value = "join"
        await seen.press("enter")
        await seen.until(lambda: seen.app.result == wanted)
        assert seen.app.result == wanted

    wanted, _, _ = kept.chats(PATHS, TRICK, FILES)
    look(scenario, kept)


@at_both_sizes
def test_arrows_move_and_enter_opens(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("down", "down", "down", "up")
        assert seen.highlighted == TRICK
        await seen.press("enter")
        await seen.until(lambda: seen.app.result == wanted)

    _, wanted, _ = kept.chats(PATHS, TRICK, FILES)
    look(scenario, kept, size)


def test_opening_the_open_chat_changes_nothing(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        assert seen.highlighted == PATHS
        await seen.press("enter")
        await seen.until(lambda: seen.app.result is None)

    current, _ = kept.chats(PATHS, TRICK)
    look(scenario, kept, current=current)


@at_both_sizes
def test_a_click_highlights_and_two_open(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.pilot.click("ChatList", offset=(8, 2))
        await seen.until(lambda: seen.highlighted == PATHS)
        assert seen.app.result == NEVER
        await seen.type("x")
        assert seen.search.value == "x"
        await seen.press("backspace")
        await seen.settled()
        await seen.pilot.click("ChatList", offset=(8, 1), times=2)
        await seen.until(lambda: seen.app.result == wanted)

    _, wanted, _ = kept.chats(PATHS, TRICK, FILES)
    look(scenario, kept, size)


def test_more_is_read_as_one_scrolls(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        assert len(seen.list.rows) == PAGE
        assert seen.shows(f"{PAGE}+ chats")
        await seen.press("pagedown", "pagedown")
        await seen.until(lambda: len(seen.list.rows) == 2 * PAGE)
        place = seen.list.highlighted
        await seen.settled()
        assert seen.list.highlighted == place
        seen.list.scroll_end(animate=False)
        await seen.until(lambda: len(seen.list.rows) == 3 * PAGE)
        await seen.until(lambda: seen.shows(f"{3 * PAGE} chats"))
        await seen.press("ctrl+home")
        assert seen.highlighted == f"question {3 * PAGE - 1}"

    kept.chats(*(f"question {i}" for i in range(3 * PAGE)))
    look(scenario, kept)


def test_the_last_of_all_is_one_key_away(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+end")
        await seen.until(lambda: seen.highlighted == "question 0")
        await seen.until(lambda: seen.shows("question 0 demo"))
        assert not seen.shows(f"question {5 * PAGE - 1} ")

    kept.chats(*(f"question {i}" for i in range(5 * PAGE)))
    look(scenario, kept)


def test_a_wide_screen_previews_the_highlighted_chat(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until(lambda: seen.previews("You What is the trick?"))
        assert seen.previews("demo · 1 question ·")
        await seen.press("down")
        await seen.until(lambda: seen.previews("Answer Take pathlib."))
        assert not seen.previews("secret thought")
        await seen.type("zebra")
        await seen.until(lambda: not seen.previews("Answer"))

    kept.chat(PATHS, "<think>\nsecret thought\n</think>\nTake pathlib.")
    kept.chats(TRICK)
    look(scenario, kept, WIDE)


def test_a_search_previews_where_the_words_stand(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("needle")
        await seen.until(lambda: seen.previews("Answer …hay hay"))
        assert seen.previews("hay the needle is here")
        assert not seen.previews("You What is the trick?")
        await seen.press("ctrl+u")
        await seen.until(lambda: seen.previews("You What is the trick?"))

    kept.chat(TRICK, "hay " * 500 + "the needle is here")
    look(scenario, kept, WIDE)


def test_a_narrow_screen_has_no_preview(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        assert not seen.app.chats.query_one(ChatPreview).display
        await seen.pilot.resize_terminal(*WIDE)
        await seen.until(lambda: seen.previews("You What is the trick?"))

    kept.chats(TRICK)
    look(scenario, kept, NARROW)


def test_a_history_that_cannot_be_read_is_one_line(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(history: History, words: str, limit: int, archived: bool) -> list[Hit]:
        raise HistoryError("Chats cannot be read:\nthe disk \x1b[31mrefuses.")

    monkeypatch.setattr(History, "search", search)

    async def scenario(seen: Seen) -> None:
        await seen.type("x")
        await seen.until(lambda: seen.toasts("Chats cannot be read: the disk [31mrefuses."))
        assert seen.titles == [TRICK]
        await seen.press("backspace", "enter")
        await seen.until(lambda: seen.app.result not in (None, NEVER))

    kept.chats(TRICK)
    look(scenario, kept)


@pytest.mark.parametrize("text", [*HOSTILE.values(), MARKUP], ids=[*HOSTILE.keys(), "markup"])
def test_hostile_text_is_harmless(kept: Kept, text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("needle")
        await seen.until(lambda: len(seen.list.rows) == 1 and seen.shows("You: "))
        assert not any(CONTROL.search(line) for line in seen.lines)
        await seen.until(lambda: seen.shows("1 question"))
        assert not any(CONTROL.search(line) for line in seen.lines)
        assert times(LINK, seen.lines) == 6 * text.count(LINK)

    kept.chats("other")
    kept.chat(f"needle {text}", text, pair=text, title=text)
    assert kept.history.flush()
    look(scenario, kept, WIDE)


@pytest.mark.parametrize("size", [*SIZES, (60, 20), (110, 30), (40, 12), (20, 8)])
def test_everything_lies_on_the_screen_at_any_size(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("文章")
        await seen.settled()
        assert not beyond(seen.app.screen)

    kept.chats("日本語の文章を要約してください。" * 9, "a very long question " * 20)
    look(scenario, kept, size)
