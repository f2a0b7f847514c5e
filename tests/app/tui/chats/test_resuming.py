"""The last chat comes back at the start, to whom it is of use; what was undone stays so."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from textual.signal import Signal

from app.history import History
from app.last import Last, read_last, write_last
from app.tui.chat_parts import ChatParts
from app.tui.chats.resuming import Resuming
from app.tui.screens.chat import ChatScreen
from app.tui.serving.shared_engine import State
from app.tui.widgets.transcript import Transcript
from tests.app.tui.branching import NUMBERS, act, answers, check, talk
from tests.app.tui.driving import NARROW, SIZES, Chat, Scenario, app_of, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings, wait_until

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


class Watched(Resuming):
    """Tells when it is over."""

    is_over = False

    async def begin(self, chat: ChatScreen, changed: Signal[State]) -> None:
        await super().begin(chat, changed)
        self.is_over = True


def start(
    folder: Path,
    scenario: Scenario,
    size: tuple[int, int] = NARROW,
    title: str = "Slipstream demo",
    is_new: bool = False,
    notice: str = "",
    history: History | None = None,
    waits: bool = True,
    question: str = "",
) -> None:
    """Start the app as it is started again and again, with what it kept in this folder.

    waits: until what comes back is back.
    """
    kept = history or History.open(folder / "history.db")
    path = folder / "last.json"
    engine = FakeEngine(*NUMBERS)

    async def run() -> None:
        resuming = Watched(path, read_last(path), is_new, notice, question)
        parts = ChatParts(engine, FakeSettings(title=title), history=kept, resuming=resuming)
        app = app_of(parts)
        async with app.run_test(size=size) as pilot:
            chat = await opened(app, pilot, engine)
            await wait_until(lambda: resuming.is_over or not waits)
            await scenario(chat)
            engine.release()

    asyncio.run(run())


async def two(chat: Chat) -> None:
    await talk(chat, "first", "second")


async def nothing_comes(chat: Chat) -> None:
    await chat.ready()
    assert not chat.turns and chat.shows("Try one of these")


def last_chat(folder: Path) -> int:
    chat = read_last(folder / "last.json").chat
    assert chat is not None
    return chat


@at_both_sizes
def test_the_last_chat_comes_back_at_its_end_and_goes_on(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def talks(chat: Chat) -> None:
        await talk(chat, *(f"question {n}" for n in range(8)))

    async def again(chat: Chat) -> None:
        await chat.until(lambda: len(chat.turns) == 8 and all(view.over for view in chat.turns))
        await chat.until(lambda: chat.transcript.is_vertical_scroll_end)
        await chat.ready()
        await chat.until(lambda: chat.shows("Answer number 7."))
        assert chat.prompt.has_focus
        assert not chat.shows("goes on."), "it is the same pair"
        await chat.ask("next")
        await chat.answered(9)
        assert [message.content for message in chat.engine.asked[-1]][-3:] == [
            "question 7",
            "Answer number 7.",
            "next",
        ]
        check(chat)

    start(tmp_path, talks, size)
    start(tmp_path, again, size)


def test_another_pair_than_the_last_one_is_named_in_one_line(tmp_path: Path) -> None:
    async def again(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("by Slipstream demo; Other goes on."))
        await chat.until(lambda: chat.shows("It could not be opened."))
        assert [view.question for view in chat.turns] == ["first", "second"]

    start(tmp_path, two)
    start(tmp_path, again, title="Other", notice="It could not be opened.")


def test_a_new_chat_is_begun_where_that_is_wished(tmp_path: Path) -> None:
    start(tmp_path, two)
    before = last_chat(tmp_path)
    start(tmp_path, nothing_comes, is_new=True)
    assert last_chat(tmp_path) == before, "an empty chat is not the last one"


def test_a_start_with_a_question_asks_it_in_a_new_chat_beside_those_that_were_open(
    tmp_path: Path,
) -> None:
    async def typing(chat: Chat) -> None:
        await talk(chat, "one")
        await chat.pilot.press(*"of one", "ctrl+n")
        await talk(chat, "two")
        await chat.pilot.press("ctrl+n", *"of none")

    async def asking(chat: Chat) -> None:
        await chat.answered()
        assert [view.question for view in chat.turns] == ["What is zip?"]
        assert chat.prompt.text == ""
        titles = [label.title for label in chat.screen.tabs.labels()]
        assert titles == ["one", "two", "What is zip?", "New chat"]
        await chat.pilot.press("alt+4")
        await chat.until(lambda: chat.prompt.text == "of none")
        await chat.pilot.press("alt+1")
        await chat.until(lambda: chat.prompt.text == "of one")
        assert [view.question for view in chat.turns] == ["one"]

    async def again(chat: Chat) -> None:
        await chat.until(lambda: [view.question for view in chat.turns] == ["one"])
        assert chat.prompt.text == "of one" and len(chat.screen.tabs.open) == 4

    start(tmp_path, typing)
    start(tmp_path, asking, is_new=True, question="What is zip?")
    start(tmp_path, again)


def test_a_deleted_chat_does_not_come_back(tmp_path: Path) -> None:
    start(tmp_path, two)
    history = History.open(tmp_path / "history.db")
    history.delete(last_chat(tmp_path))
    assert history.flush() and history.chats() == []
    start(tmp_path, nothing_comes, history=history)


def test_a_chat_that_is_not_on_the_disk_does_not_come_back(tmp_path: Path) -> None:
    write_last(tmp_path / "last.json", Last(chat=12345))
    start(tmp_path, nothing_comes)
    start(tmp_path, two)
    assert last_chat(tmp_path) != 12345


def slow(folder: Path) -> tuple[History, threading.Event, threading.Event]:
    """Return a history that reads no chat before the first event, and sets the second one then."""
    history = History.open(folder / "history.db")
    gate, done, read = threading.Event(), threading.Event(), history.chat

    def reading(chat: int) -> object:
        gate.wait()
        try:
            return read(chat)
        finally:
            done.set()

    history.chat = reading  # type: ignore[method-assign,assignment]
    return history, gate, done


def test_who_begins_another_chat_before_the_last_one_is_read_keeps_it(tmp_path: Path) -> None:
    start(tmp_path, two)
    history, gate, done = slow(tmp_path)

    async def hasty(chat: Chat) -> None:
        await chat.pilot.press("ctrl+n")
        gate.set()
        await chat.until(done.is_set)
        await nothing_comes(chat)
        await chat.ask("hasty")
        await chat.answered(1)
        assert [view.question for view in chat.turns] == ["hasty"]
        check(chat)

    start(tmp_path, hasty, history=history, waits=False)


def test_who_begins_another_chat_while_the_last_one_is_being_shown_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    showing, go_on, restart = asyncio.Event(), asyncio.Event(), Transcript.restart

    async def slowly(transcript: Transcript) -> None:
        await restart(transcript)
        if not showing.is_set():
            showing.set()
            await go_on.wait()

    async def hasty(chat: Chat) -> None:
        await chat.until(showing.is_set)
        chat.app.simulate_key("ctrl+n")
        await chat.until(lambda: chat.screen.tabs.has_begun)
        go_on.set()
        resuming, session = chat.screen._resuming, chat.screen.session
        assert resuming is not None
        await chat.until(resuming.is_back.is_set)
        await chat.until(lambda: not session.conversation.turns and not chat.turns)
        await chat.until(lambda: chat.shows("Try one of these"))
        await chat.ready()
        check(chat)
        assert not chat.shows("goes on."), "nothing is said of the chat that did not come back"

    start(tmp_path, two)
    monkeypatch.setattr(Transcript, "restart", slowly)
    start(tmp_path, hasty, title="Other", waits=False)


def test_a_question_asked_before_the_chat_is_read_begins_a_new_one(tmp_path: Path) -> None:
    start(tmp_path, two)
    history, gate, done = slow(tmp_path)

    async def hasty(chat: Chat) -> None:
        await chat.ask("hasty")
        await chat.answered(1)
        gate.set()
        await chat.until(done.is_set)
        await chat.pilot.pause()
        await chat.ask("more")
        await chat.answered(2)
        assert [view.question for view in chat.turns] == ["hasty", "more"]
        check(chat)

    before = last_chat(tmp_path)
    start(tmp_path, hasty, history=history, waits=False)
    assert last_chat(tmp_path) != before


def test_a_question_typed_before_the_chat_is_there_goes_on_with_it(tmp_path: Path) -> None:
    start(tmp_path, two)
    history = History.open(tmp_path / "history.db")
    typed, read = threading.Event(), history.chat

    def slow(chat: int) -> object:
        typed.wait()
        return read(chat)

    history.chat = slow  # type: ignore[method-assign,assignment]
    resuming = Resuming(tmp_path / "last.json", read_last(tmp_path / "last.json"))
    engine = FakeEngine(*NUMBERS)
    parts = ChatParts(engine, FakeSettings(), history=history, resuming=resuming)

    async def run() -> list[str]:
        app = app_of(parts)
        async with app.run_test() as pilot:
            await pilot.press(*"third", "enter")
            typed.set()
            chat = await opened(app, pilot, engine)
            await chat.answered(3)
            return [view.question for view in chat.turns]

    assert asyncio.run(run()) == ["first", "second", "third"]


def test_what_was_undone_does_not_come_back(tmp_path: Path) -> None:
    async def undoes(chat: Chat) -> None:
        await two(chat)
        await act(chat, "undo")

    async def again(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: bool(chat.turns) and chat.turns[-1].over)
        assert answers(chat) == ["0"]
        await act(chat, "undo")

    start(tmp_path, undoes)
    start(tmp_path, again)
    start(tmp_path, nothing_comes)


def test_the_last_chat_is_known_as_soon_as_its_question_is_asked(tmp_path: Path) -> None:
    async def asks(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.answered(1)
        recorder = chat.screen.asking.recorder
        assert recorder is not None
        await chat.until(lambda: read_last(tmp_path / "last.json").chat == recorder.chat)

    start(tmp_path, asks)
    assert last_chat(tmp_path)
