"""Esc and the next key may come at once, as over ssh: a screen that is left takes Esc alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.content import Content
from textual.screen import Screen

from app.history import History
from app.tui.screens.answer_source import AnswerSource
from app.tui.screens.bench import BenchScreen
from app.tui.screens.choice_box import ChoiceBox
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.deleted import DeletedScreen
from app.tui.screens.doctor import DoctorScreen
from app.tui.screens.file_ask import ExportScreen, ImportScreen
from app.tui.screens.inspector import Inspector
from app.tui.screens.log import LogScreen
from app.tui.screens.models import ModelsScreen
from app.tui.screens.pasted_source import PastedSource
from app.tui.screens.save_code import SaveCode
from app.tui.screens.settings import SettingsScreen
from app.tui.text.code_blocks import CodeBlock
from tests.app.bench.making import result
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_bench_screen import FakeBench
from tests.app.tui.test_doctor_screen import DISK, FakeCheckup
from tests.app.tui.test_inspector import STEPS, TITLE
from tests.app.tui.test_settings_screen import Chat as Chosen

PUSHED: dict[str, Callable[[History], Screen[Any]]] = {
    "answer source": lambda _: AnswerSource("An answer.", "A question?"),
    "benchmark": lambda _: bench_screen(FakeBench(result())),
    "choice box": lambda _: ChoiceBox("Which?", [Content("this"), Content("that")]),
    "confirm": lambda _: ConfirmScreen("Remove it?", ["It goes."], "Remove", "Keep"),
    "deleted": lambda history: DeletedScreen(history, time.time),
    "doctor": lambda _: DoctorScreen(FakeCheckup(DISK), lambda line: "Copied.", True),
    "export": lambda history: ExportScreen(history, 1, "A chat"),
    "import": lambda history: ImportScreen(history),
    "inspector": lambda _: Inspector(STEPS, TITLE),
    "log": lambda _: LogScreen("a line\n"),
    "pasted": lambda _: PastedSource("A text.", "A label", lambda: None),
    "save code": lambda _: SaveCode(CodeBlock("print()", "python")),
    "settings": lambda _: settings_screen(Chosen()),
}
OPENED = {
    "help": "f1",
    "chats": "f3",
    "models": "ctrl+o",
    "files": "alt+a",
    "blocks": "alt+j",
    "palette": "ctrl+p",
}


def bench_screen(bench: FakeBench) -> BenchScreen:
    return BenchScreen("Demo", bench.start, bench.before, bench.after)


def settings_screen(chosen: Chosen) -> SettingsScreen:
    return SettingsScreen(chosen.now, chosen.apply, chosen.apply)


async def at_once(chat: Chat, *keys: str) -> None:
    """Press keys without waiting for what each one does."""
    for key in keys:
        chat.app.post_message(events.Key(key, None))
    await chat.pilot.pause()


async def lay_over(chat: Chat, name: str, history: History) -> None:
    """Have a screen lie over a chat in which something was answered."""
    await chat.ready()
    await chat.ask("how?")
    await chat.answered()
    if name in PUSHED:
        await chat.app.push_screen(PUSHED[name](history))
    else:
        await chat.pilot.press(OPENED[name])
    await chat.until(lambda: not chat.is_on_top)
    await chat.pilot.pause()


@pytest.mark.parametrize("name", [*PUSHED, *OPENED])
def test_a_key_that_comes_with_escape_is_one_of_the_chat(name: str, tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await lay_over(chat, name, history)
        left = chat.app.screen
        await at_once(chat, "escape", "ctrl+o")
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        assert chat.models is not left
        assert left not in chat.app.screen_stack

    history = History.open(tmp_path / "history.db")
    engine = FakeEngine(Answer(words("An answer.")))
    drive(scenario, engine, models=FakeModels(), history=history)
