"""What every new chat is to know of the user: shown, added to, taken away; only by the person."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 8


async def remember(chat: ChatView, text: str) -> None:
    """Add a line, or show them all."""
    from app.paths import Paths
    from app.prompts.about_me import remember as add

    if not text:
        await _show(chat)
        return
    add(Paths().about_file, text)
    await _drop_note(chat)
    private = "" if chat.history is not None else " This one is private, and does not."
    chat.say(f"Chats that you begin from now on know it; /forget takes it away.{private}")


async def forget(chat: ChatView, line: str) -> None:
    """Take a line away, by its number or its words; where none is named, have one chosen."""
    from app.paths import Paths
    from app.prompts.about_me import forget as take_away
    from app.prompts.about_me import lines, read
    from app.tui.palettes.choices import KnownLines, choose

    path = Paths().about_file
    there = lines(read(path))
    if not line and there:
        choose(chat, KnownLines, "Choose the line to forget")
        return
    if not line:
        await _show(chat)
        return
    is_number = line.isdecimal() and line not in there and 0 < int(line) <= len(there)
    take_away(path, there[int(line) - 1] if is_number else line)
    await _drop_note(chat)
    chat.say("Chats that you begin from now on do not know it; those before keep what they knew.")


def known(_: ChatView, __: str) -> Iterable[tuple[str, str]]:
    """Offer the lines."""
    from app.errors import SettingsError
    from app.paths import Paths
    from app.prompts.about_me import lines, read

    try:
        return [(line, "") for line in lines(read(Paths().about_file))]
    except SettingsError:
        return ()


async def _show(chat: ChatView) -> None:
    from app.paths import Paths
    from app.prompts.about_me import lines, read

    path, conversation = Paths().about_file, chat.session.conversation
    text = read(path)
    if text:
        title = f"New chats know this about you; /forget 1 takes the first line away. {path}"
    else:
        title = f"New chats know nothing about you: /remember TEXT adds a line to {path}"
    told = [f"{number} {line}" for number, line in enumerate(lines(text), 1)]
    if chat.history is None:
        told.append("This chat is private, and is not told.")
    elif conversation.turns and conversation.about != text:
        told.append(
            "This chat was begun with other words about you."
            if conversation.about
            else "This chat was begun without it."
        )
    await _drop_note(chat)
    await chat.talk.transcript.note(title, "about", lines=told)
    chat.talk.transcript.follow()  # it was asked for, from wherever one reads


async def _drop_note(chat: ChatView) -> None:
    """Take away what was shown before: it is not so any more, or shown anew."""
    await chat.talk.transcript.query(".note.-about").remove()


ACTIONS = (
    Action(
        "remember",
        "What chats know of you",
        remember,
        also="about me user profile memory facts custom instructions",
    ),
    Action(
        "forget",
        "Forget about you",
        forget,
        "take away a line of what new chats are told about you",
        choices=known,
        also="about me user profile memory remove",
    ),
)
