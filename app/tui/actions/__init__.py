"""What a person can do in a chat: each file here holds some actions, and a new one is one more.

Keys, the footer, the command palette, slash commands and the help screen are all made from these.
Importing an action is cheap: what it needs it imports when it is done.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tui.screens.chat import ChatScreen

Run = Callable[["ChatScreen", str], Awaitable[None] | None]
"""Does it. The text is what follows the slash command, "" where a key was pressed."""


def always(_: ChatScreen) -> bool:
    """Whether it makes sense now: always."""
    return True


def not_now(chat: ChatScreen) -> str:
    """Say why something makes no sense now; a name in braces stands for its key (keymap.told)."""
    from app.tui.keys.sending import sender

    if chat.session.shown == "summarising":
        return "Not while a summary is made: wait for it, or stop it with {stop}."
    if chat.session.answering:
        return "Not while an answer is written: wait for it, or stop it with {stop}."
    if chat.session.waiting:
        return "Not while a question waits: {stop} takes it back."
    if not chat.session.is_free:
        return "Not while another chat is being answered."
    if not chat.session.conversation.turns:
        return f"Nothing is asked yet: type a question, {sender(chat)} sends it."
    return "There is nothing here to do that with."


@dataclass(frozen=True, slots=True)
class Action:
    """name: also the slash command's; title: in footer and palette; about: one line of help.

    keys: the first one is shown; shown: in the footer; makes_sense: whether it is offered and done
    now; why_not: what is said where it makes no sense. choices: what may follow the slash command.
    kept: in the footer before others; now: its title where that depends; also: words by which it
    is found, too. given: what some keys give, as if it were typed behind the slash command.
    """

    name: str
    title: str
    about: str
    run: Run
    keys: tuple[str, ...] = ()
    shown: bool = False
    makes_sense: Callable[[ChatScreen], bool] = always
    choices: Callable[[ChatScreen, str], Iterable[tuple[str, str]]] | None = None
    kept: bool = False
    now: Callable[[ChatScreen], str] | None = None
    also: str = ""
    why_not: Callable[[ChatScreen], str] = not_now
    given: Mapping[str, str] = field(default_factory=dict)


def _collected() -> Mapping[str, Action]:
    """Return the actions of all files here, in the order of the files' ORDER."""
    modules = [
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
    ]
    modules.sort(key=lambda module: module.ORDER)
    return {action.name: action for module in modules for action in module.ACTIONS}


ACTIONS = _collected()
