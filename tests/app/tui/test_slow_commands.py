"""A command that takes long holds up neither what is shown of an answer nor its own order."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from app.history import History
from app.tui.chats import chat_files
from tests.app.tui.branching import play, talk
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words
from tests.patience import PATIENCE_S

HALF = Answer(words("Half an answer."), hold_after=2)


class SlowDisk:
    """Nothing is exported before `may_write` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.may_write, self._real = threading.Event(), chat_files.exported
        monkeypatch.setattr(chat_files, "exported", self._exported)

    def _exported(self, history: History, chat: int, form: chat_files.Form) -> chat_files.Exported:
        assert self.may_write.wait(PATIENCE_S)
        return self._real(history, chat, form)


def title(chat: Chat) -> str:
    return chat.screen.tabs.title(chat.screen.tabs.open.current)


def test_words_go_on_coming_and_what_is_typed_behind_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await chat.ask("second")
        await chat.until(lambda: chat.turns[-1].text.startswith("Half"))
        await chat.ask(f"/export {tmp_path / 'kept.md'}")
        await chat.ask("/rename Later")
        await chat.ask("third")
        chat.engine.release()
        await chat.until(lambda: chat.turns[-1].over and chat.shows("Half an answer."))
        assert title(chat) == "first" and len(chat.turns) == 2
        disk.may_write.set()
        await chat.answered(3)
        assert title(chat) == "Later" and chat.toasts("Exported to")
        assert "second" in (tmp_path / "kept.md").read_text()

    play(tmp_path, scenario, Answer(words("Yes.")), HALF, Answer(words("No.")))


def test_what_waits_behind_it_comes_to_the_chat_in_which_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SlowDisk(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        asked_in = chat.screen.asking
        await chat.ask(f"/export {tmp_path / 'kept.md'}")
        await chat.ask("second")
        await chat.ask("/rename Later")
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.asking is not asked_in)
        disk.may_write.set()
        await chat.until(lambda: [turn.question for turn in asked_in.conversation.turns] == [
            "first", "second",
        ])  # fmt: skip
        await chat.until(lambda: chat.toasts("/rename is not done: you went on to another chat"))
        assert not chat.transcript.turns and title(chat) == "New chat"

    play(tmp_path, scenario)
