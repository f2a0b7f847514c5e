"""Toasts lie where nobody types or answers, and go when what they told is read or over."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.geometry import Region
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Button, Input

from app.history import History
from app.tui.chat_parts import ChatParts
from app.tui.screens.chats import ChatsScreen
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.file_ask import ImportScreen
from app.tui.screens.help import HelpScreen
from app.tui.toasts import BRIEF_S, GRAVE_S
from app.tui.widgets.prompt import Prompt
from tests.app.tui.driving import SIZES, Chat, Scenario, app_of, drive, opened
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words

LONG = "Something went quite wrong, and this line says at some length what that was. " * 2
AT_ALL_SIZES = pytest.mark.parametrize("size", [(60, 20), *SIZES], ids=["60x20", "80x24", "160x50"])


def play(scenario: Scenario, size: tuple[int, int], folder: Path) -> None:
    """Play where toasts are painted, too."""

    async def run() -> None:
        engine, history = FakeEngine(), History.open(folder / "history.db")
        app = app_of(ChatParts(engine, FakeSettings(), None, history))
        async with app.run_test(size=size, notifications=True) as pilot:
            await scenario(await opened(app, pilot, engine))

    asyncio.run(run())


async def told_at(chat: Chat, text: str = LONG) -> list[Region]:
    """Tell something and return where it is on the screen."""
    chat.app.notify(text, severity="error")
    seen = chat.app.screen
    await chat.until(lambda: any(toast.region for toast in seen.query("Toast")))
    return [toast.region for toast in seen.query("Toast")]


def stays_for(chat: Chat) -> list[float]:
    return [told.timeout for told in chat.app._notifications]


@AT_ALL_SIZES
def test_a_toast_hides_nothing_of_what_is_typed(size: tuple[int, int], tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        regions = await told_at(chat)
        field = chat.screen.query_one(Prompt).region
        assert field and not any(field.overlaps(region) for region in regions)
        assert all(region.y > 0 for region in regions), "the first line says the state"

    play(scenario, size, tmp_path)


@AT_ALL_SIZES
@pytest.mark.parametrize("key, kind", [("f3", ChatsScreen), ("f1", HelpScreen)])
def test_a_toast_lies_below_where_the_field_is_above(
    key: str, kind: type[Screen[object]], size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.pilot.press(key)
        await chat.until(lambda: isinstance(chat.app.screen, kind))
        regions = await told_at(chat)
        field = chat.app.screen.query_one(Input).region
        assert field and not any(field.overlaps(region) for region in regions)

    play(scenario, size, tmp_path)


@AT_ALL_SIZES
@pytest.mark.parametrize("kind", ["confirm", "import"])
def test_a_toast_hides_no_answer_of_a_box(kind: str, size: tuple[int, int], tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        history = chat.screen.history
        assert history is not None
        many = ["A line of it."] * 30
        boxes: dict[str, Screen[object]] = {
            "confirm": ConfirmScreen("Erase all of them?", many, "Erase", "Keep"),
            "import": ImportScreen(history),
        }
        await chat.app.push_screen(boxes[kind])
        regions = await told_at(chat)
        for button in chat.app.screen.query(Button):
            assert not any(button.region.overlaps(region) for region in regions)

    play(scenario, size, tmp_path)


def test_a_toast_stands_where_the_one_that_it_replaced_stood(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        rows: list[int] = []
        for number in range(3):
            text = f"This is told as number {number}."
            chat.app.notify(text)
            await chat.until(lambda text=text: chat.shows(text))  # type: ignore[misc]
            rows += [y for y, line in enumerate(chat.lines) if text in line]
        assert rows == [rows[0]] * 3

    play(scenario, SIZES[0], tmp_path)


@pytest.mark.parametrize(
    "text, severity, stay",
    [
        ("Copied.", "information", BRIEF_S),
        ("Copied.", "error", GRAVE_S),
        ("x" * 200, "information", 10.0),
    ],
)
def test_a_confirmation_is_brief_and_what_is_long_or_grave_stays_to_be_read(
    text: str, severity: SeverityLevel, stay: float
) -> None:
    async def scenario(chat: Chat) -> None:
        chat.app.notify(text, severity=severity)
        await chat.until(lambda: bool(stays_for(chat)))
        assert stays_for(chat) == [stay]

    drive(scenario, FakeEngine())


def test_what_told_of_the_former_action_goes_with_the_next_one() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("/undo")
        await chat.until(lambda: chat.toasts("Not while an answer is written"))
        await chat.pilot.press("escape")
        await chat.answered()
        assert not chat.toasts("Not while an answer is written")

    drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=1)))


def test_an_error_stays_whatever_is_done_next() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("/draft nobody")
        await chat.until(lambda: chat.toasts("There is no drafter"))
        await chat.pilot.press("pageup", "pagedown")
        await chat.pilot.pause()
        assert chat.toasts("There is no drafter")

    drive(scenario, FakeEngine())


def test_what_told_of_a_deletion_goes_when_it_is_undone(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        await chat.pilot.press("f3")
        await chat.until(lambda: isinstance(chat.app.screen, ChatsScreen))
        await chat.until(lambda: "Delete" in chat.lines[-1])
        await chat.pilot.press("ctrl+d")
        await chat.until(lambda: chat.toasts("is deleted"))
        await chat.pilot.press("ctrl+z")
        await chat.until(lambda: chat.toasts("It is back."))
        assert not chat.toasts("is deleted")

    drive(scenario, FakeEngine(), history=History.open(tmp_path / "history.db"))
