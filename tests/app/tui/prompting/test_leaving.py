"""Ctrl+D in the empty box leaves as Ctrl+C does, and elsewhere does what it always does."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.attachments import pasted
from app.tui.prompting import interrupt
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_own_keys import play

AGAIN = "Ctrl+D again quits"


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_one_press_says_that_a_second_quits(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: chat.shows(AGAIN))
        assert chat.app.is_running
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: not chat.app.is_running)

    drive(scenario, FakeEngine(), size)


def test_it_is_told_of_while_an_answer_runs_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: chat.shows(AGAIN))
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.turns[-1].over and not chat.shows(AGAIN))
        assert chat.app.is_running, "Ctrl+C stops the answer first"

    drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=1)))


def test_what_ctrl_c_was_to_do_is_said_no_more_once_it_stops_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = FakeEngine(Answer(words("It joins paths."), hold_after=1), hold_load=True)

    async def scenario(chat: Chat) -> None:
        monkeypatch.setattr(interrupt, "ARMED_S", 600.0)
        await chat.ask("question")
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.shows("Ctrl+C again quits"))
        engine.release()
        await chat.until(lambda: chat.state == "answering")
        await chat.until(lambda: not chat.shows("again quits"))
        assert chat.screen.interrupt.is_armed

    drive(scenario, engine)


def test_with_text_in_the_box_it_deletes_forward() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"abc", "home", "ctrl+d", "ctrl+d")
        assert chat.prompt.text == "c"
        assert chat.app.is_running and not chat.screen.interrupt.is_armed

    drive(scenario, FakeEngine())


def test_what_is_pasted_beside_the_box_is_not_left_behind() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.attach(pasted("line\n" * 50, 1))
        await chat.pilot.press("ctrl+d", "ctrl+d")
        assert len(chat.prompt.attachments) == 1
        assert chat.app.is_running and not chat.screen.interrupt.is_armed

    drive(scenario, FakeEngine())


def test_typing_and_time_forget_the_first_press(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupt, "ARMED_S", 0.05)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: not chat.screen.interrupt.is_armed and not chat.shows(AGAIN))
        monkeypatch.setattr(interrupt, "ARMED_S", 600.0)
        await chat.pilot.press("ctrl+d", "x")
        await chat.until(lambda: not chat.screen.interrupt.is_armed)
        await chat.pilot.press("backspace", "ctrl+d")
        assert chat.app.is_running and chat.screen.interrupt.armed_by == "Ctrl+D"

    drive(scenario, FakeEngine())


def test_a_key_of_ones_own_does_what_it_was_given_for(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: chat.toasts("Nothing is asked yet"))
        await chat.pilot.press("ctrl+d")
        assert chat.app.is_running and not chat.screen.interrupt.is_armed

    play('retry = "ctrl+d"', scenario, tmp_path)
