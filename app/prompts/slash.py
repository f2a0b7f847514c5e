"""Slash commands: what there is, what a person typed, and how it goes on.

Pure: a command is parsed and checked here and carried out by whoever owns the screen. A message may
begin with a slash too: a path (`/etc/hosts says …`) is no command, and `//word` sends `/word`.
So may Qwen3's own `/no_think why?` and `/think about it`, which the model reads; with no more than
one word behind it, `/think` is a command.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from app.errors import AppError
from app.prompts.slash_table import ELSEWHERE, Slash
from app.prompts.slash_table import SLASHES as SLASHES
from app.terminal.sanitise import one_line

MOST_COMPLETIONS = 50
TEXT = "TEXT"
"""What stands for several words in an argument."""
WORD = re.compile(r"/([a-z?][a-z0-9_-]*)(?=\s|\Z)", re.IGNORECASE)
TO_MODEL = re.compile(r"/(?:no_?think(?=\s|\Z)|think\s+\S+\s+\S)", re.IGNORECASE)

Choice: TypeAlias = tuple[str, str]
"""A value that an argument may have, and what it is; "" where the value says it."""

Choices: TypeAlias = Callable[[str], Iterable[Choice]]
"""Called with the argument as far as it is typed."""


class SlashError(AppError):
    """A slash command that does not exist, or was given what it does not take."""


@dataclass(frozen=True, slots=True)
class Command:
    """What was typed, by its proper name. argument: all behind the name, "" if there is nothing; in
    small letters where it has a form.
    """

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """insert: the whole text as it would be; display: the part that is chosen."""

    insert: str
    display: str
    help: str


_BY_WORD = {word: slash for slash in SLASHES for word in (slash.name, *slash.aliases)}


def parse(text: str) -> Command | None:
    """Return the command that a text is, None if it is a message. Raises SlashError."""
    if text.strip() == "/":
        raise SlashError("A command follows the slash; /help lists them.")
    found = WORD.match(text)
    if found is None or TO_MODEL.match(text):
        return None
    slash = _BY_WORD.get(found[1].lower())
    if slash is None:
        raise SlashError(_unknown(found[1]))
    argument = text[found.end() :].strip()
    _check(slash, argument)
    return Command(slash.name, argument.lower() if slash.wanted else argument)


def is_text(command: Command) -> bool:
    """Whether what is given to a command is a text, which may go on in another line."""
    *others, last = _BY_WORD[command.name].argument.split() or [""]
    words = command.argument.split(None, len(others))[len(others) :]
    return TEXT in last and bool(words) and words[0] not in last.strip("[]").split("|")


def begun(text: str) -> tuple[int, bool] | None:
    """Return where the name ends of the command that a text begins with, and whether there is such
    a one; None for a message, and for a name that may still become one.
    """
    found = WORD.match(text)
    if found is None or TO_MODEL.match(text):
        return None
    word = found[1].lower()
    may_become = found.end() == len(text) and any(each.startswith(word) for each in _BY_WORD)
    is_known = word in _BY_WORD
    return None if may_become and not is_known else (found.end(), is_known)


def message(text: str) -> str:
    """Return what a text that is no command sends: `//word` is `/word`."""
    return text[1:] if text.startswith("//") and WORD.match(text[1:]) else text


def typed(text: str) -> str:
    """Return what sends a text as a message: `//word` for `/word`."""
    return "/" + text if WORD.match(text) and not TO_MODEL.match(text) else text


def complete(text: str, choices: Mapping[str, Choices]) -> list[Completion]:
    """Return how a command may go on. choices: by the name of the command that takes them."""
    name, space, argument = text.partition(" ")
    if not text.startswith("/") or "\n" in text or "/" in name[1:]:
        return []
    if not space:
        return _commands(name[1:].lower())
    slash = _BY_WORD.get(name[1:].lower())
    if slash is None or not slash.argument:
        return []
    offered = _helped if slash.name == "help" else choices.get(slash.name, _none)
    typed = argument.lstrip()
    found = [Completion(f"{name} {value}", value, about) for value, about in offered(typed)]
    return _ranked(found, typed)[:MOST_COMPLETIONS]


def _check(slash: Slash, argument: str) -> None:
    if not argument:
        if slash.argument and not slash.argument.startswith("["):
            raise SlashError(f"/{slash.name} wants {slash.argument}: {slash.usage}")
        return
    if not slash.argument:
        raise SlashError(f"/{slash.name} takes nothing behind it.")
    if re.fullmatch(slash.form, argument, re.IGNORECASE) is None:
        raise SlashError(f"/{slash.name} wants {slash.wanted}; found {one_line(argument, 40)!r}.")


def _unknown(word: str) -> str:
    from app.settings.rows import ROWS  # loads what the first picture does not wait for

    shown = one_line(word, 40)
    if word.lower() in ELSEWHERE:
        return f"There is no /{shown}; /{ELSEWHERE[word.lower()]} has it."
    if word.lower().replace("-", "_") in ROWS:
        return f"There is no /{shown}; /settings has it."
    near = difflib.get_close_matches(word.lower(), _BY_WORD, n=1, cutoff=0.6)
    if near:
        return f"There is no /{shown}; did you mean /{_BY_WORD[near[0]].name}?"
    return f"There is no /{shown}; /help lists the commands, and // sends a slash."


def _commands(typed: str) -> list[Completion]:
    """Complete a command's name: those that begin so, then those of which an alias does."""
    by_name = [slash for slash in SLASHES if slash.name.startswith(typed)]
    by_alias = [
        slash
        for slash in SLASHES
        if slash not in by_name and any(alias.startswith(typed) for alias in slash.aliases)
    ]
    return [
        Completion(f"/{slash.name}" + " " * bool(slash.argument), slash.usage, slash.help)
        for slash in (*by_name, *by_alias)
    ]


def _ranked(found: list[Completion], typed: str) -> list[Completion]:
    """Put what begins as typed before what only contains it, and leave out the rest."""
    folded = typed.casefold()
    holding = [each for each in found if folded in each.display.casefold()]
    return sorted(holding, key=lambda each: not each.display.casefold().startswith(folded))


def _helped(_: str) -> Iterable[Choice]:
    return [(slash.name, slash.help) for slash in SLASHES]


def _none(_: str) -> Iterable[Choice]:
    return ()
