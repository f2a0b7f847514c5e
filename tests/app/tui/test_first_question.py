"""A chat can begin with a question: `slipstream chat --ask TEXT`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.last import Last
from app.tui.furniture import Furniture
from app.tui.resuming import Resuming
from app.tui.screens.help import HelpScreen
from tests.app.tui.driving import SIZES, Chat, Scenario, furnished, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings

QUESTION = "What does os.path.join do?"


def start(
    folder: Path, question: str, scenario: Scenario, size: tuple[int, int] = SIZES[0]
) -> None:
    """Start the app with a question, on an engine that loads until it is released."""
    engine = FakeEngine(hold_load=True)

    async def run() -> None:
        resuming = Resuming(folder / "last.json", Last(), True, "", question)
        furniture = Furniture(engine, FakeSettings(), resuming=resuming)
        app = furnished(furniture)
        async with app.run_test(size=size) as pilot:
            await scenario(await opened(app, pilot, engine))
            engine.release()

    asyncio.run(run())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_question_waits_for_the_model_and_is_answered(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows(QUESTION))
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        chat.engine.release()
        await chat.answered()
        assert [asked[-1].content for asked in chat.engine.asked] == [QUESTION]
        await chat.pilot.press("up")
        assert chat.prompt.text == QUESTION

    start(tmp_path, QUESTION, scenario, size)


def test_what_was_typed_meanwhile_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        chat.prompt.insert("and then?")
        chat.screen.run_worker(
            Resuming(tmp_path / "other.json", Last(), True, "", "second").begin(
                chat.screen, chat.screen._changed
            )
        )
        await chat.until(lambda: len(chat.turns) == 2)
        assert chat.prompt.text == "and then?"

    start(tmp_path, QUESTION, scenario)


def test_a_command_is_carried_out_as_if_it_were_typed(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: isinstance(chat.app.screen, HelpScreen))
        assert not chat.turns and chat.prompt.text == ""

    start(tmp_path, "/help", scenario)


def test_without_a_question_nothing_is_asked(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("Try one of these"))
        chat.engine.release()
        await chat.ready()
        assert not chat.turns

    start(tmp_path, "", scenario)
