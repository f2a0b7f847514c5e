"""What the disk does not take is missing in what is exported, and that is told."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from app.errors import HistoryError
from app.history import History
from app.history.writer import Writer
from app.tui.chats.chat_files import FORMS, LACKS, Form, exported
from tests.app.history.chats import said
from tests.app.tui.branching import play, talk
from tests.app.tui.chats_driving import Kept, Seen, look
from tests.app.tui.driving import Chat
from tests.app.tui.test_chats_files import asked, left

FULL = "database or disk is full"


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why the disk takes nothing, as long as the list holds something."""
    why: list[str] = []
    write_all = Writer._write_all

    def refusing(writer: Writer, *given: Any) -> list[str]:
        if why:
            raise sqlite3.OperationalError(why[0])
        return write_all(writer, *given)

    monkeypatch.setattr(Writer, "_write_all", refusing)
    return why


@pytest.mark.parametrize("form", FORMS)
def test_an_export_holds_what_is_saved_and_says_what_it_lacks(
    tmp_path: Path, refused: list[str], form: Form
) -> None:
    history = History.open(tmp_path / "history.db")
    chat = said(history, "kept")
    assert exported(history, chat, form).lacks == ""
    refused.append(FULL)
    said(history, "lost", chat=chat)
    found = exported(history, chat, form)
    assert found.lacks == LACKS and b"kept" in found.content and b"lost" not in found.content
    with pytest.raises(HistoryError, match=r"^Nothing of this chat could be saved yet"):
        exported(history, said(history, "another"), form)
    refused.clear()
    found = exported(history, chat, form)
    assert found.lacks == "" and b"lost" in found.content
    assert history.close()


def test_of_what_was_refused_in_another_chat_it_is_not_said_that_it_is_missing(
    tmp_path: Path,
) -> None:
    history = History.open(tmp_path / "history.db")
    chat = said(history, "whole")
    assert exported(history, chat, "md").lacks == ""
    history.add(chat + 1, None, "user", "of a chat that was erased")
    lacks = exported(history, chat, "md").lacks
    assert lacks == LACKS and lacks.endswith("if any of it is of this chat, the file lacks it.")
    assert not history.close()


def test_the_command_says_so(tmp_path: Path, refused: list[str]) -> None:
    file = tmp_path / "kept.md"

    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        assert chat.screen.history is not None and chat.screen.history.flush()
        refused.append(FULL)
        await chat.ask("second")
        await chat.answered(2)
        await chat.ask(f"/export {file}")
        await chat.until(lambda: chat.toasts(LACKS))
        assert chat.toasts("Exported to") and "second" not in file.read_text("utf-8")
        refused.clear()

    play(tmp_path, scenario)


def test_the_list_says_so(
    tmp_path: Path, refused: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = Kept(tmp_path / "data")
    (chat,) = kept.chats("first")

    async def scenario(seen: Seen) -> None:
        refused.append(FULL)
        said(kept.history, "second", chat=chat)
        await asked(seen, "ctrl+e")
        await seen.press("enter")
        await left(seen)
        assert seen.toasts(LACKS) and "second" not in (tmp_path / "first.md").read_text("utf-8")
        refused.clear()

    look(scenario, kept)
