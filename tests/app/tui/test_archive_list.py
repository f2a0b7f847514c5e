"""The archive in the list of chats: one key puts a chat there and brings it back, one shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import BroughtIn
from app.tui.chats.chat_feed import PAGE
from app.tui.chats.chat_files import told_of_import
from app.tui.widgets.chat_browser import ChatBrowser
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.driving import SIZES
from tests.app.tui.test_chats_screen import FILES, PATHS, TRICK

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A history of three chats, FILES being the newest."""
    kept = Kept(tmp_path)
    kept.chats(PATHS, TRICK, FILES)
    return kept


def archived(kept: Kept) -> list[str]:
    assert kept.history.flush()
    return [chat.title for chat in kept.history.chats(archived=True)]


async def show_archive(seen: Seen) -> None:
    await seen.press("tab")
    await seen.until(lambda: seen.lines[0].startswith(" Archive"))
    await seen.settled()


@at_both_sizes
def test_one_key_archives_a_chat_and_brings_it_back(kept: Kept, size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        assert not seen.shows("archived:")
        await seen.press("down", "alt+a")
        assert seen.toasts(f"“{TRICK}” is archived. Ctrl+Z brings it back, Tab shows the archive.")
        await seen.until(lambda: seen.titles == [FILES, PATHS] and seen.highlighted == PATHS)
        assert (kept.titles, archived(kept)) == ([FILES, PATHS], [TRICK])
        await seen.until(lambda: seen.shows("2 chats · 1 archived: Tab"))
        await show_archive(seen)
        assert seen.titles == [TRICK] and seen.shows("1 chat · the others: Tab")
        await seen.until(lambda: "alt+a Bring back" in seen.footer)
        await seen.press("alt+a")
        assert seen.toasts(f"“{TRICK}” is among the chats again.")
        await seen.until(lambda: seen.shows("No chat is archived. Tab shows the others."))
        assert (kept.titles, archived(kept)) == ([FILES, TRICK, PATHS], [])
        await seen.press("tab")
        await seen.until(lambda: seen.titles == [FILES, TRICK, PATHS])
        assert seen.lines[0].startswith(" Chats")
        await seen.until(lambda: seen.lines[4].split()[0] == "chat")

    look(scenario, kept, size)


def test_what_was_put_away_comes_back_last_first_into_its_list(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("alt+a")
        await seen.until(lambda: seen.titles == [TRICK, PATHS])
        await seen.press("ctrl+d")
        await seen.until(lambda: seen.titles == [PATHS])
        await show_archive(seen)
        await seen.press("ctrl+d")
        await seen.until(lambda: seen.titles == [])
        assert archived(kept) == [] and kept.history.n_deleted() == 2
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.titles == [FILES])
        assert archived(kept) == [FILES]
        await seen.press("alt+a")
        await seen.until(lambda: seen.titles == [])
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.titles == [FILES])
        assert archived(kept) == [FILES]
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.titles == [TRICK, PATHS] and seen.highlighted == TRICK)
        await seen.press("ctrl+z")
        await seen.until(lambda: seen.titles == [FILES, TRICK, PATHS])
        await seen.until(lambda: "Undo" not in seen.footer)
        assert (kept.titles, archived(kept)) == ([FILES, TRICK, PATHS], [])

    look(scenario, kept)


