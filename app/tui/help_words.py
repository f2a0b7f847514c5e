"""What the help says of typing, figures, colours and files: one plain sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.tui.origins import OTHER, label, style_of
from engine import BONUS, CORRECTED, PLAIN


@dataclass(frozen=True, slots=True)
class Entry:
    """A word and what it means. style: how the word looks where it is met, "" for plainly.

    also: words that find it, and are not shown.
    """

    word: str
    meaning: str
    style: str = ""
    also: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Entries under a title."""

    title: str
    entries: tuple[Entry, ...]


def _coloured(origin: str, meaning: str) -> Entry:
    return Entry(label(origin), meaning, f".{style_of(origin)}")


TYPING = Section(
    "Typing, stopping, quitting",
    (
        Entry("Enter", "Sends; while an answer runs, the question waits until it is done."),
        Entry("Ctrl+J, Shift+Enter", "A new line.", also="newline break multiline"),
        Entry("Up, Down", "Questions that were asked before.", also="history previous recall"),
        Entry(
            "Alt+R, /recall WORDS",
            "Earlier prompts with these words; the one that is chosen is put into the box.",
            also="history previous search find again",
        ),
        Entry("Tab", "Takes what is offered over the prompt: / for commands, @ for files."),
        Entry(
            "@FILE",
            "Sends a text file along, or a PDF's text; a part of its name finds it.",
            also="attach document upload",
        ),
        Entry(
            "/prompt NAME",
            "Puts one of your prompts into the box, with what you type behind it.",
            also="template library saved",
        ),
        Entry(
            "Ctrl+C",
            "Stops the answer; else copies what is selected; else clears the prompt, and Up brings "
            "that back; else, pressed twice, quits.",
            also="cancel exit leave empty",
        ),
        Entry(
            "Alt+N, Alt+P, Alt+1…9",
            "Another open chat: the next, the one before, or by its number; a click, too. In the "
            "line of open chats ◌ says that an answer is running there, ● that one ended unseen.",
            also="tab tabs switch several parallel",
        ),
        Entry(
            "Alt+W, /close",
            "Closes this chat: its answer is stopped, and F3 opens it again.",
            also="tab tabs",
        ),
        Entry(
            "/system, /temp, F2",
            "What is chosen so is kept with this chat. A new one begins with your usual settings; "
            "in F2, s keeps a choice for every chat.",
            also="settings persona seed think own remember",
        ),
        Entry(
            "/remember TEXT",
            "Every chat that you begin from now on is told this about you; alone it shows what is "
            "known, /forget takes a line away.",
            also="about me user memory custom instructions",
        ),
        Entry("Ctrl+Q", "Quits at once; the chat is kept.", also="exit leave close"),
        Entry("Ctrl+P", "All commands, found by any name.", also="palette menu search"),
        Entry(
            "Mouse",
            "Drag to select, Ctrl+C copies it; click `copy` over a code block to copy that. "
            "Shift+drag, or F4, leaves the mouse to the terminal.",
            also="clipboard",
        ),
        Entry(
            "Alt+S, /select, /quote",
            "Shows an answer's source: Shift with the arrow keys selects, Ctrl+C copies that, "
            "q quotes it in the prompt.",
            also="keyboard copy part markdown",
        ),
        Entry(
            "Alt+Q",
            "Puts what the mouse has selected into the prompt, as lines that begin with >.",
            also="cite reply",
        ),
    ),
)

FIGURES = Section(
    "What the figures mean",
    (
        Entry("tokens/s, tok/s", "How many tokens, pieces of words, are written in a second."),
        Entry(
            "plain decoding, plain",
            "The speed-up: how many times faster this answer came than the same model would have "
            "written it alone; ≈ because that speed is worked out from measured costs. A dash: the "
            "answer took one or two steps, too few to compare, or none of it is here yet.",
        ),
        Entry(
            "nothing drafted",
            "No word was guessed ahead: drafting is off, which the panel says, or no guess seemed "
            "worth its time. Guessing is tried again all by itself.",
        ),
        Entry(
            "acceptance rate, accept",
            "Of the guessed tokens that the model checked, the share that it kept. It checks no "
            "further than the first wrong guess, or the end of the answer.",
        ),
        Entry(
            "draft efficiency, kept of drafted",
            "Of all guessed tokens, the share that was kept: lower than the acceptance rate, for "
            "those that were never checked count too.",
        ),
        Entry(
            "acceptance length, length",
            "How many tokens one step of the model brings on average; alone it brings one.",
        ),
        Entry(
            "draft length, draft",
            "How many tokens were guessed ahead for the newest step; ø: on average.",
        ),
        Entry(
            "accepted by place, by place",
            "How often the first guess of a step was right, the second, and so on.",
        ),
        Entry(
            "near-ties",
            "Shown only if there are any: so often two words were as good as equally likely, and "
            "the rounding of numbers alone may have chosen between them. Nothing is wrong then.",
        ),
        Entry("engine memory, memory", "What the engine's process holds of this machine's memory."),
        Entry("first token, TTFT", "How long it took from sending to the first word."),
        Entry(
            "context",
            "How much of what the model can keep in mind at once is used. When it is full, the "
            "chat asks what to leave out or to summarise; /compact summarises at any time.",
        ),
    ),
)

COLOURS = Section(
    "What the colours of words mean",
    (
        _coloured("lookup", "Found in what was said before, and right."),
        _coloured("draft_model", "Guessed by the small draft model, and right."),
        _coloured(OTHER, "Guessed by another drafter, and right."),
        _coloured(CORRECTED, "The guess was wrong here; the model put its own word."),
        _coloured(BONUS, "All guesses were right, so the model's own next word came for free."),
        Entry(PLAIN, "Written by the model with no guess before it; it has no colour."),
    ),
)


def files() -> Section:
    """Say where files live; imports what is slow."""
    from app.bench.kept import folder
    from app.paths import Paths
    from app.personas import FILE

    paths = Paths()
    found = (
        ("settings", paths.settings_file, "What holds for every chat; flags and own choices win."),
        ("personas", paths.config_dir / FILE, "Your own system prompts by name."),
        ("about you", paths.about_file, "What /remember adds to, for chats begun from then on."),
        ("prompts", paths.prompts_dir, "Your own prompts, a .md or .txt file each."),
        ("own models", paths.own_catalog, "Pairs that you added to the catalogue."),
        ("models", paths.models_dir, "What was downloaded."),
        ("chats", paths.history_file, "Every chat, searchable."),
        ("memory", paths.memory_dir, "Earlier answers that the lookup guesses from."),
        ("costs", paths.costs_dir, "What this machine was measured to need."),
        ("benchmarks", folder(), "Results, and benchmarks that were interrupted."),
        ("log", paths.engine_log, "What the engine last said."),
    )
    entries = tuple(Entry(name, f"{path}\n{about}") for name, path, about in found)
    return Section("Where files live", entries)


def narrowed(sections: Sequence[Section], wanted: str) -> list[Section]:
    """Return what contains all the words that are wanted, in whatever case, or whose title does."""
    words = wanted.casefold().split()
    found = []
    for section in sections:
        entries = tuple(
            entry
            for entry in section.entries
            if all(
                word in f"{section.title} {entry.word} {entry.meaning} {entry.also}".casefold()
                for word in words
            )
        )
        if entries:
            found.append(Section(section.title, entries))
    return found
