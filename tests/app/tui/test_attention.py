"""Who looks elsewhere is told: the terminal's title says what goes on, the bell that it is over."""

from __future__ import annotations

import io

import pytest
from textual import events

from app.tui import attention
from app.tui.actions.tuning import apply
from app.tui.attention import BUSY, NAME, title
from app.tui.terminal_title import POP, PUSH, kept_title, osc2
from tests.app.test_sanitise import HOSTILE
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_screen import CONTROL

JOIN = words("It joins one or more path segments.")


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("long_s", "looks", "bell", "rings"),
    [
        (-1.0, False, None, 1),
        (-1.0, False, True, 1),
        (-1.0, False, False, 0),
        (-1.0, True, None, 0),
        (600.0, False, None, 0),
    ],
    ids=["rings", "switched on", "switched off", "somebody looks", "a short answer"],
)
def test_the_bell_rings_when_a_long_answer_is_done_and_nobody_looks(
    long_s: float, looks: bool, bell: bool | None, rings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", long_s)
    rung: list[str] = []

    async def scenario(chat: Chat) -> None:
        monkeypatch.setattr(chat.app, "bell", lambda: rung.append("bell"))
        chat.screen.chosen["bell"] = bell
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        if not looks:
            chat.app.post_message(events.AppBlur())
            await chat.until(lambda: not chat.app.app_focus)
        chat.engine.release()
        await chat.answered(2)
        assert len(rung) == rings

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN)))


def test_the_bell_is_switched_at_once_and_nothing_else_is_said_of_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert apply(chat.screen, "bell", False) == ""
        assert apply(chat.screen, "offline", True) != "", "which waits for the next start"

    drive(scenario, FakeEngine())


def test_the_title_says_what_goes_on_and_which_chat_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    written: list[str] = []
    monkeypatch.setattr(attention, "write_to", lambda app, text: written.append(text))

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert written == [osc2(NAME)]
        await chat.ask("What is a path?")
        await chat.until(lambda: written[-1] == osc2(f"{BUSY} · What is a path?"))
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: written[-1] == osc2(f"{NAME} · What is a path?"))
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: written[-1] == osc2(NAME))

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_question_ends_the_title_or_does_anything_else_to_the_terminal(text: str) -> None:
    named = title(True, text)
    assert named.startswith(BUSY)
    assert not CONTROL.search(named)


@pytest.mark.parametrize("term", ["dumb", "linux"])
def test_a_terminal_without_a_title_is_left_alone(
    term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    written: list[str] = []
    monkeypatch.setattr(attention, "write_to", lambda app, text: written.append(text))
    terminal = Tty()

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()

    with kept_title(terminal):
        drive(scenario, FakeEngine())
    assert (written, terminal.getvalue()) == ([], "")


def test_the_title_that_was_there_comes_back_however_the_app_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    terminal = Tty()
    with pytest.raises(RuntimeError), kept_title(terminal):
        assert terminal.getvalue() == PUSH
        raise RuntimeError
    assert terminal.getvalue() == PUSH + osc2("") + POP


def test_what_is_no_terminal_is_told_nothing() -> None:
    file = io.StringIO()
    with kept_title(file):
        pass
    assert file.getvalue() == ""
