"""Drives a chat about pictures, and tells what its engine was shown."""

from __future__ import annotations

from pathlib import Path

from app.history import History
from tests.app.tui.driving import NARROW, Chat, Scenario, drive
from tests.app.tui.fakes import FakeEngine, FakeSettings
from tests.app.tui.seeing import SeeingEngine, Sighted


def see(
    scenario: Scenario,
    folder: Path | None,
    engine: FakeEngine | None = None,
    settings: FakeSettings | None = None,
    size: tuple[int, int] = NARROW,
) -> None:
    """Play with a history in this folder; None: nothing is kept."""
    history = History.open(folder / "history.db") if folder is not None else None
    drive(scenario, engine or SeeingEngine(), size, settings or Sighted(), history=history)


def seen(chat: Chat, request: int = -1) -> list[list[bytes]]:
    """Return what the engine would read of the pictures of each question."""
    assert isinstance(chat.engine, SeeingEngine)
    return [[Path(p.path).read_bytes() for p in each] for each in chat.engine.shown(request)]


def kept(folder: Path) -> list[Path]:
    album = folder / "pictures"
    return sorted(album.iterdir()) if album.is_dir() else []


async def ask_of_cat(chat: Chat) -> None:
    await chat.ready()
    await chat.ask("What is on @cat.png ?")
    await chat.answered()


async def reopened(chat: Chat) -> None:
    """Open the chat about the cat from the list of chats, by a search for the picture's name."""
    await chat.ready()
    await chat.screen.action_act("search")
    await chat.until(lambda: not chat.is_on_top)
    await chat.pilot.press(*"cat")
    await chat.until(lambda: chat.shows("1 found"))
    await chat.pilot.press("enter")
    await chat.until(lambda: chat.is_on_top and len(chat.turns) == 1)
    await chat.until(lambda: chat.shows("cat.png (PNG"))
