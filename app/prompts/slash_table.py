"""The slash commands there are, in the order in which they are offered. What is typed is read by
slash.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.settings.values import ENTERS, FRAMES

NUMBER = r"\d+(\.\d*)?|\.\d+"
WHOLE_OR_RANDOM = r"\d{1,20}|random"


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


def _one_of(choices: Sequence[str], name: str, help: str, aliases: tuple[str, ...] = ()) -> Slash:
    """Return a command that takes one of a few words, or none."""
    form = "|".join(choices)
    wanted = f"{', '.join(choices[:-1])} or {choices[-1]}"
    return Slash(name, f"[{form}]", help, aliases, form, wanted)


SLASHES = (
    Slash("help", "[COMMAND]", "what there is to type and to press", ("?",)),
    Slash(
        "model",
        "[PAIR|FILE]",
        "go on with a pair, a .gguf or OWNER/REPO:FILE; alone it shows all",
        ("models", "pair", "pull", "download"),
    ),
    Slash("draft", "[DRAFTER]", "what guesses ahead: auto, none, or a drafter", ("drafter",)),
    Slash("system", "[TEXT]", "show or set the system prompt"),
    Slash("persona", "[NAME]", "a system prompt by name", ("personas",)),
    Slash("prompt", "[NAME] [TEXT]", "put a prompt into the box, with your text", ("prompts",)),
    Slash(
        "prompt-save", "NAME [chat|TEXT]", "keep TEXT, the last question or the chat as a prompt"
    ),
    Slash("remember", "[TEXT]", "what every new chat is told about you; TEXT adds a line"),
    Slash("forget", "[LINE]", "take away a line, or its number, of what chats are told of you"),
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
        wanted="a whole number from 0 to 2^64 - 1, or random",
    ),
    _one_of(("on", "off", "auto"), "think", "let the model think before it answers, or not"),
    Slash("inspect", "", "step through an answer: what was guessed, what was right", ("why",)),
    Slash("xray", "", "colour each word by who guessed it", ("x-ray",)),
    Slash(
        "copy",
        "[N|code|question|answer|all]",
        "copy the last answer, its Nth code block, the question, the whole chat",
        form=r"[1-9]\d{0,3}|code|question|answer|all",
        wanted="the number of a code block, code, question, answer or all",
    ),
    Slash("select", "", "select part of an answer by keyboard, to copy or quote it", ("quote",)),
    Slash("blocks", "", "step through an answer block by block, to copy, quote or save one"),
    Slash("mouse", "", "let the terminal select with the mouse; Shift+drag does it, too"),
    Slash(
        "export",
        "[FILE]",
        "write the chat to a file of its title's name, or FILE: .md, .json",
        ("save",),
    ),
    Slash(
        "attach",
        "[FILE]",
        "send files along, as @FILE does; alone it shows your folders",
        ("file", "files", "image", "read"),
    ),
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
    Slash("new", "", "begin a new chat", ("clear", "reset")),
    Slash(
        "chat",
        "[N]",
        "go to an open chat by its number",
        ("tab", "tabs"),
        r"[1-9]\d{0,3}",
        "the number of an open chat",
    ),
    Slash("close", "", "close this chat; it stays in the history"),
    Slash("archive", "", "put this chat into the archive, and close it"),
    Slash("rename", "[TITLE]", "give this chat a title"),
    Slash("title", "", "have the model write a title for this chat"),
    Slash(
        "search",
        "[WORDS]",
        "find something in earlier chats",
        ("find", "history", "open", "load", "resume"),
    ),
    Slash("recall", "[WORDS]", "find what you typed before; it is put into the box, not sent"),
    Slash("forget-prompts", "", "forget all that you typed earlier; the chats stay"),
    Slash(
        "pasted",
        "[N]",
        "show what is pasted beside the box, or put it into the box",
        form=r"[1-9]\d{0,2}",
        wanted="the number of a pasted text",
    ),
    Slash("theme", "[NAME]", "change the colours"),
    _one_of(
        FRAMES,
        "frame",
        "what is shown around the chat: figures and keys, one of them, neither",
        ("bars",),
    ),
    _one_of(("on", "off"), "chat-list", "the list of chats beside the chat", ("sidebar",)),
    _one_of(
        ENTERS,
        "enter",
        "what Enter does: send, or make a new line while Ctrl+J sends",
        ("multiline",),
    ),
    Slash("settings", "", "the settings, and where each comes from", ("set", "config")),
    Slash("bench", "", "measure how fast this pair is here"),
    Slash("doctor", "", "check what this machine can do, and why it is not faster"),
    Slash("log", "", "what the engine and the app wrote to their logs last", ("logs",)),
    Slash("quit", "", "leave", ("exit", "q", "bye")),
)

ELSEWHERE = {"delete": "search", "import": "search", "context": "settings"}
"""Where something is done that other programs have a command for: the command that leads there."""
