"""What every new chat is to know of the user: shown, added to, taken away; only by the person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 8


async def remember(chat: ChatScreen, text: str) -> None:
    """Add a line, or show them all."""
    from app.paths import Paths
    from app.prompts.about_me import remember as add

    if not text:
        await _show(chat)
        return
    add(Paths().about_file, text)
    private = "" if chat.history is not None else " This one is private, and does not."
    chat.say(f"Chats that you begin from now on know it; /forget takes it away.{private}")


async def forget(chat: ChatScreen, line: str) -> None:
    """Take a line away; where none is named, show them all."""
    from app.paths import Paths
    from app.prompts.about_me import forget as take_away

    if not line:
        await _show(chat)
        return
    take_away(Paths().about_file, line)
    chat.say("Chats that you begin from now on do not know it; those before keep what they knew.")


def known(_: ChatScreen, __: str) -> Iterable[tuple[str, str]]:
    """Offer the lines."""
    from app.errors import SettingsError
    from app.paths import Paths
    from app.prompts.about_me import lines, read

    try:
        return [(line, "") for line in lines(read(Paths().about_file))]
    except SettingsError:
        return ()


async def _show(chat: ChatScreen) -> None:
    from app.paths import Paths
    from app.prompts.about_me import lines, read

    path, conversation = Paths().about_file, chat.session.conversation
    text = read(path)
    if text:
        title = f"New chats know this about you. It is yours to change: {path}"
    else:
        title = f"New chats know nothing about you: /remember TEXT adds a line to {path}"
    told = [f"· {line}" for line in lines(text)]
    if chat.history is None:
        told.append("This chat is private, and is not told.")
    elif conversation.turns and conversation.about != text:
        told.append(
            "This chat was begun with other words about you."
            if conversation.about
            else "This chat was begun without it."
        )
    await chat.talk.transcript.note(title, lines=told)


ACTIONS = (
    Action(
        "remember",
        "What chats know of you",
        "what every new chat is told about you; TEXT adds a line",
        remember,
        also="about me user profile memory facts custom instructions",
    ),
    Action(
        "forget",
        "Forget about you",
        "take away a line of what new chats are told about you",
        forget,
        choices=known,
        also="about me user profile memory remove",
    ),
)
