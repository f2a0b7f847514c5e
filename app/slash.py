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
from app.sanitise import one_line

MOST_COMPLETIONS = 50
WORD = re.compile(r"/([a-z?][a-z0-9_-]*)(?=\s|\Z)", re.IGNORECASE)
TO_MODEL = re.compile(r"/(?:no_?think(?=\s|\Z)|think\s+\S+\s+\S)", re.IGNORECASE)
NUMBER = r"\d+(\.\d*)?|\.\d+"
WHOLE_OR_RANDOM = r"\d{1,20}|random"

Choice: TypeAlias = tuple[str, str]
"""A value that an argument may have, and what it is; "" where the value says it."""

Choices: TypeAlias = Callable[[str], Iterable[Choice]]
"""Called with the argument as far as it is typed."""


class SlashError(AppError):
    """A slash command that does not exist, or was given what it does not take."""


@dataclass(frozen=True, slots=True)
class Slash:
    """One command. argument: "" takes none, [X] may be left out. form: what the argument has to
    look like, in small letters or great ones, and wanted: the same in words.
    """

    name: str
    argument: str
    help: str
    aliases: tuple[str, ...] = ()
    form: str = r"(?s:.+)"
    wanted: str = ""

    @property
    def usage(self) -> str:
        """The command as one types it."""
        return f"/{self.name} {self.argument}".rstrip()


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


SLASHES = (
    Slash("help", "[COMMAND]", "what there is to type and to press", ("?",)),
    Slash(
        "model",
        "[PAIR|FILE]",
        "go on with a pair, a .gguf or OWNER/REPO:FILE; alone it shows all",
        ("models", "pair"),
    ),
    Slash("draft", "[DRAFTER]", "what guesses ahead: auto, none, or a drafter", ("drafter",)),
    Slash("system", "[TEXT]", "show or set the system prompt"),
    Slash("persona", "[NAME]", "a system prompt by name", ("personas",)),
    Slash("prompt", "[NAME] [TEXT]", "put a prompt into the box, with your text", ("prompts",)),
    Slash("prompt-save", "NAME [TEXT]", "keep TEXT, or the last question, as a prompt"),
    Slash("remember", "[TEXT]", "what every new chat is told about you; TEXT adds a line"),
    Slash("forget", "[LINE]", "take away a line of what new chats are told about you"),
    Slash(
        "temp",
        "[NUMBER]",
        "show or set the temperature; 0 always takes the likeliest word",
        ("temperature",),
        NUMBER,
        "a number of at least 0, like 0.7",
    ),
    Slash(
        "seed",
        "[NUMBER|random]",
        "show or set the seed: the same seed gives the same answer",
        form=WHOLE_OR_RANDOM,
        wanted="a whole number, or random",
    ),
    Slash(
        "think",
        "[on|off|auto]",
        "let the model think before it answers, or not",
        form=r"on|off|auto",
        wanted="on, off or auto",
    ),
    Slash("xray", "", "colour each word by who guessed it", ("x-ray",)),
    Slash(
        "copy",
        "[N|code|question|answer|all]",
        "copy the last answer, its Nth code block, the question, the whole chat",
        form=r"[1-9]\d{0,3}|code|question|answer|all",
        wanted="the number of a code block, code, question, answer or all",
    ),
    Slash("select", "", "select part of an answer by keyboard, to copy or quote it", ("quote",)),
    Slash("mouse", "", "let the terminal select with the mouse; Shift+drag does it, too"),
    Slash(
        "export",
        "[FILE]",
        "write the chat to a file of its title's name, or FILE: .md, .json",
        ("save",),
    ),
    Slash("attach", "FILE", "send a text, PDF or picture file along, as @FILE does", ("file",)),
    Slash("retry", "", "ask the last question again", ("regenerate",)),
    Slash("undo", "", "take back the last question and its answer"),
    Slash(
        "branch",
        "[N]",
        "change an earlier question; the old one stays as a version beside it",
        ("edit",),
        form=r"[1-9]\d{0,5}",
        wanted="the number of a question",
    ),
    Slash(
        "compact",
        "[TEXT|off]",
        "send a summary in the place of all turns but the last",
        ("summarise", "summarize"),
    ),
    Slash(
        "leave-out",
        "[N]",
        "send a question and its answer no more, or again; both stay here",
        ("exclude",),
        form=r"[1-9]\d{0,5}",
        wanted="the number of a question",
    ),
    Slash("amend", "", "change an answer in your own words; it stays as a version beside yours"),
    Slash("continue", "", "go on with the last answer: one that was cut off, or that you changed"),
    Slash("new", "", "begin a new chat", ("clear",)),
    Slash(
        "chat",
        "[N]",
        "go to an open chat by its number",
        ("tab", "tabs"),
        r"[1-9]\d{0,3}",
        "the number of an open chat",
    ),
    Slash("close", "", "close this chat; it stays in the history"),
    Slash("rename", "[TITLE]", "give this chat a title"),
    Slash("title", "", "have the model write a title for this chat"),
    Slash("search", "[WORDS]", "find something in earlier chats", ("find", "history")),
    Slash("recall", "[WORDS]", "find an earlier prompt; it is put into the box, not sent"),
    Slash("forget-prompts", "", "forget all that you typed earlier; the chats stay"),
    Slash(
        "pasted",
        "[N]",
        "show what is pasted beside the box, or put it into the box",
        form=r"[1-9]\d{0,2}",
        wanted="the number of a pasted text",
    ),
    Slash("theme", "[NAME]", "change the colours"),
    Slash(
        "frame",
        "[full|figures|keys|none]",
        "what is shown around the chat: figures and keys, one of them, neither",
        ("bars",),
        form=r"full|figures|keys|none",
        wanted="full, figures, keys or none",
    ),
    Slash("settings", "", "all settings, and where each comes from", ("set",)),
    Slash("bench", "", "measure how fast this pair is here"),
    Slash("doctor", "", "check what this machine can do, and why it is not faster"),
    Slash("log", "", "what the engine and the app wrote to their logs last", ("logs",)),
    Slash("quit", "", "leave", ("exit", "q")),
)
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
    near = difflib.get_close_matches(word.lower(), _BY_WORD, n=1, cutoff=0.6)
    if near:
        return f"There is no /{one_line(word, 40)}; did you mean /{_BY_WORD[near[0]].name}?"
    return f"There is no /{one_line(word, 40)}; /help lists the commands, and // sends a slash."


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