def test_keys_work_at_once_on_what_was_just_put_away(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        feed = seen.app.chats.query_one(ChatBrowser)._feed
        feed._pause_s = 0.3
        await seen.press("alt+a", "tab")
        await seen.until(lambda: seen.titles == [FILES] and seen.lines[0].startswith(" Archive"))
        await seen.press("ctrl+d", "ctrl+g")
        await seen.until(lambda: seen.app.screen is not seen.app.chats)
        await seen.until(lambda: seen.shows(FILES))
        assert seen.app.screen is not seen.app.chats

    look(scenario, kept)


@pytest.mark.parametrize(("n", "many"), [(PAGE, f"{PAGE}"), (PAGE + 1, f"{PAGE}+")])
def test_many_that_are_found_in_the_archive_are_not_counted(
    tmp_path: Path, n: int, many: str
) -> None:
    kept = Kept(tmp_path)
    kept.chats(*(f"trick {at}" for at in range(n)))
    for info in kept.history.chats(n):
        kept.history.archive(info.id)

    async def scenario(seen: Seen) -> None:
        await seen.type("trick")
        await seen.until(lambda: seen.shows(f"Nothing found for “trick” {many} found in the"))
        assert seen.titles == []

    look(scenario, kept)


def test_words_are_found_in_the_list_that_is_shown_and_told_of_the_other(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.type("trick")
        await seen.until(lambda: seen.titles == [TRICK])
        assert seen.shows("1 found") and not seen.shows("the archive")
        await seen.press("alt+a")
        await seen.until(lambda: seen.shows("Nothing found for “trick” 1 found in the archive"))
        assert seen.shows("0 found · the archive: Tab")
        await show_archive(seen)
        assert seen.titles == [TRICK] and seen.search.value == "trick"
        seen.search.value = "join"
        await seen.until(lambda: seen.shows("Nothing found in the archive for “join”"))
        await seen.until(lambda: seen.shows("1 found among the others: Tab"))
        await seen.press("tab")
        await seen.until(lambda: seen.titles == [PATHS])
        seen.search.value = ""
        await seen.until(lambda: seen.titles == [FILES, PATHS])

    look(scenario, kept)


def test_an_archived_chat_is_opened_from_the_archive(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("alt+a")
        await seen.until(lambda: seen.titles == [TRICK, PATHS])
        await seen.press("tab", "enter")
        await seen.until(lambda: seen.app.result == newest)
        assert seen.app.result == newest and seen.app.chats.away.archived == {newest}

    newest = kept.history.chats()[0].id
    look(scenario, kept)


def test_where_all_is_archived_that_is_said_and_where_nothing_is_tab_does_nothing(
    tmp_path: Path,
) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("tab")
        await seen.settled()
        assert seen.titles == [PATHS] and seen.search.has_focus
        await seen.press("alt+a")
        await seen.until(lambda: seen.shows("All chats are archived: Tab shows them."))

    kept = Kept(tmp_path / "one")
    kept.chats(PATHS)
    look(scenario, kept)


def test_a_chat_that_was_deleted_in_the_archive_is_restored_into_it(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("alt+a")
        await seen.until(lambda: seen.titles == [TRICK, PATHS])
        await show_archive(seen)
        await seen.press("ctrl+d")
        await seen.until(lambda: seen.titles == [])
        await seen.press("ctrl+g")
        await seen.until(lambda: seen.app.screen is not seen.app.chats)
        await seen.until(lambda: seen.shows("2 d") or seen.shows("30 d"))
        await seen.press("enter")
        await seen.until(lambda: seen.toasts(f"“{FILES}” is in the archive again."))
        await seen.press("escape")
        await seen.until(lambda: seen.titles == [FILES])
        assert archived(kept) == [FILES]

    look(scenario, kept)


def test_an_import_says_what_went_into_the_archive() -> None:
    assert told_of_import(BroughtIn([1, 2])) == "2 chats imported."
    assert told_of_import(BroughtIn([1], 1)) == "1 chat imported, archived as before."
    some = "3 chats imported. Of these, 2 went into the archive."
    assert told_of_import(BroughtIn([1, 2, 3], 2)) == some


def test_an_import_says_how_much_was_here_already() -> None:
    twelve = BroughtIn(list(range(12)), n_known=3)
    assert told_of_import(twelve) == "12 chats imported, 3 were here already."
    assert told_of_import(BroughtIn([], n_known=1)) == "0 chats imported, 1 was here already."
    one = "1 chat imported, archived as before, 1 was here already."
    assert told_of_import(BroughtIn([1], 1, n_known=1)) == one
