"""What is pasted beside the prompt: shown, and put into it as text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from app.errors import AppError
from app.prompts.slash import SlashError
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 9


def pasted(chat: ChatView, number: str) -> None:
    """Show what stands beside the prompt at this place, from 1 on; without one, the last."""
    from app.tui.actions.quoting import quote_chosen
    from app.tui.screens.pasted_source import PastedSource

    found = chat.prompt.attachments
    place = int(number) if number else len(found)
    if place > len(found):
        n = len(found)
        raise SlashError(f"There is no {place}: {n} {'stands' if n == 1 else 'stand'} there.")
    paste = found[place - 1]
    if paste.picture is not None:
        raise AppError(f"{paste.name} is a picture: there is no text to show.")

    screen = PastedSource(paste.text, paste.label, partial(chat.prompt.unfold, paste))
    chat.app.push_screen(screen, partial(quote_chosen, chat))


def has_pasted(chat: ChatView) -> bool:
    return bool(chat.prompt.attachments)


def nothing_pasted(_: ChatView) -> str:
    return "Nothing is pasted beside the box: a long text that you paste is."


def places(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer what stands there."""
    return [(str(at), each.label) for at, each in enumerate(chat.prompt.attachments, 1)]


ACTIONS = (
    Action(
        "pasted",
        "Pasted text",
        pasted,
        keys=("alt+v",),
        makes_sense=has_pasted,
        choices=places,
        also="paste view look attachment expand unfold",
        why_not=nothing_pasted,
    ),
)
