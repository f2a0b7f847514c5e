"""Pictures go with the last chat that has them: at once, or when no other window can want them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.pictures import YOUNG_S, sha256_of
from app.history import History
from tests.app.history.chats import Clock
from tests.app.history.test_album import CAT, aged, asked, files, kept


def deleted(history: History) -> int:
    """Write a chat about a picture, delete it, return it."""
    chat = asked(history, CAT)
    history.delete(chat)
    assert history.flush()
    return chat


def test_one_that_this_window_alone_has_asked_about_goes_at_once(
    history: History, clock: Clock
) -> None:
    chat = deleted(history)
    for _ in range(2):
        history.album.add(CAT, "PNG")
    history.album.settle([sha256_of(CAT)])
    clock.now = history.album.path_of(sha256_of(CAT), "PNG").stat().st_mtime + 1
    history.erase([chat])
    assert kept(history) == set() and not history.album.spared


@pytest.mark.parametrize("closes", [False, True], ids=["with what is written", "at the end"])
def test_one_that_another_window_might_have_wanted_goes_once_it_is_no_longer_young(
    path: Path, history: History, clock: Clock, closes: bool
) -> None:
    mine = History.open(path, clock=clock)
    chat = deleted(mine)
    history.album.add(CAT, "PNG")
    aged(history, CAT, clock.now - YOUNG_S)
    mine.erase([chat])
    assert mine.album.spared == {sha256_of(CAT)}
    mine.new_chat()
    assert kept(mine) == files(CAT), "it is young still"
    clock.now += 1
    if not closes:
        mine.new_chat()
        assert kept(mine) == set() and not mine.album.spared
    assert mine.close() and kept(history) == set()


def test_one_that_another_window_has_asked_about_since_stays(
    path: Path, history: History, clock: Clock
) -> None:
    mine = History.open(path, clock=clock)
    chat = deleted(mine)
    history.album.add(CAT, "PNG")
    aged(history, CAT, clock.now - YOUNG_S)
    mine.erase([chat])
    asked(history, CAT)
    assert history.flush() and mine.close()
    assert kept(history) == files(CAT)
