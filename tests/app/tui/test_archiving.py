"""A chat that is open is archived and closed with that, and comes back when it is written to."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History
from app.last import read_last
from tests.app.tui.chats.test_resuming import nothing_comes, start, two
from tests.app.tui.chats.test_tabs import HELD, running, three
from tests.app.tui.chats.test_tabs import play as play_in_tabs
from tests.app.tui.driving import Chat
from tests.app.tui.keeping import play, questions

NOTE = "This chat is archived."


def listed(chat: Chat, archived: bool = False) -> list[str]:
    history = chat.screen.history
    assert history is not None and history.flush()
    return [info.title for info in history.chats(archived=archived)]


async def open_archived(chat: Chat, question: str) -> None:
    """Open the first chat of the archive from F3."""
    await chat.pilot.press("f3")
    await chat.until(lambda: not chat.is_on_top and chat.shows("archived: Tab"))
    await chat.pilot.press("tab")
    await chat.until(lambda: chat.shows("the others: Tab"))
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.is_on_top and questions(chat)[:1] == [question])


def test_an_archived_chat_comes_back_when_it_is_written_to(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("boats")
        await chat.answered()
        await chat.screen.action_act("archive")
        told = "“boats” is archived: F3, then Tab, shows the archive."
        await chat.until(lambda: chat.toasts(told) and not chat.turns)
        assert (listed(chat), listed(chat, archived=True)) == ([], ["boats"])
        await open_archived(chat, "boats")
        await chat.until(lambda: chat.shows(f"{NOTE} What you ask here brings it back"))
        assert chat.shows("as Alt+A does in the archive (F3, Tab).")
        assert listed(chat, archived=True) == ["boats"], "to look is not to write"
        await chat.ask("and ships?")
        await chat.answered(2)
        assert (listed(chat), listed(chat, archived=True)) == (["boats"], [])
        await chat.screen.action_act("close")
        await chat.until(lambda: not chat.turns)

    play(tmp_path, scenario)


def test_an_archived_chat_is_not_there_at_the_next_start(tmp_path: Path) -> None:
    async def opens_it(chat: Chat) -> None:
        history = chat.screen.history
        assert history is not None
        history.archive(history.chats()[0].id)
        assert history.flush() and len(chat.turns) == 2, "another window does not close it"

    start(tmp_path, two)
    start(tmp_path, opens_it)
    assert read_last(tmp_path / "last.json").chat is not None
    start(tmp_path, nothing_comes)
    history = History.open(tmp_path / "history.db")
    assert [chat.title for chat in history.chats(archived=True)] == ["first"]
    assert history.chats() == [] and history.close()


@pytest.mark.parametrize("n_down", [0, 2], ids=["in sight", "another"])
def test_a_chat_that_is_archived_in_the_list_is_not_open_any_more(
    tmp_path: Path, n_down: int
) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("3 chats"))
        await chat.pilot.press(*["down"] * n_down, "alt+a")
        await chat.until(lambda: chat.shows("2 chats"))
        assert chat.toasts("is archived. Ctrl+Z brings it back")
        await chat.pilot.press("escape")
        await chat.until(lambda: len(chat.screen.tabs.open) == 2)
        assert not chat.toasts("Ctrl+Z"), "here that key does something else"
        left = ["one", "two"] if n_down == 0 else ["two", "three"]
        assert [chat.screen.tabs.title(one) for one in chat.screen.tabs.open] == left
        assert questions(chat) == [left[-1]]

    play_in_tabs(tmp_path, scenario)


def test_what_is_archived_and_brought_back_in_the_list_stays_open(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("3 chats"))
        await chat.pilot.press("alt+a")
        await chat.until(lambda: chat.shows("2 chats"))
        await chat.pilot.press("ctrl+z")
        await chat.until(lambda: chat.shows("3 chats"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert len(chat.screen.tabs.open) == 3 and questions(chat) == ["three"]

    play_in_tabs(tmp_path, scenario)


def test_an_answer_that_runs_in_an_archived_chat_is_stopped(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press("alt+a", "escape")
        await chat.until(lambda: chat.is_on_top and chat.state == "ready")
        assert chat.engine.cancels and len(chat.screen.tabs.open) == 1
        assert listed(chat) == [] and len(listed(chat, archived=True)) == 1

    play_in_tabs(tmp_path, scenario, HELD)


def test_the_command_says_that_the_answer_was_stopped(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await chat.pilot.press("alt+p")
        await chat.until(lambda: chat.state == "answering")
        await chat.screen.action_act("archive")
        await chat.until(lambda: chat.toasts("shows the archive. Its answer was stopped."))
        assert chat.engine.cancels

    play_in_tabs(tmp_path, scenario, HELD)


def test_where_nothing_is_asked_there_is_nothing_to_archive(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.screen.action_act("archive")
        why = "There is nothing to archive yet: nothing is asked in this chat."
        await chat.until(lambda: chat.toasts(why))
        assert listed(chat, archived=True) == []

    play(tmp_path, scenario)
