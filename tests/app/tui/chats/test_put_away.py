"""What is put away, here or elsewhere, is closed whatever else fails, and stays away."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.chat.recorder import HistoryRecorder
from app.errors import HistoryError
from app.history import History
from app.tui.chats.open_chats import OpenChat
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.chats.test_tabs import HELD, play, press, questions, running, three
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words

REFUSED = "The chats cannot be read: database is locked."


def refuse_to_read(patch: pytest.MonkeyPatch) -> None:
    """Have no chat be read that is to be shown."""

    def locked(_: HistoryRecorder, chat: int) -> object:
        raise HistoryError(REFUSED)

    patch.setattr(HistoryRecorder, "read", locked)


def titles(chat: Chat) -> list[str]:
    return [chat.screen.tabs.title(one) for one in chat.screen.tabs.open]


def listed(history: History | None) -> list[str]:
    assert history is not None and history.flush()
    return [info.title for info in history.chats()]


async def to_the_list(chat: Chat, shown: str) -> None:
    await chat.pilot.press("f3")
    await chat.until(lambda: not chat.is_on_top and chat.shows(shown))


def test_a_deleted_chat_is_closed_though_the_chosen_one_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await three(chat)
        await press(chat, "alt+1", "one")
        await press(chat, "alt+w", "two")
        await to_the_list(chat, "3 chats")
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: chat.shows("2 chats"))
        refuse_to_read(monkeypatch)
        await chat.pilot.press("end", "enter")
        await chat.until(lambda: chat.is_on_top and chat.toasts(REFUSED))
        await chat.until(lambda: titles(chat) == ["three"])
        assert listed(chat.screen.history) == ["three", "one"]

    play(tmp_path, scenario)


def test_what_waits_in_a_deleted_chat_is_not_asked_though_the_disk_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await running(chat)
        await press(chat, "alt+p", "slow")
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        history, number = chat.screen.history, chat.screen.tabs.open.current.number
        assert history is not None and number is not None
        await to_the_list(chat, "1 chat")
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: history.is_deleted(number))
        monkeypatch.setattr(history, "flush", lambda *_: False)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and titles(chat) == ["New chat"])
        await chat.until(lambda: chat.state == "ready")
        assert len(chat.engine.asked) == 1 and "quick" in chat.prompt.past.prompts
        assert history.is_deleted(number)

    play(tmp_path, scenario, HELD)


def test_a_chat_is_closed_though_the_one_beside_it_was_erased_elsewhere(tmp_path: Path) -> None:
    async def again(chat: Chat) -> None:
        history, tabs = chat.screen.history, chat.screen.tabs
        assert history is not None
        await chat.until(lambda: questions(chat) == ["three"])
        beside = tabs.open.find(next(one.id for one in history.chats() if one.title == "two"))
        assert isinstance(beside, OpenChat) and beside.number is not None
        beside.typed = "not sent in two"
        history.delete(beside.number)
        assert history.flush() and not history.erase([beside.number])
        chat.prompt.insert("not sent in three")
        await press(chat, "alt+w", "one")
        assert titles(chat) == ["one"] and chat.toasts("“three” is closed.")
        assert chat.toasts(f"There is no chat {beside.number} in the history.")
        typed = chat.prompt.past.prompts
        assert {"not sent in two", "not sent in three"} <= {*typed}

    start(tmp_path, three)
    start(tmp_path, again)


@pytest.mark.parametrize("key", ["ctrl+d", "alt+a"], ids=["deleted", "archived"])
@pytest.mark.parametrize("comes_back", [True, False])
def test_what_waits_in_a_chat_that_is_put_away_is_not_asked_before_the_list_is_left(
    tmp_path: Path, key: str, comes_back: bool
) -> None:
    """It would bring the chat back."""

    async def scenario(chat: Chat) -> None:
        await running(chat)
        await press(chat, "alt+p", "slow")
        await chat.ask("quick")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press(key)
        chat.engine.release()
        await chat.until(lambda: chat.state == "ready")
        if comes_back:
            await chat.pilot.press("ctrl+z")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and not chat.screen.session.jobs)
        assert chat.screen.history is not None and chat.screen.history.flush()
        assert len(chat.screen.history.chats()) == comes_back
        if comes_back:
            await chat.until(lambda: chat.shows("Second."))
            return
        assert chat.toasts("is closed, what waited there not asked: Up brings it.")
        await chat.pilot.press("up")
        assert chat.prompt.text == "quick"

    play(tmp_path, scenario, HELD, Answer(words("Second.")))
