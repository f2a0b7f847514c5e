"""Questions that were not asked after all, and engines that died: no turn is taken for another."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.chat.recorder import HistoryRecorder
from app.history import History
from tests.app.recorded import opened
from tests.app.tui.branching import NUMBERS, act, answers, check, play, talk
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins paths with one separator.")


@pytest.mark.parametrize("how", ["edit", "retry", "walk", "undo"])
def test_a_question_that_was_dropped_does_not_mislead(tmp_path: Path, how: str) -> None:
    """What has no answer is no turn, so the two must not be counted alike."""

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: answers(chat) == ["1"] and chat.state == "ready")
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.ask("dropped")
        await chat.until(lambda: chat.shows("not asked") and chat.state == "down")
        if how == "undo":
            await act(chat, "undo")
            assert chat.prompt.text == "dropped"
            assert answers(chat) == ["1"]
        elif how == "walk":
            await chat.pilot.press("alt+left")
            await chat.until(lambda: answers(chat) == ["0"])
        else:
            await chat.pilot.press("ctrl+r" if how == "retry" else "ctrl+e")
            if how == "edit":
                await chat.pilot.press("!", "enter")
            await chat.answered(2)
            assert answers(chat) == ["1", "2"]
        check(chat)

    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(*NUMBERS, load_errors=[None, OSError("no memory")])
    drive(scenario, engine, history=history)


@pytest.mark.parametrize("how", ["edit", "retry", "go on"])
def test_what_is_withdrawn_before_it_was_asked_has_changed_nothing(
    tmp_path: Path, how: str
) -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        for count, question in enumerate(("first", "second"), 1):
            await chat.ask(question)
            await chat.until(lambda count=count: sum(v.over for v in chat.turns) == count)
        before = [(view.question, view.text) for view in chat.turns]
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        if how == "go on":
            await chat.pilot.press("ctrl+y")
        else:
            await chat.pilot.press("alt+up", "alt+up", "ctrl+r" if how == "retry" else "ctrl+e")
        if how == "edit":
            await chat.pilot.press("!", "enter")
        await chat.until(lambda: chat.state == "loading" and chat.screen.session.waiting == 1)
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.screen.session.waiting == 0)
        await chat.pilot.pause()
        assert [(view.question, view.text) for view in chat.turns] == before
        assert chat.prompt.text == ("first!" if how == "edit" else "")
        check(chat)

    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(NUMBERS[0], Answer(JOIN, fail_after=2), hold_load=True)
    drive(scenario, engine, history=history)


@pytest.mark.parametrize("how", ["edit", "retry"])
def test_what_no_engine_was_there_for_has_changed_nothing(tmp_path: Path, how: str) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first", "second", "third")
        before = answers(chat)
        await chat.screen.session.unload()
        await chat.until(lambda: chat.state == "unloaded")
        await chat.pilot.press("alt+up", "alt+up", "alt+up")
        await chat.pilot.press(*(["ctrl+r"] if how == "retry" else ["ctrl+e", "!", "enter"]))
        await chat.until(lambda: chat.state == "down" and answers(chat) == before)
        assert chat.prompt.text == ("first!" if how == "edit" else "")
        await chat.pilot.press("escape")
        await chat.ask("fourth")
        await chat.answered(4)
        assert [said.content for said in chat.engine.asked[-1]][::2] == [
            *("first", "second", "third"),
            "fourth",
        ]
        check(chat)

    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(*NUMBERS, load_errors=[None, OSError("no memory")])
    drive(scenario, engine, history=history)


def test_an_engine_that_dies_before_a_word_leaves_one_version(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.until(lambda: answers(chat) == ["0"] and chat.state == "ready")
        await chat.pilot.pause()
        assert not chat.shows("of 2")

    play(tmp_path, scenario, Answer(JOIN, die_after=0), NUMBERS[0])


def test_an_app_that_is_left_in_mid_answer_has_kept_what_was_shown(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:3]).strip()))
        await chat.pilot.press("ctrl+q")

    play(tmp_path, scenario, Answer(JOIN, hold_after=3))
    history = History.open(tmp_path / "history.db")
    (info,) = history.chats()
    (turn,) = opened(HistoryRecorder(history, str), info.id)
    assert turn.question == "question"
    assert turn.answer.startswith(whole(JOIN[:3]))
    assert history.close()
