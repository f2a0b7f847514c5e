"""The deleted chats are listed with what is kept of them, restored, and erased when asked twice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.files.pictures import YOUNG_S
from app.history import DELETED_FOR_S
from app.tui.screens import deleted
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.deleted import DeletedScreen
from app.tui.widgets.chat_list import ChatList
from app.tui.widgets.chat_preview import ChatPreview
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.driving import SIZES, WIDE
from tests.app.tui.test_chats_screen import FILES, PATHS, TRICK

DAY_S = 86_400
at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A history of three chats, two of which were deleted in an earlier session."""
    kept = Kept(tmp_path)
    paths, trick, _ = kept.chats(PATHS, TRICK, FILES)
    kept.history.delete(paths)
    kept.clock.now += DAY_S
    kept.history.delete(trick)
    assert kept.history.flush()
    return kept


def listed(seen: Seen) -> list[str]:
    return [row.info.title for row in seen.app.screen.query_one(ChatList).rows]


async def opened(seen: Seen) -> None:
    """Open the deleted chats and wait until they are listed."""
    await seen.press("ctrl+g")
    await seen.until(lambda: isinstance(seen.app.screen, DeletedScreen) and bool(listed(seen)))
    await seen.pilot.pause()


@at_both_sizes
def test_what_is_deleted_is_told_and_listed_with_the_days_left(
    kept: Kept, size: tuple[int, int]
) -> None:
    async def scenario(seen: Seen) -> None:
        assert seen.shows("1 chat · 2 deleted: Ctrl+G")
        await opened(seen)
        assert listed(seen) == [TRICK, PATHS]
        await seen.until(lambda: seen.shows("1 30 d") and seen.shows("1 29 d"))
        assert seen.shows("stay on this machine's disk for 30 days at least, and a start")
        assert seen.footer.strip() == "⏎ Restore e Erase a Erase all esc Back ^q Quit"

    look(scenario, kept, size)


def test_a_restored_chat_is_among_the_others_again(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        await seen.press("down", "u")
        await seen.until(lambda: listed(seen) == [TRICK])
        await seen.press("escape")
        await seen.until(lambda: seen.titles == [FILES, PATHS])
        assert seen.highlighted == PATHS
        assert seen.shows("2 chats · 1 deleted: Ctrl+G")
        assert kept.titles == [FILES, PATHS]

    look(scenario, kept)


@at_both_sizes
def test_erasing_says_what_goes_and_what_stays_and_does_it_at_once(
    kept: Kept, size: tuple[int, int]
) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        for refusal in ("escape", "n"):
            await seen.press("e", refusal)
            await seen.until(lambda: isinstance(seen.app.screen, DeletedScreen))
        assert listed(seen) == [TRICK, PATHS]
        await seen.press("e")
        await seen.until(lambda: isinstance(seen.app.screen, ConfirmScreen))
        for told in (f"Erase “{TRICK}” for good?", "/forget-prompts", "slipstream memory clear"):
            assert told in "".join(seen.lines) or seen.shows(told)
        await seen.press("y")
        await seen.until(lambda: listed(seen) == [PATHS])
        assert kept.history.flush()
        assert [info.title for info in kept.history.deleted()] == [PATHS]

    look(scenario, kept, size)


def test_all_are_erased_by_one_key_and_an_answer(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        await seen.press("a", "y")
        await seen.until(lambda: seen.shows("No chat is deleted."))
        assert kept.history.flush() and kept.history.n_deleted() == 0
        assert "Restore" not in seen.footer
        await seen.press("escape")
        await seen.until(lambda: seen.shows(" 1 chat ") and not seen.shows("Ctrl+G"))
        assert kept.titles == [FILES]

    look(scenario, kept)


def test_a_picture_that_another_window_may_want_is_not_said_to_be_erased_and_follows(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deleted, "FOLLOW_S", 0.1)
    picture = kept.history.album.folder / "cat.png"
    picture.parent.mkdir(parents=True)
    picture.touch()
    os.utime(picture, (kept.clock.now, kept.clock.now))
    kept.history.album.spared = frozenset(("cat",))

    async def scenario(seen: Seen) -> None:
        await opened(seen)
        await seen.press("e", "y")
        await seen.until(lambda: seen.toasts("Erased. A picture that was in use a moment ago"))
        assert picture.exists()
        await seen.press("escape")
        kept.clock.now += YOUNG_S + 1
        await seen.until(lambda: not picture.exists())

    look(scenario, kept)


def test_a_chat_that_is_in_use_again_is_not_erased_and_not_said_to_be(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        revived = next(info.id for info in kept.history.deleted() if info.title == TRICK)
        kept.history.undelete(revived)
        await seen.press("a", "y")
        await seen.until(lambda: seen.toasts("1 chat is in use in another window again: not"))
        assert not seen.toasts("Erased.")
        assert sorted(kept.titles) == sorted([FILES, TRICK]) and kept.history.n_deleted() == 0

    look(scenario, kept)


def test_undo_forgets_what_was_restored_or_erased_elsewhere(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("ctrl+d")
        await seen.settled()
        await opened(seen)
        await seen.press("e", "y")
        await seen.until(lambda: listed(seen) == [TRICK, PATHS])
        await seen.press("escape")
        await seen.settled()
        assert "Undo" not in seen.footer
        assert kept.titles == []

    (chat,) = [info.id for info in kept.history.chats()]
    look(scenario, kept, current=chat)


def test_a_deleted_chat_is_looked_into_on_a_wide_screen(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        await opened(seen)
        left = seen.app.screen.query_one(ChatPreview).region.x
        for title in (TRICK, PATHS):
            await seen.until(lambda: any(title in line[left:] for line in seen.lines))  # noqa: B023
            await seen.press("down")
        assert seen.shows("demo · 1 question ·")

    look(scenario, kept, WIDE)


def test_the_last_day_is_told_as_such(kept: Kept) -> None:
    async def scenario(seen: Seen) -> None:
        kept.clock.now += DELETED_FOR_S - DAY_S - 60
        await opened(seen)
        await seen.until(lambda: seen.shows("< 1 d"))
        assert listed(seen) == [TRICK, PATHS]

    look(scenario, kept)
