"""What another window asked changes nothing under the person's hands, and is never out of reach."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.history import History
from app.tui.chats.opening import open_chat
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.chats.test_elsewhere import BESIDE, TOLD, ask, ask_elsewhere, come_back
from tests.app.tui.driving import Chat
from tests.app.tui.keeping import kept, play, questions

BEHIND = f"{TOLD}, behind what is shown here. Once you have asked something else, Alt+← goes there."


class Slow:
    """Has turns be restored only when they may."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.may = asyncio.Event(), asyncio.Event()
        restore = TurnView.restore

        async def slowly(view: TurnView, turn: Turn, places: Places) -> None:
            self.began.set()
            await self.may.wait()
            await restore(view, turn, places)

        monkeypatch.setattr(TurnView, "restore", slowly)


def test_who_reads_further_up_stays_there_with_the_turn_that_is_chosen(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, *map(str, range(9)))
        transcript = chat.screen.talk.transcript
        await chat.pilot.press(*["pageup"] * 9)
        transcript.select(chat.turns[0])
        await chat.until(lambda: transcript.scroll_y < 5 and not transcript.is_followed)
        at, views = transcript.scroll_y, chat.turns
        ask_elsewhere(tmp_path, kept(chat), "theirs")
        await come_back(chat)
        await chat.until(lambda: len(chat.turns) == 10 and transcript.has_unseen)
        assert transcript.scroll_y == at and not transcript.is_followed
        assert transcript.selected is views[0] and chat.turns[:9] == views
        assert chat.turns[-1].display and chat.turns[-1].text == "As to theirs."

    play(tmp_path, scenario)


@pytest.mark.parametrize("n_undone", [1, 2])
def test_what_was_asked_behind_what_is_undone_here_can_be_reached(
    tmp_path: Path, n_undone: int
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine", "second")
        before, left = kept(chat), ["mine"][: 2 - n_undone]
        for _ in range(n_undone):
            await chat.screen.action_act("undo")
        ask_elsewhere(tmp_path, before, "theirs")
        await come_back(chat)
        await chat.until(lambda: chat.shows(f"a question was {BEHIND}"))
        assert questions(chat) == left
        chat.prompt.text = ""
        await ask(chat, "third")
        await chat.pilot.press("alt+left")
        await chat.until(lambda: questions(chat) == ["mine", "second", "theirs"])

    play(tmp_path, scenario)


def test_what_is_done_while_others_turns_are_made_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        ask_elsewhere(tmp_path, kept(chat), "theirs")
        slow = Slow(monkeypatch)
        await come_back(chat)
        await slow.began.wait()
        await chat.screen.asking.ask_again(None)
        slow.may.set()
        await chat.until(lambda: chat.shows(BESIDE) and chat.turns[-1].over)
        assert questions(chat) == ["mine"] and len(chat.screen.query(TurnView)) == 1
        await chat.pilot.press("alt+left")
        await chat.until(lambda: questions(chat) == ["mine", "theirs"])

    play(tmp_path, scenario)


def test_a_question_that_is_sent_while_others_are_made_is_asked_behind_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        ask_elsewhere(tmp_path, kept(chat), "theirs")
        slow = Slow(monkeypatch)
        await come_back(chat)
        await slow.began.wait()
        asking = asyncio.create_task(chat.screen.asking.ask("again mine"))
        await chat.pilot.pause()
        slow.may.set()
        await asking
        await chat.answered(3)
        assert questions(chat) == ["mine", "theirs", "again mine"]
        assert [each.content for each in kept(chat).path()[::2]] == questions(chat)

    play(tmp_path, scenario)


def erase_elsewhere(folder: Path, number: int) -> None:
    other = History.open(folder / "history.db")
    other.delete(number)
    assert other.erase([number]) == set() and other.close()


@pytest.mark.parametrize("action", ["close", "quit"])
def test_a_chat_may_be_closed_while_others_turns_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        first = chat.screen.talk.transcript
        ask_elsewhere(tmp_path, kept(chat), "theirs", "theirs too")
        slow = Slow(monkeypatch)
        await come_back(chat)
        await slow.began.wait()
        closing = asyncio.create_task(chat.screen.action_act(action))
        await chat.pilot.pause()
        slow.may.set()
        await closing
        await chat.until(lambda: not first.is_attached)
        assert not chat.app.is_running or questions(chat) == []

    play(tmp_path, scenario)


def test_a_chat_that_another_window_deleted_says_so_and_comes_back_with_a_question(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        number = kept(chat).info.id
        other = History.open(tmp_path / "history.db")
        other.delete(number)
        assert other.close()
        await come_back(chat)
        await chat.until(lambda: chat.shows("This chat was deleted in another window."))
        await come_back(chat)
        assert chat.text.count("deleted") == 1, "it is told once"
        await ask(chat, "again mine")
        assert kept(chat).info.deleted_at is None
        await come_back(chat)
        assert chat.text.count("deleted") == 1

    play(tmp_path, scenario)


def test_a_chat_that_another_window_erased_says_that_nothing_of_it_is_kept(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        number = kept(chat).info.id
        await chat.screen.action_act("close")
        await chat.until(lambda: not chat.turns)
        await open_chat(chat.screen, number)
        await chat.answered(1)
        erase_elsewhere(tmp_path, number)
        await ask(chat, "again")
        await chat.until(
            lambda: chat.shows("This chat was erased in another window. Nothing of it")
        )
        await come_back(chat)
        assert chat.text.count("erased") == 1, "it is told once"

    play(tmp_path, scenario)


def test_a_chat_that_was_begun_here_and_erased_elsewhere_says_so_and_is_not_left_at_once(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        number = kept(chat).info.id
        erase_elsewhere(tmp_path, number)
        await ask(chat, "again")
        await come_back(chat)
        await chat.until(
            lambda: chat.shows("This chat was erased in another window. Nothing of it")
        )
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: chat.toasts("What was said last is not saved"))
        assert chat.app.is_running

    play(tmp_path, scenario)


@pytest.mark.parametrize("is_erased", [True, False])
def test_a_chat_that_is_closed_as_another_window_deleted_it_is_named(
    tmp_path: Path, is_erased: bool
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        number = kept(chat).info.id
        if is_erased:
            erase_elsewhere(tmp_path, number)
        else:
            other = History.open(tmp_path / "history.db")
            other.delete(number)
            assert other.close()
        await chat.screen.action_act("search")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.toasts("“mine” is closed, as another window deleted it."))

    play(tmp_path, scenario)


def test_who_opens_a_chat_that_is_deleted_by_now_is_told(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        number, history = kept(chat).info.id, chat.screen.history
        await chat.screen.action_act("close")
        await chat.until(lambda: not chat.turns)
        assert history is not None
        history.delete(number)
        await open_chat(chat.screen, number)
        await chat.until(lambda: chat.shows("This chat is deleted. What you ask here brings it"))
        await come_back(chat)
        assert chat.text.count("deleted") == 1

    play(tmp_path, scenario)
