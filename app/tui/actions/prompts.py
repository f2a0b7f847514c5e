"""Prompts by name: one goes into the box with what is typed, one is kept.

It is not asked at once: who sees it can add what it is about, files that it names are looked up as
typed ones are, and on a slow machine a wrong question is dear. Enter sends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.errors import AppError
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

ORDER = 8
SAVE = "/prompt-save "


def prompt(chat: ChatScreen, typed: str) -> None:
    """Put a prompt into the box; where none is named, offer all."""
    if typed:
        use(chat, typed)
    else:
        offer(chat)


def use(chat: ChatScreen, typed: str) -> None:
    """Put the prompt that is named first into the box, with what follows, or with what the box
    holds. Where neither says anything, the cursor stands where that belongs.
    """
    from app.paths import Paths
    from app.prompt_library import INPUT, asked
    from app.sanitise import sanitise
    from app.slash import typed as as_message

    found, behind = asked(Paths().prompts_dir, typed)
    box = chat.prompt
    if not behind:
        behind, box.text = box.text.strip(), ""
    filled = as_message(sanitise(found.filled(behind)))
    box.take(filled)
    if not behind and INPUT in found.text:
        before = as_message(sanitise(found.text)).partition(INPUT)[0]
        box.move_cursor((before.count("\n"), len(before) - before.rfind("\n") - 1))
    elif not behind:
        box.insert("\n\n")
    box.focus()


def offer(chat: ChatScreen) -> None:
    """Have one of all prompts chosen."""
    from textual.command import CommandPalette

    from app.tui.prompt_names import PromptNames

    chat.app.push_screen(CommandPalette([PromptNames], placeholder="Choose a prompt"))


def names(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer all prompts."""
    from app.paths import Paths
    from app.prompt_library import listed

    return listed(Paths().prompts_dir)


def save(chat: ChatScreen, typed: str) -> None:
    """Keep a text, or the question that is chosen or the last one, under a name."""
    from app.paths import Paths
    from app.prompt_library import save as keep

    name, text = [*typed.split(None, 1), "", ""][:2]
    if not name:
        chat.prompt.text = f"{SAVE} {chat.prompt.text}" if chat.prompt.text else SAVE
        chat.prompt.move_cursor((0, len(SAVE)))
        chat.prompt.focus()
        chat.say("Type a name for the prompt; Enter keeps it.")
        return
    path = keep(Paths().prompts_dir, name, text or _question(chat))
    chat.say(f"/prompt {name} puts it into the box from now on. It is {path}.")


def _question(chat: ChatScreen) -> str:
    transcript = chat.talk.transcript
    view = transcript.selected or transcript.last_turn
    if view is None:
        raise AppError("Nothing is asked yet: type the prompt behind its name.")
    return view.question


ACTIONS = (
    Action(
        "prompt",
        "Prompts",
        "put a prompt into the box, with what you typed",
        prompt,
        choices=names,
        also="template snippet library",
    ),
    Action(
        "prompt-save",
        "Save as prompt",
        "keep what you typed, or the last question, as a prompt",
        save,
        also="template snippet keep store",
    ),
)
