"""A chat that goes on in two windows shows in each what was asked in the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.history import Chat as Kept
from app.history import History, Outcome
from app.tui.chats import elsewhere
from engine import Span
from tests.app.tui.driving import Chat
from tests.app.tui.keeping import kept, play, questions

TOLD = "asked in another window"
BESIDE = f"{TOLD}: a branch beside this one. Alt+← and Alt+→ go from one to the other."


def ask_elsewhere(folder: Path, before: Kept, *asked: str, ends: bool = True) -> int:
    """Ask behind the last message in another window, and return the last answer."""
    other = History.open(folder / "history.db")
    parent = before.path()[-1].id
    for question in asked:
        parent = other.add(before.info.id, parent, "user", question)
        parent = other.add(before.info.id, parent, "assistant", pair="demo")
        if ends:
            other.finish(parent, f"As to {question}.", Outcome("stop"))
    assert other.close()
    return parent


async def come_back(chat: Chat) -> None:
    """Let the window have the focus again."""
    chat.app.app_focus = False
    await chat.pilot.pause()
    chat.app.app_focus = True
    await chat.pilot.pause()


async def ask(chat: Chat, *asked: str) -> None:
    for question in asked:
        n = len(chat.turns)
        await chat.ask(question)
        await chat.answered(n + 1)


def test_what_another_window_asked_is_a_branch_beside_what_is_asked_here(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        assert not chat.shows(TOLD)
        ask_elsewhere(tmp_path, kept(chat), "theirs", "theirs too")
        await ask(chat, "again mine")
        await chat.until(lambda: chat.shows(f"2 questions were {BESIDE}"))
        assert questions(chat) == ["mine", "again mine"]
        await ask(chat, "and again")
        assert chat.text.count("In this chat") == 1, "it is told once"
        await chat.pilot.press("alt+left")
        await chat.until(lambda: questions(chat) == ["mine", "theirs", "theirs too"])
        await chat.until(lambda: chat.shows("As to theirs too."))
        await chat.pilot.press("alt+right")
        await chat.until(lambda: questions(chat) == ["mine", "again mine", "and again"])

    play(tmp_path, scenario)


def test_who_comes_back_to_the_window_sees_what_was_asked_in_the_other(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        ask_elsewhere(tmp_path, kept(chat), "theirs")
        await come_back(chat)
        await chat.until(lambda: questions(chat) == ["mine", "theirs"])
        await chat.until(lambda: chat.shows(f"The last question here was {TOLD}."))
        assert chat.shows("As to theirs.") and not chat.shows("In this chat")
        await ask(chat, "mine again")
        sent = [message.content for message in chat.engine.asked[-1]]
        assert sent[-3:] == ["theirs", "As to theirs.", "mine again"]
        path = kept(chat).path()
        assert [each.content for each in path[::2]] == ["mine", "theirs", "mine again"]

    play(tmp_path, scenario)


def test_an_answer_that_still_runs_in_the_other_window_is_waited_for(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        answer = ask_elsewhere(tmp_path, kept(chat), "theirs", ends=False)
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.changed() is None, "nothing of it is over"
        await come_back(chat)
        assert questions(chat) == ["mine"] and not chat.shows(TOLD)
        other = History.open(tmp_path / "history.db")
        other.finish(answer, "At last.", Outcome("stop"))
        assert other.close()
        await come_back(chat)
        await chat.until(lambda: questions(chat) == ["mine", "theirs"])
        await chat.until(lambda: chat.shows("At last."))
        assert recorder.changed() is None

    play(tmp_path, scenario)


def test_nothing_is_taken_in_while_a_question_is_changed_and_its_versions_are_told_then(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        before = kept(chat)
        await ask(chat, "second")
        ask_elsewhere(tmp_path, before, "theirs")
        chat.screen.asking.edit(chat.turns[-1])
        await come_back(chat)
        assert not chat.shows(TOLD) and chat.prompt.text == "second"
        chat.screen.asking.leave_editing()
        await come_back(chat)
        await chat.until(lambda: chat.shows(f"a question was {BESIDE}"))
        assert questions(chat) == ["mine", "second"] and chat.shows("question 1 of 2")

    play(tmp_path, scenario)


def test_who_leaves_the_list_of_chats_sees_it_too(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        ask_elsewhere(tmp_path, kept(chat), "theirs")
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("1 chat"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and questions(chat) == ["mine", "theirs"])
        assert chat.shows("As to theirs.")

    play(tmp_path, scenario)


def test_a_chat_that_is_closed_while_it_is_looked_up_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await ask(chat, "mine")
        first, found = chat.screen.talk.transcript, kept(chat)
        ask_elsewhere(tmp_path, found, "theirs")
        looks, is_closed = asyncio.Event(), asyncio.Event()

        async def late(look: Callable[[], object]) -> tuple[bool, Kept]:
            looks.set()
            await is_closed.wait()
            return True, kept_chat

        history = chat.screen.history
        assert history is not None
        kept_chat = history.chat(found.info.id)
        monkeypatch.setattr(elsewhere, "in_thread", late)
        telling = asyncio.create_task(elsewhere.look_for_others(chat.screen))
        await looks.wait()
        await chat.screen.action_act("close")
        await chat.until(lambda: not first.is_attached)
        notes: list[str] = []

        async def note(text: str) -> None:
            notes.append(text)

        monkeypatch.setattr(first, "note", note)
        is_closed.set()
        await telling
        assert notes == [], "nothing can be put where no chat is"

    play(tmp_path, scenario)


def half_elsewhere(folder: Path, before: Kept) -> int:
    """Ask in another window, and have half of the answer."""
    answer = ask_elsewhere(folder, before, "theirs", ends=False)
    other = History.open(folder / "history.db")
    other.write(answer, [Span("First half, ", "plain")])
    assert other.close()
    return answer


def end_elsewhere(folder: Path, answer: int, text: str) -> None:
    other = History.open(folder / "history.db")
    other.finish(answer, text, Outcome("stop"))
    assert other.close()


def stored(chat: Chat) -> list[str]:
    return [it.content for it in kept(chat).messages if it.role != "user"]


def opened_meanwhile(tmp_path: Path, scenario: Callable[[Chat, int], Awaitable[None]]) -> None:
    """Begin here what another window goes on with, and come back while its answer runs."""
    answers: list[int] = []

    async def first(chat: Chat) -> None:
        await ask(chat, "mine")
        answers.append(half_elsewhere(tmp_path, kept(chat)))

    async def second(chat: Chat) -> None:
        await chat.until(lambda: questions(chat) == ["mine", "theirs"])
        assert chat.turns[-1].text == "First half, "
        await scenario(chat, answers[0])

    play(tmp_path, first)
    play(tmp_path, second)


def test_an_answer_that_ends_in_another_window_is_shown_whole_when_one_comes_back(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat, answer: int) -> None:
        await come_back(chat)
        assert chat.turns[-1].text == "First half, ", "it is still running"
        end_elsewhere(tmp_path, answer, "First half, and the rest.")
        await come_back(chat)
        await chat.until(lambda: chat.turns[-1].text == "First half, and the rest.")
        await chat.until(lambda: chat.shows("has ended there: it is shown as it is now"))
        await come_back(chat)
        assert chat.text.count("has ended there") == 1
        await ask(chat, "again mine")
        assert stored(chat)[1] == "First half, and the rest."

    opened_meanwhile(tmp_path, scenario)


@pytest.mark.parametrize("way", ["ctrl+y", "ctrl+r"])
def test_an_answer_that_ended_in_another_window_is_never_overwritten(
    tmp_path: Path, way: str
) -> None:
    async def scenario(chat: Chat, answer: int) -> None:
        end_elsewhere(tmp_path, answer, "First half, and the rest.")
        await chat.pilot.press(way)
        await chat.answered(2)
        await chat.until(lambda: len(stored(chat)) == 3)
        assert stored(chat)[1] == "First half, and the rest."
        begins = "First half, " if way == "ctrl+y" else ""
        assert stored(chat)[2].startswith(begins) and len(stored(chat)[2]) > len(begins)
        assert chat.turns[-1].text == stored(chat)[2]
        await come_back(chat)
        await chat.pilot.press("alt+left")
        await chat.until(lambda: chat.turns[-1].text == "First half, and the rest.")
        await chat.pilot.press("alt+right")
        await chat.until(lambda: chat.turns[-1].text == stored(chat)[2])

    opened_meanwhile(tmp_path, scenario)
