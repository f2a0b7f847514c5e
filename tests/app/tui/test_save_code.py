"""Code of an answer is saved as a file of its language; none is replaced unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from app.tui.screens.block_cursor import BlockCursor
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.save_code import SaveCode, ending_of
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_block_cursor import asked, stepping
from tests.app.tui.text.test_shown_blocks import ANSWER


def proposed(chat: Chat) -> Path | None:
    """Return where code is to be saved, None while that is not asked."""
    screen = chat.app.screen
    fields = screen.query(Input) if isinstance(screen, SaveCode) else ()
    return next((Path(field.value) for field in fields), None)


def test_code_is_saved_and_a_file_that_is_there_is_replaced_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "code.py"

    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        await chat.pilot.press("g", "s")
        await chat.pilot.pause()
        assert isinstance(chat.app.screen, BlockCursor), "a heading is not saved"
        await chat.pilot.press("n", "n", "s")
        await chat.until(lambda: proposed(chat) == path)
        path.write_text("mine\n")
        await chat.pilot.press("enter")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.pilot.press("escape", "escape")
        await chat.until(lambda: isinstance(chat.app.screen, BlockCursor))
        assert path.read_text() == "mine\n"
        await chat.pilot.press("s")
        await chat.until(lambda: proposed(chat) == tmp_path / "code-2.py")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.toasts("code-2.py"))
        assert (tmp_path / "code-2.py").read_text() == "import os\n\nos.sep\n"

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_where_it_cannot_be_saved_is_said_and_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        await chat.pilot.press("g", "n", "s")
        await chat.until(lambda: isinstance(chat.app.screen, SaveCode))
        await chat.pilot.press("home", *"no/", "enter")
        await chat.until(lambda: chat.shows("There is no folder"))
        assert isinstance(chat.app.screen, SaveCode)
        assert list(tmp_path.iterdir()) == []

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


@pytest.mark.parametrize(
    ("language", "ending"),
    [("python", "py"), ("bash", "sh"), ("rust", "rs"), ("c++", "cpp"), ("", "txt"), ("?!", "txt")],
)
def test_a_file_of_code_is_named_by_its_language(language: str, ending: str) -> None:
    assert ending_of(language) == ending
