"""What a chat has for itself of the settings, by their names (`chosen`): how it is asked.

None: as if nobody had said a value, whatever else does. What is not chosen is as the start, or the
pair, has it, so that a change there reaches every chat that chose nothing. In the history the
system prompt has a column of its own, "" for none that was chosen; that there is to be none is
among the settings. Pure, but for a seed that is drawn.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from app.chat.conversation import Conversation
from app.errors import SettingsError
from app.settings.rows import ROWS, SAMPLING, Value
from app.tui.preferences.setting_sources import with_chosen
from app.tui.serving.orders import SessionSettings

if TYPE_CHECKING:
    from app.settings.config import ChatSettings

S = TypeVar("S", bound=SessionSettings)
Choice = Mapping[str, Value | None]
Kept = tuple[str, Mapping[str, object]]
"""A system prompt and settings, as the history keeps them."""

PROMPT = ("system", "persona")
OWN = frozenset({*SAMPLING, "think", "predict", *PROMPT})


def own(chosen: Choice) -> dict[str, Value | None]:
    """Return what of this is a chat's own."""
    return {name: value for name, value in chosen.items() if name in OWN}


def not_own(chosen: Choice) -> dict[str, Value | None]:
    """Return what holds for all chats: how the pair is loaded, what the app does."""
    return {name: value for name, value in chosen.items() if name not in OWN}


def taken_up(here: Choice, there: Choice) -> dict[str, Value | None]:
    """Return what is chosen once another chat is shown."""
    return not_own(here) | own(there)


def asked_with(settings: S, chosen: Choice) -> S:
    """Return settings, a dataclass, with what a chat has for itself."""
    return with_chosen(settings, own(chosen))


def asked_as(settings: S, conversation: Conversation) -> S:
    """Return settings, a dataclass, as a conversation has them."""
    now = conversation
    return replace(  # type: ignore[type-var]
        settings, sampling=now.sampling, system=now.system, think=now.think, predict=now.predict
    )


def ask_as(conversation: Conversation, settings: SessionSettings) -> None:
    """Have a conversation asked so from the next question on."""
    conversation.sampling, conversation.system = settings.sampling, settings.system
    conversation.think, conversation.predict = settings.think, settings.predict


def to_keep(chosen: Choice) -> Kept:
    """Return what the history is to keep of all that is chosen."""
    return kept_with(("", {}), chosen, OWN)


def kept_with(kept: Kept, chosen: Choice, names: Iterable[str]) -> Kept:
    """Return what is kept, with these settings as they are chosen now, if they still are."""
    system, settings = kept[0], dict(kept[1])
    for name in sorted(OWN.intersection(names)):
        settings.pop(name, None)
        value = chosen.get(name)
        if name == "system":
            system = str(value or "")
        if name in chosen and not (name == "system" and value):
            settings[name] = value
    return system, settings


def brought_back(system: str, settings: Mapping[str, object]) -> tuple[Choice, list[str]]:
    """Return what a kept chat has chosen, and what is wrong with values that cannot be.

    What no setting is called, others may have written: it says nothing here.
    """
    from app.settings.fields import checked

    chosen: dict[str, Value | None] = {}
    wrong = []
    for name in OWN.intersection(settings):
        value = settings[name]
        try:
            if value is not None or ROWS[name].nothing:
                chosen[name] = checked(name, value)  # type: ignore[assignment]
        except SettingsError as error:
            wrong.append(str(error))
    return (chosen | {"system": system} if system else chosen), sorted(wrong)


def said_by(args: argparse.Namespace, settings: ChatSettings) -> dict[str, Value | None]:
    """Return what flags choose for a chat that is begun with them. settings: of this start.

    With a persona goes its sampling, as far as nothing is stronger.
    """
    given = {name for name in OWN if getattr(args, name, None) is not None}
    prompt: Choice = {}
    if given.intersection(PROMPT):
        prompt = {"system": settings.system, "persona": settings.persona or None}
    if "persona" in given:
        given |= _of_persona(settings)
    of_answers = {
        name: getattr(settings.sampling, SAMPLING[name])
        if name in SAMPLING
        else getattr(settings, name)
        for name in given.difference(PROMPT)
    }
    return {**of_answers, **prompt}


def _of_persona(settings: ChatSettings) -> set[str]:
    from app.paths import Paths
    from app.prompts.personas import load

    given = load(Paths().personas_file)[settings.persona].sampling
    return {n for n, value in given.items() if value == getattr(settings.sampling, SAMPLING[n])}
