"""Other chats, models, and the way out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import FIRST, Action, not_now

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 4
POLL_S = 0.05


async def new(chat: ChatView, _: str) -> None:
    """Begin a new chat; the old one stays open."""
    await chat.tabs.new()


async def model(chat: ChatView, name: str) -> None:
    """Choose another pair, download or remove one; a name goes on with that one at once."""
    if chat.choosing is None:
        return
    if name:
        await chat.choosing.take(name)
    else:
        chat.choosing.open()


def pairs(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer all pairs, as far as somebody has looked."""
    offers = chat.desk.facts.offers if chat.desk is not None else ()
    return [(offer.name, offer.state) for offer in offers]


def has_models(chat: ChatView) -> bool:
    return chat.choosing is not None


def show_help(chat: ChatView, wanted: str) -> None:
    """Show all keys and commands, and what the figures mean; wanted: only what is about that, of
    keys how to have other ones first.
    """
    from app.prompts.slash import SLASHES
    from app.tui.actions import ACTIONS as ALL
    from app.tui.help.key_words import ABOUT_KEYS, changing, pressing
    from app.tui.help.typed import typing
    from app.tui.help.words import Entry, Section
    from app.tui.keys.keymap import keys_of
    from app.tui.screens.help import HelpScreen

    keys = keys_of(chat)
    commands = [
        Entry(slash.usage, slash.help, also=" ".join((*slash.aliases, ALL[slash.name].also)))
        for slash in SLASHES
    ]
    typed = typing(keys, chat.session.settings.habits.enter)
    sections = [typed, pressing(keys), Section("Commands", tuple(commands))]
    other = [changing(keys)]
    if wanted.casefold() == ABOUT_KEYS:
        chat.app.push_screen(HelpScreen([*other, *sections], wanted))
    else:
        chat.app.push_screen(HelpScreen(sections, wanted, other))


def doctor(chat: ChatView, _: str) -> None:
    """Check this machine."""
    from app.tui.background.checkup import LocalCheckup
    from app.tui.screens.doctor import DoctorScreen
    from app.tui.text.copied import copied_now

    app = chat.app
    checkup = LocalCheckup(chat.figures)
    screen = DoctorScreen(checkup, lambda line: copied_now(app, line), not chat.is_resting)
    chat.app.push_screen(screen)


def bench(chat: ChatView, _: str) -> None:
    """Measure how fast this pair is here; the chat's engine rests meanwhile."""
    from app.settings.config import ChatSettings
    from app.tui.attention import MEASURED, call
    from app.tui.background.benching import QuickBench
    from app.tui.preferences.own_settings import asked_as
    from app.tui.screens.bench import BenchScreen

    if not isinstance(chat.session.settings, ChatSettings):
        return
    settings = asked_as(chat.session.settings, chat.session.conversation)

    async def rest() -> None:
        await chat.session.unload()
        while not chat.is_resting or chat.gauge.pid is not None:
            await asyncio.sleep(POLL_S)

    async def load_again() -> None:
        call(chat, MEASURED, settings.title)
        chat.session.start()

    chat.app.push_screen(
        BenchScreen(settings.title, lambda: QuickBench(settings), rest, load_again)
    )


def is_free(chat: ChatView) -> bool:
    """Whether nothing is answered, waits or is on its way in any chat, and no files are read for
    what is.
    """
    is_on_way = any(one.asking is not None and one.asking.on_way for one in chat.tabs.open)
    return chat.session.is_free and not is_on_way and not chat.prompt.enclosing.is_reading


def not_free(chat: ChatView) -> str:
    return FIRST if chat.session.is_free else not_now(chat)


async def leave(chat: ChatView, _: str) -> None:
    """Leave."""
    await chat.app.run_action("quit")


ACTIONS = (
    Action(
        "new",
        "New chat",
        new,
        keys=("ctrl+n", "ctrl+l"),
        shown=True,
        also="clear reset tab",
    ),
    Action(
        "model",
        "Models",
        model,
        "choose, download or remove models",
        ("ctrl+o",),
        True,
        has_models,
        pairs,
        kept=True,
        also="change switch pair pull install llm gguf",
    ),
    Action(
        "help",
        "Help",
        show_help,
        "keys, commands, what the figures mean",
        ("f1",),
        True,
        kept=True,
        also="shortcuts keys bindings manual what how",
    ),
    Action(
        "doctor",
        "Doctor",
        doctor,
        "check this machine, and why it is not faster",
        also="speed slow gpu problem",
    ),
    Action(
        "bench",
        "Benchmark",
        bench,
        makes_sense=is_free,
        why_not=not_free,
        also="speed test",
    ),
    Action("quit", "Quit", leave, keys=("ctrl+q",), shown=True, kept=True, also="exit close end"),
)
