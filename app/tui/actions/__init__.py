"""What a person can do in a chat: each file here holds some actions, and a new one is one more.

Keys, the footer, the command palette, slash commands and the help screen are all made from these.
Importing an action is cheap: what it needs it imports when it is done. A file's ORDER is its place
in footer, palette and help; equal ones go by their names.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from app.prompts.slash import SLASHES
from app.tui.keys.sending import sender
from app.tui.serving.session import Session


class InSession(Protocol):
    """What is known here of the chat that actions are done in."""

    session: Session

    @property
    def is_idle(self) -> bool: ...


C = TypeVar("C", bound=InSession)
"""What an action is done in: a ChatView. The table of actions needs nothing of it, and so is there
for whatever stands below a chat, as the names of keys do.
"""
Run = Callable[[C, str], Awaitable[None] | None]
"""Does it. The text is what follows the slash command, "" where a key was pressed."""


def always(_: InSession) -> bool:
    """Whether it makes sense now: always."""
    return True


def still_waits(chat: InSession) -> str:
    """Say why a chat stays as it is while a question waits in it; the key would stop an answer."""
    how = "Up in the empty box" if chat.session.answering else "{stop}"
    return f"Not while a question waits: {how} takes it back."


FIRST = "The question that you sent comes first."


def not_now(chat: InSession) -> str:
    """Say why something makes no sense now; a name in braces stands for its key (keymap.told)."""
    if chat.session.shown == "summarising":
        return "Not while a summary is made: wait for it, or stop it with {stop}."
    if chat.session.answering:
        return "Not while an answer is written: wait for it, or stop it with {stop}."
    if chat.session.waiting:
        return still_waits(chat)
    if not chat.session.is_free:
        return "Not while another chat is being answered."
    if not chat.is_idle:
        return FIRST
    if not chat.session.conversation.turns:
        key = sender(chat.session.settings.habits.enter)
        return f"Nothing is asked yet: type a question, {key} sends it."
    return "There is nothing here to do that with."


@dataclass(frozen=True, slots=True)
class Action(Generic[C]):
    """name: also the slash command's; title: in footer and palette; about: one line of help, "" for
    the slash command's.

    keys: the first one is shown; shown: in the footer; makes_sense: whether it is offered and done
    now; why_not: what is said where it makes no sense. choices: what may follow the slash command.
    kept: in the footer before others; now: its title where that depends; also: words by which it
    is found, too. given: what some keys give, as if it were typed behind the slash command.
    """

    name: str
    title: str
    run: Run[C]
    about: str = ""
    keys: tuple[str, ...] = ()
    shown: bool = False
    makes_sense: Callable[[C], bool] = always
    choices: Callable[[C, str], Iterable[tuple[str, str]]] | None = None
    kept: bool = False
    now: Callable[[C], str] | None = None
    also: str = ""
    why_not: Callable[[C], str] = not_now
    given: Mapping[str, str] = field(default_factory=dict)


HELP = {slash.name: slash.help for slash in SLASHES}


def _collected() -> Mapping[str, Action[Any]]:
    """Return the actions of all files here, in the order of the files' ORDER."""
    modules = [
        importlib.import_module(f"{__name__}.{info.name}")
        for info in pkgutil.iter_modules(__path__)
    ]
    modules.sort(key=lambda module: module.ORDER)
    return {action.name: _explained(action) for module in modules for action in module.ACTIONS}


def _explained(action: Action[Any]) -> Action[Any]:
    """Return an action with a line of help."""
    return action if action.about else replace(action, about=HELP[action.name])


ACTIONS = _collected()
