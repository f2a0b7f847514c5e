"""Whether the model thinks before it answers, where its chat template has a switch for that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from app.settings.values import NO_SWITCH
from app.tui.actions import Action

if TYPE_CHECKING:
    from app.tui.chat_view import ChatView

ORDER = 8
POSITIONS = {"on": True, "off": False, "auto": None}


def thinks(chat: ChatView) -> bool | None:
    """Return whether the next answer is thought about first; None if this model has no switch, or
    none is loaded.
    """
    ready, told = chat.figures.ready, chat.session.conversation.think
    if ready is None or ready.thinks is None:
        return None
    return ready.thinks if told is None else told


def has_switch(chat: ChatView) -> bool:
    return thinks(chat) is not None


def no_switch(chat: ChatView) -> str:
    loaded = chat.figures.ready is not None
    return NO_SWITCH if loaded else "No model is loaded yet that could be told."


def think(chat: ChatView, position: str) -> None:
    """Set the switch, or turn it over; it holds from the next answer on."""
    from app.tui.actions.tuning import apply

    apply(chat, "think", POSITIONS[position] if position else not thinks(chat))
    first = "thinks before it answers" if thinks(chat) else "answers without thinking first"
    by_itself = " by itself" if chat.session.conversation.think is None else ""
    chat.say(f"The model {first}{by_itself}.")


def title(chat: ChatView) -> str:
    return "Answer without thinking" if thinks(chat) else "Think before answering"


def positions(chat: ChatView, _: str) -> Iterable[tuple[str, str]]:
    """Offer the switch's positions."""
    return [("on", "think first"), ("off", "answer at once"), ("auto", "as the model by itself")]


ACTIONS = (
    Action(
        "think",
        "Think first",
        think,
        "whether the model thinks before it answers",
        makes_sense=has_switch,
        choices=positions,
        now=title,
        also="thinking reasoning effort off on",
        why_not=no_switch,
    ),
)
