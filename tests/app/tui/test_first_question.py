"""A chat can begin with a question: `slipstream chat --ask TEXT`."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widget import Widget

from app.files.attachments import Attachment, pasted
from app.last import Last
from app.tui.chat_parts import ChatParts
from app.tui.chats.resuming import Resuming
from app.tui.screens.chat import ChatScreen
from app.tui.screens.help import HelpScreen
from tests.app.tui.chats.test_resuming import Watched
from tests.app.tui.driving import SIZES, Chat, Scenario, app_of, opened
from tests.app.tui.fakes import FakeEngine, FakeSettings
from tests.patience import PATIENCE_S

QUESTION = "What does os.path.join do?"


def start(
    folder: Path, question: str, scenario: Scenario, size: tuple[int, int] = SIZES[0]
) -> None:
    """Start the app with a question, on an engine that loads until it is released; play when all
    is done that the start brings.
    """
    engine = FakeEngine(hold_load=True)

    async def run() -> None:
        resuming = Watched(folder / "last.json", Last(), True, "", question)
        parts = ChatParts(engine, FakeSettings(), resuming=resuming)
        app = app_of(parts)
        async with app.run_test(size=size) as pilot:
            chat = await opened(app, pilot, engine)
            await chat.until(lambda: resuming.is_over)
            await scenario(chat)
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


async def begin(chat: Chat, folder: Path, question: str) -> None:
    """Begin as the start does, with what is in the prompt by now."""
    resuming = Resuming(folder / "other.json", Last(), True, "", question)
    await resuming.begin(chat.screen, chat.screen._changed)


def test_what_was_typed_and_pasted_meanwhile_stays(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note.")

    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("and then?")
        chat.prompt.attach(pasted("line\n" * 50, 1))
        await begin(chat, tmp_path, f"second @{tmp_path / 'note.txt'}")
        await chat.until(lambda: len(chat.turns) == 2)
        assert (chat.prompt.text, len(chat.prompt.attachments)) == ("and then?", 1)
        assert [each.text for each in chat.turns[1].attachments] == ["A note."]

    start(tmp_path, QUESTION, scenario)


def test_it_is_asked_in_its_own_chat_however_long_its_files_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read, question = threading.Event(), "second @note.txt"

    def slowly(*_: object) -> list[Attachment]:
        assert may_read.wait(PATIENCE_S)
        return []

    monkeypatch.setattr("app.tui.chats.resuming.attached", slowly)

    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ask("one")
        await chat.answered()
        await chat.pilot.press("ctrl+n")
        tabs, asking = chat.screen.tabs, chat.screen.asking
        beginning = asyncio.create_task(begin(chat, tmp_path, question))
        await chat.until(lambda: bool(asking.on_way))
        await chat.pilot.press("alt+1")
        await chat.until(lambda: len(chat.turns) == 1 and len(tabs.open) == 2)
        await chat.pilot.press("ctrl+e")
        await chat.until(lambda: chat.prompt.text == "one")
        may_read.set()
        await beginning
        conversation = asking.conversation
        await chat.until(lambda: [turn.question for turn in conversation.turns] == [question])
        assert chat.screen.asking.editing is not None and chat.prompt.text == "one"

    start(tmp_path, "", scenario)


@pytest.mark.parametrize(
    ("question", "why"),
    [("/serach it", "did you mean /search?"), ("see @nowhere.txt", "nowhere.txt")],
)
def test_a_question_that_is_refused_says_why_and_leaves_what_was_typed_alone(
    question: str, why: str, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        chat.prompt.insert("and then?")
        await begin(chat, tmp_path, question)
        await chat.until(lambda: chat.toasts(why))
        assert (chat.prompt.text, chat.turns) == ("and then?", [])

    start(tmp_path, "", scenario)


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
        await chat.pilot.pause()
        assert not chat.turns and not chat.engine.asked

    start(tmp_path, "", scenario)


def test_nothing_but_the_prompt_has_the_focus_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Textual scrolls to what it focuses: an offer out of sight would end the following."""
    focused: list[str] = []

    def set_focus(screen: Screen[None], widget: Widget | None, *args: bool, **named: bool) -> None:
        focused.append(type(widget).__name__)
        Screen.set_focus(screen, widget, *args, **named)

    monkeypatch.setattr(ChatScreen, "set_focus", set_focus)

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        chat.engine.release()
        await chat.answered()
        assert set(focused) == {"Prompt"} and chat.transcript.is_followed

    start(tmp_path, QUESTION, scenario, (80, 16))
