"""A chat is given a title from within: in the history, the line of open chats, the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui import attention
from app.tui.terminal.terminal_title import osc2
from tests.app.tui.branching import play
from tests.app.tui.chats.test_tabs import line, press
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine


async def two(chat: Chat) -> None:
    await chat.ready()
    await chat.ask("one")
    await chat.answered()
    await press(chat, "ctrl+n")
    await chat.ask("two")
    await chat.answered()


def test_a_title_is_kept_and_shown_in_the_line_and_by_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    written: list[str] = []
    monkeypatch.setattr(attention, "write_to", lambda app, text: written.append(text))

    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.ask("/rename Of paths\x07 and names")
        await chat.until(lambda: line(chat).startswith(" 1 one [2 Of paths and names]"))
        await chat.until(lambda: written[-1] == osc2("Slipstream · Of paths and names"))
        history, number = chat.screen.history, chat.screen.tabs.open.current.number
        assert history is not None and number is not None and history.flush()
        assert history.chat(number).info.title == "Of paths and names"
        assert chat.toasts("“Of paths and names”")

    play(tmp_path, scenario)


def test_alone_it_puts_the_present_title_into_the_prompt_to_be_changed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.ask("/rename")
        await chat.until(lambda: chat.prompt.text == "/rename two")
        await chat.screen.action_act("rename")
        assert chat.prompt.text == "/rename two", "once is enough"
        await chat.pilot.press(*", again", "enter")
        await chat.until(lambda: "[2 two, again]" in line(chat))
        assert chat.prompt.text == "" and len(chat.engine.asked) == 2

    play(tmp_path, scenario)


def test_a_chat_is_called_alike_everywhere_when_its_first_question_was_changed(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.pilot.press("ctrl+e")
        chat.prompt.text = "three"
        await chat.pilot.press("enter")
        await chat.until(lambda: [turn.question for turn in chat.turns] == ["three"])
        await chat.answered()
        history, number = chat.screen.history, chat.screen.tabs.open.current.number
        assert history is not None and number is not None and history.flush()
        assert history.chat(number).info.title == "two"
        assert line(chat).startswith(" 1 one [2 two]")
        await chat.ask("/rename Other")
        await chat.until(lambda: "[2 Other]" in line(chat))

    play(tmp_path, scenario)


def test_a_chat_without_a_question_has_nothing_to_be_renamed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/rename Something")
        await chat.until(lambda: chat.toasts("its first question gives it one"))
        assert line(chat) == "" and chat.turns == []

    play(tmp_path, scenario)


def test_a_chat_of_which_nothing_is_kept_has_its_title_in_the_line() -> None:
    async def scenario(chat: Chat) -> None:
        await two(chat)
        await chat.ask("/rename Secret")
        await chat.until(lambda: "[2 Secret]" in line(chat))
        assert chat.screen.history is None

    drive(scenario, FakeEngine())
