"""Who looks elsewhere is told: the terminal's title says what goes on, the bell that it is over."""

from __future__ import annotations

import argparse
import errno
import io
import os
import subprocess
import time
from pathlib import Path

import pytest
from textual import events

from app.history import History
from app.settings.config import settings_for_pair
from app.terminal import tmux_window
from app.tui import attention
from app.tui.actions.tuning import apply, give_back
from app.tui.attention import ANSWERED, BUSY, CHOICE, MEASURED, NAME, title
from app.tui.screens.bench import BenchScreen
from app.tui.terminal.terminal_title import POP, PUSH, kept_title, osc2
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.driving import Chat, Scenario, drive
from tests.app.tui.fake_models import ALPHA, FakeModels, settings_of
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.small_engine import SmallEngine
from tests.app.tui.test_screen import CONTROL
from tests.patience import PATIENCE_S

JOIN = words("It joins one or more path segments.")


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


class Told:
    """What the terminal was told. notices: notifications; rung: how often the bell was."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TERM", "foot")
        for name in ("TMUX", "STY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(attention, "write_to", lambda app, text: self.take(text))
        self.notices: list[str] = []
        self.rung = 0

    def take(self, text: str) -> None:
        if text.startswith("\x1b]777;notify;"):
            self.notices.append(text.removeprefix("\x1b]777;notify;").removesuffix("\x07"))

    def listen(self, chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
        def ring() -> None:
            self.rung += 1

        monkeypatch.setattr(chat.app, "bell", ring)


def keep(folder: Path, scenario: Scenario, engine: FakeEngine) -> None:
    """Drive chats that are kept."""
    drive(scenario, engine, history=History.open(folder / "history.db"))


def until_free(program: Path) -> None:
    """Wait until what was just written can be run: a process that another thread begins meanwhile
    may hold it open for a moment.
    """
    for _ in range(1000):
        try:
            subprocess.run([program], stdout=subprocess.DEVNULL, check=True)
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(0.01)
        else:
            return
    raise AssertionError(f"{program} is still written to")


async def look_away(chat: Chat) -> None:
    chat.app.post_message(events.AppBlur())
    await chat.until(lambda: not chat.app.app_focus)


NOTICE = f"{NAME};{ANSWERED}: What is a path?"


@pytest.mark.parametrize(
    ("long_s", "looks", "notify", "rings", "notices"),
    [
        (-1.0, False, None, 1, [NOTICE]),
        (-1.0, False, "desktop", 1, [NOTICE]),
        (-1.0, False, "bell", 1, []),
        (-1.0, False, "off", 0, []),
        (-1.0, True, None, 0, []),
        (600.0, False, None, 0, []),
    ],
    ids=["unasked", "desktop", "the bell alone", "off", "somebody looks", "a short answer"],
)
def test_who_looks_elsewhere_is_told_when_a_long_answer_is_done(
    long_s: float,
    looks: bool,
    notify: str | None,
    rings: int,
    notices: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attention, "LONG_S", long_s)
    told = Told(monkeypatch)

    async def scenario(chat: Chat) -> None:
        told.listen(chat, monkeypatch)
        if notify is not None:
            apply(chat.screen, "notify", notify)
        await chat.ask("What is a path?")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        if not looks:
            await look_away(chat)
        chat.engine.release()
        await chat.answered(2)
        assert (told.rung, told.notices) == (rings, notices), "once, and with no word of the answer"

    keep(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN)))


@pytest.mark.parametrize(
    ("says", "rings"),
    [("1 1", 0), ("0 1", 1), ("1 0", 1), ("", 0)],
    ids=["in sight", "behind another window", "detached", "a tmux that says nothing"],
)
def test_in_tmux_which_tells_no_focus_who_chose_another_window_is_called(
    says: str, rings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", -1.0)
    monkeypatch.setattr(tmux_window, "TIMEOUT_S", PATIENCE_S)
    told = Told(monkeypatch)
    tmux, asked = tmp_path / "bin" / "tmux", tmp_path / "asked"
    tmux.parent.mkdir()
    tmux.write_text(f'#!/bin/sh\necho "$*" >> {asked}\necho {says}\n')
    tmux.chmod(0o755)
    until_free(tmux)
    asked.unlink()
    monkeypatch.setenv("PATH", str(tmux.parent), prepend=os.pathsep)
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    monkeypatch.setenv("TMUX_PANE", "%7")

    async def scenario(chat: Chat) -> None:
        told.listen(chat, monkeypatch)
        await chat.ask("What is a path?")
        await chat.answered()
        await chat.until(asked.exists)
        await chat.until(lambda: all(w.group != "attention" for w in chat.app.workers))
        assert told.rung == rings
        assert "-t %7 #{window_active}" in asked.read_text()

    keep(tmp_path, scenario, FakeEngine(Answer(JOIN)))


@pytest.mark.parametrize(("n", "said"), [(1, ANSWERED), (20, CHOICE)])
def test_of_a_private_chat_no_word_goes_to_the_desktop(
    n: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", -1.0)
    told = Told(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("Tell me of paths")
        await chat.until(lambda: chat.state == "answering")
        await look_away(chat)
        chat.engine.release()
        await chat.until(lambda: bool(told.notices))
        assert told.notices == [f"{NAME};{said}"]

    drive(scenario, SmallEngine(Answer(words("many words " * n), hold_after=1)))


def test_it_names_the_chat_that_was_answered_and_not_the_one_in_sight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", -1.0)
    told = Told(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await chat.ask("What is a path?")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("ctrl+n")
        await look_away(chat)
        chat.engine.release()
        await chat.until(lambda: told.notices == [NOTICE])

    keep(tmp_path, scenario, FakeEngine(Answer(JOIN, hold_after=2)))
    assert told.notices == [NOTICE]


def test_a_choice_that_waits_is_told_and_the_answer_that_led_to_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LONG_S", -1.0)
    told = Told(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("Tell me of paths")
        await chat.until(lambda: chat.state == "answering")
        await look_away(chat)
        chat.engine.release()
        await chat.until(lambda: chat.screen.full_choice.display)
        assert told.notices == [f"{NAME};{CHOICE}: Tell me of paths"]

    keep(tmp_path, scenario, SmallEngine(Answer(words("many words " * 20), hold_after=2)))


def test_a_download_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch)
    models = FakeModels()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        desk = chat.screen.desk
        assert desk is not None
        await look_away(chat)
        desk.pulls.start("gamma")
        await chat.until(lambda: "gamma" in models.pullers)
        assert told.notices == []
        models.pullers["gamma"].finish()
        await chat.until(lambda: told.notices == [f"{NAME};Installed: gamma"])

    drive(scenario, FakeEngine(), settings=settings_of(ALPHA), models=models)


def test_a_benchmark_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Told(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.action_act("bench")
        await chat.until(lambda: isinstance(chat.app.screen, BenchScreen))
        screen = chat.app.screen
        assert isinstance(screen, BenchScreen)
        await look_away(chat)
        await screen._after()
        assert told.notices == [f"{NAME};{MEASURED}: {settings.title}"]

    settings = settings_for_pair(argparse.Namespace(), "demo")
    drive(scenario, FakeEngine(), settings=settings)


def test_how_one_is_told_changes_at_once_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert apply(chat.screen, "notify", "off") == ""
        assert chat.screen.session.settings.habits.notify == "off"
        assert give_back(chat.screen, "notify", "desktop") == ""
        assert chat.screen.session.settings.habits.notify == "desktop"
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
        await chat.ask("second")
        await chat.until(lambda: written[-1] == osc2(f"{BUSY} · What is a path?"))
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.ask("another chat")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        assert written[-1] == osc2(f"{BUSY} · What is a path?"), "which is the one that is answered"
        await chat.screen.action_act("take-back")
        chat.engine.release()
        await chat.until(lambda: written[-1] == osc2(NAME))

    drive(scenario, FakeEngine(Answer(JOIN, hold_after=2)))


@pytest.mark.parametrize("text", HOSTILE_AT_ONCE.values(), ids=HOSTILE_AT_ONCE.keys())
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
