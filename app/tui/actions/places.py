"""Other chats, models, and the way out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 4
POLL_S = 0.05
NAMES = {"escape": "Esc", "pageup": "Page up", "pagedown": "Page down"}


async def new(chat: ChatScreen, _: str) -> None:
    """Begin a new chat; the old one stays open."""
    await chat.tabs.new()


def model(chat: ChatScreen, name: str) -> None:
    """Choose another pair, download or remove one."""
    if chat.choosing is not None:
        chat.choosing.open(name)


def pairs(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer all pairs, as far as somebody has looked."""
    offers = chat.desk.facts.offers if chat.desk is not None else ()
    return [(offer.name, offer.state) for offer in offers]


def has_models(chat: ChatScreen) -> bool:
    return chat.choosing is not None


def show_help(chat: ChatScreen, wanted: str) -> None:
    """Show all keys and commands, and what the figures mean; wanted: only what is about that."""
    from app.slash import SLASHES
    from app.tui.actions import ACTIONS as ALL
    from app.tui.help_words import TYPING, Entry, Section
    from app.tui.screens.help import HelpScreen

    keys = [
        Entry(pretty(action.keys[0]), action.about, also=f"{action.title} {action.also}")
        for action in ALL.values()
        if action.keys
    ]
    commands = [
        Entry(slash.usage, slash.help, also=" ".join((*slash.aliases, ALL[slash.name].also)))
        for slash in SLASHES
    ]
    sections = [TYPING, Section("Keys", tuple(keys)), Section("Commands", tuple(commands))]
    chat.app.push_screen(HelpScreen(sections, wanted))


def pretty(key: str) -> str:
    """Write a key as it stands on a keyboard: ctrl+r is Ctrl+R, escape Esc."""
    return "+".join(NAMES.get(part, part.capitalize()) for part in key.split("+"))


def doctor(chat: ChatScreen, _: str) -> None:
    """Check this machine."""
    from app.tui.checkup import LocalCheckup
    from app.tui.copied import copied_now
    from app.tui.screens.doctor import DoctorScreen

    app = chat.app
    checkup = LocalCheckup(chat.figures)
    screen = DoctorScreen(checkup, lambda line: copied_now(app, line), not chat.is_resting)
    chat.app.push_screen(screen)


def bench(chat: ChatScreen, _: str) -> None:
    """Measure how fast this pair is here; the chat's engine rests meanwhile."""
    from app.config import ChatSettings
    from app.tui.benching import QuickBench
    from app.tui.own_settings import asked_as
    from app.tui.screens.bench import BenchScreen

    if not isinstance(chat.session.settings, ChatSettings):
        return
    settings = asked_as(chat.session.settings, chat.session.conversation)

    async def rest() -> None:
        await chat.session.unload()
        while not chat.is_resting or chat.gauge.pid is not None:
            await asyncio.sleep(POLL_S)

    async def load_again() -> None:
        chat.session.start()

    chat.app.push_screen(
        BenchScreen(settings.title, lambda: QuickBench(settings), rest, load_again)
    )


def is_free(chat: ChatScreen) -> bool:
    return chat.session.is_free


async def leave(chat: ChatScreen, _: str) -> None:
    """Leave."""
    await chat.app.run_action("quit")


ACTIONS = (
    Action(
        "new",
        "New chat",
        "begin a new chat",
        new,
        ("ctrl+n", "ctrl+l"),
        True,
        also="clear reset tab",
    ),
    Action(
        "model",
        "Models",
        "choose, download or remove models",
        model,
        ("ctrl+o",),
        True,
        has_models,
        pairs,
        kept=True,
        also="change switch pair pull llm gguf",
    ),
    Action(
        "help",
        "Help",
        "keys, commands, what the figures mean",
        show_help,
        ("f1",),
        True,
        kept=True,
        also="shortcuts keys bindings manual what how",
    ),
    Action(
        "doctor",
        "Doctor",
        "check this machine, and why it is not faster",
        doctor,
        also="speed slow gpu problem",
    ),
    Action(
        "bench",
        "Benchmark",
        "measure how fast this pair is here",
        bench,
        (),
        False,
        is_free,
        also="speed test",
    ),
    Action("quit", "Quit", "leave", leave, ("ctrl+q",), True, kept=True, also="exit close end"),
)
