"""How answers are drawn and drafted, changed in mid-chat."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from app.tui.actions import Action
from engine import check_sampling

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen
    from app.tui.setting_rows import Settings, Value
    from engine import SamplingSettings

ORDER = 7
SEED_BITS = 32


def temp(chat: ChatScreen, number: str) -> None:
    """Show or set the temperature."""
    if number:
        take(chat, temperature=float(number))
    chat.say(f"The temperature is {chat.session.conversation.sampling.temperature:g}.")


def seed(chat: ChatScreen, number: str) -> None:
    """Show or set the seed."""
    if number:
        drawn = secrets.randbits(SEED_BITS) if number == "random" else int(number)
        take(chat, seed=drawn)
    chat.say(f"The seed is {chat.session.conversation.sampling.seed}.")


def take(chat: ChatScreen, **changes: float) -> None:
    """Draw the next answers so. Raises SettingError."""
    now: SamplingSettings = chat.session.conversation.sampling
    changed = msgspec.structs.replace(now, **changes)
    check_sampling(changed)
    chat.session.conversation.sampling = changed


def draft(chat: ChatScreen, name: str) -> None:
    """Show or choose who drafts, from the next answer on."""
    conversation = chat.session.conversation
    if name:
        conversation.drafter = name.replace("-", "_")
    chosen = conversation.drafter or chat.session.settings.pair.drafter
    chat.say(f"Drafts are made by {chosen}.")


def drafters(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer all drafters."""
    from app.flags import drafter_names

    return [(name, "") for name in drafter_names()]


def system(chat: ChatScreen, text: str) -> None:
    """Show or set the system prompt."""
    conversation = chat.session.conversation
    if text:
        conversation.system = text
    now = conversation.system
    chat.say(f"System prompt: {now}" if now else "There is no system prompt.")


def persona(chat: ChatScreen, name: str) -> None:
    """Take a system prompt by its name, or list the names."""
    from app.paths import Paths
    from app.personas import find, load

    known = load(Paths().personas_file)
    if not name:
        chat.say(f"Personas: {', '.join(known)}.")
        return
    name = find(name, known)
    chosen = known[name]
    chat.session.conversation.system = chosen.system or None
    drawn = {"temperature": chosen.temp, "top_k": chosen.top_k, "top_p": chosen.top_p}
    drawn |= {"min_p": chosen.min_p, "seed": chosen.seed}
    take(chat, **{key: value for key, value in drawn.items() if value is not None})
    chat.say(f"{name} answers from now on.")


def personas(chat: ChatScreen, _: str) -> Iterable[tuple[str, str]]:
    """Offer all personas."""
    from app.paths import Paths
    from app.personas import load

    return [(name, one.system) for name, one in load(Paths().personas_file).items()]


def settings(chat: ChatScreen, _: str) -> None:
    """Show every setting, and where each comes from; change them."""
    from app.tui.models_room import LocalModels
    from app.tui.screens.settings import SettingsScreen
    from app.tui.setting_sources import Looks

    room = chat.desk.room if chat.desk else None
    if not isinstance(room, LocalModels):
        return
    name = getattr(chat.session.settings, "name", "")
    themes = tuple(chat.app.available_themes)

    def now() -> Settings:
        return room.settings_now(name, chat.chosen, Looks(chat.app.theme, themes))

    chat.app.push_screen(SettingsScreen(now, lambda *change: apply(chat, *change)))


def apply(chat: ChatScreen, name: str, value: Value | None) -> str:
    """Change a setting of this chat; return when it takes effect, "" if at once."""
    from app.tui.setting_sources import changed

    session, conversation = chat.session, chat.session.conversation
    chat.chosen[name] = value
    if name == "theme":
        chat.app.theme = str(value or chat.app.theme)
        return ""
    if name == "persona":
        if value is not None:
            persona(chat, str(value))
        return ""
    session.settings, when = changed(session.settings, name, value)
    conversation.sampling, conversation.system = session.settings.sampling, session.settings.system
    if name == "drafter":
        conversation.drafter = session.settings.pair.drafter
        return ""
    return when


ACTIONS = (
    Action("settings", "Settings", "all settings, and where each comes from", settings, ("f2",)),
    Action("temp", "Temperature", "show or set the temperature", temp),
    Action("seed", "Seed", "show or set the seed", seed),
    Action("draft", "Drafter", "choose what guesses ahead", draft, choices=drafters),
    Action("system", "System prompt", "show or set the system prompt", system),
    Action("persona", "Persona", "a system prompt by name", persona, choices=personas),
)
