"""What the help says of typing, figures, colours and files: one plain sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.settings.values import Enter
from app.tui.keys.keymap import Keys
from app.tui.keys.sending import named
from app.tui.text.origins import OTHER, label, style_of
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


_Written = tuple[tuple[str, ...], str, str]
"""By what: names of keys in braces, and what stays as it is; what it does; words that find it."""
_TYPING: Sequence[_Written] = (
    (
        ("{sender}",),
        "Sends; while an answer runs, the question waits until it is done. Up in the empty box, or "
        "a click on the line that says so, takes it back.",
        "queue unsend",
    ),
    (
        ("{breaker}", "Shift+Enter"),
        "A new line. /enter changes whether Enter makes it or sends; Ctrl+J does the other. A "
        "command that takes no text is always done by Enter.",
        "newline break multiline several lines",
    ),
    (
        ("Up", "Down"),
        "What was typed before, commands too; Ctrl+Up from anywhere in a long text.",
        "history previous recall",
    ),
    (
        ("{recall}", "/recall WORDS"),
        "Earlier questions with these words; the one that is chosen is put into the box, or "
        "forgotten by Delete. /forget-prompts forgets all that was typed.",
        "history previous search find again privacy",
    ),
    (("Tab",), "Takes what is offered over the prompt: / for commands, @ for files.", ""),
    (
        ("@FILE",),
        "Sends a text file along, a PDF's text, or a picture to a model that takes them; a part "
        "of its name finds it, and a picture or a PDF may be dropped on the window.",
        "attach document upload",
    ),
    (
        ("{attach}", "/attach"),
        "Shows your folders to pick files from: {files-mark} marks several, Enter takes them, "
        "{files-filter} finds one by its name, {files-up} goes up, {files-hidden} shows all.",
        "attach upload browse picker folder",
    ),
    (
        ("{pasted}", "/pasted"),
        "Shows a long pasted text, which stands beside the box, as a click on it does; "
        "{source-unfold} there puts it into the box. Backspace in the empty box takes it away.",
        "paste view expand",
    ),
    (
        ("/prompt NAME",),
        "Puts one of your prompts into the box, with what you type behind it.",
        "template library saved",
    ),
    (
        ("Ctrl+C",),
        "Stops the answer, and brings back what waits; else copies what is selected; else clears "
        "the prompt, and Up brings that back; else, pressed twice, quits. On other screens it "
        "copies, or goes back.",
        "cancel exit leave empty",
    ),
    (
        ("Ctrl+E", "Ctrl+K"),
        "While you type, as in a shell: to the end of the line, and delete up to there. In the "
        "empty box, or with a turn chosen, they change the question and copy the answer.",
        "edit copy readline emacs",
    ),
    (
        ("{next-chat}", "{previous-chat}", "{chat}"),
        "Another open chat: the next, the one before, or by its number; a click, too. In the "
        "line of open chats ◌ says that an answer is running there, ● that one ended unseen.",
        "tab tabs switch several parallel",
    ),
    (
        ("{chat-list}", "/chat-list"),
        "Shows the chats beside this one, and goes there: the arrows, or j, k, g, G, move, "
        "Enter opens, another letter searches, Esc goes back; the same key hides them. A "
        "click opens, too.",
        "sidebar side panel",
    ),
    (
        ("{close}", "/close"),
        "Closes this chat: its answer is stopped, and it stays in the list of chats.",
        "tab tabs",
    ),
    (
        ("/system", "/temp", "{settings}"),
        "What is chosen so is kept with this chat. A new one begins with your usual settings; "
        "{settings-keep} among the settings keeps a choice for every chat.",
        "settings persona seed think own remember",
    ),
    (
        ("/remember TEXT",),
        "Every chat that you begin from now on is told this about you; alone it shows what is "
        "known, /forget takes a line away, by its words or its number.",
        "about me user memory custom instructions",
    ),
    (
        ("{quit}", "/quit"),
        "Quits at once; the chat is kept, and what is typed but not sent.",
        "exit leave close",
    ),
    (("{palette}",), "All commands, found by any name.", "palette menu search"),
    (("//word",), "Sends a text that begins like a command: /word.", "slash escape"),
    (
        ("Mouse",),
        "Drag to select, or click twice for a word and three times for its line or paragraph; "
        "Ctrl+C copies it, or it is copied at once ({settings}, copy on select). Click `copy` over "
        "a code block to copy that. The wheel scrolls the chat from anywhere. Shift+drag, or "
        "{mouse}, leaves the mouse to the terminal.",
        "clipboard double click",
    ),
    (
        ("{select}", "/select", "/quote"),
        "Shows an answer's source: Shift with the arrow keys selects, Ctrl+C copies that, "
        "{source-quote} quotes it in the prompt.",
        "keyboard copy part markdown",
    ),
    (
        ("{blocks}", "/blocks"),
        "Steps through an answer block by block: arrows, or j and k; {blocks-code} and "
        "{blocks-code-before} go to code. Enter shows what can be done with one: copy it, quote it "
        "in the prompt, save code as a file.",
        "cursor paragraph code block menu vim",
    ),
    (
        ("{quote}",),
        "Puts what the mouse has selected into the prompt, as lines that begin with >.",
        "cite reply",
    ),
    (
        ("j", "k", "g", "G", "Ctrl+D", "Ctrl+U"),
        "As in vi, in lists and texts where no letters are typed: down, up, the first, the last, "
        "half a page down, half a page up (not among deleted chats, lest Ctrl+D delete another). "
        "Keys that a list has for something else stay those.",
        "vim hjkl navigation scroll lists",
    ),
)


def typing(keys: Keys, enter: Enter) -> Section:
    """Say what one types and presses; what has no key is left out. enter: what Enter does."""
    entries = [
        Entry(", ".join(words), keys.told(meaning), also=also)
        for written, meaning, also in _TYPING
        if (words := [word for each in written if (word := keys.all_for(named(each, enter)))])
    ]
    return Section("Typing, stopping, quitting", tuple(entries))


FIGURES = Section(
    "What the figures mean",
    (
        Entry("tokens/s, tok/s", "How many tokens, pieces of words, are written in a second."),
        Entry(
            "plain decoding, plain",
            "The speed-up: how many times faster this answer came than the same model would have "
            "written it alone; ≈ because that speed is worked out from measured costs. A dash "
            "means that it is not known yet, or that the answer is too short (under 16 tokens or "
            "4 steps). If it is below 1 although guesses were right, the panel says why: guessing "
            "cost too much, or the machine was busier than when it was measured.",
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
            "Shown only if there are any: how often two words were so nearly equally likely that "
            "rounding alone may have decided. Nothing is wrong then; the inspector, /inspect, "
            "names them. Where batches round much, as on many processors, most words count; "
            "--batch-invariant has them all fall alike, however many are guessed.",
        ),
        Entry("engine memory, memory", "What the engine's process holds of this machine's memory."),
        Entry("first token, TTFT", "How long it took from sending to the first word."),
        Entry(
            "context",
            "How much of what the model can keep in mind at once is used. When it is full, the "
            "chat asks what to leave out or to summarise; /compact summarises at any time, and "
            "/leave-out sends a question and its answer no more.",
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
    from app.paths import Paths
    from app.prompts.personas import FILE

    paths = Paths()
    found = (
        ("settings", paths.settings_file, "What holds for every chat; flags and own choices win."),
        ("personas", paths.config_dir / FILE, "Your own system prompts by name."),
        ("about you", paths.about_file, "What /remember adds to, for chats begun from then on."),
        ("prompts", paths.prompts_dir, "Your own prompts, a .md or .txt file each."),
        ("own models", paths.own_catalog, "Pairs that you added to the catalogue."),
        ("models", paths.models_dir, "What was downloaded."),
        ("chats", paths.history_file, "Every chat, searchable."),
        ("typed", paths.prompts_file, "What Up brings back; /forget-prompts empties it."),
        ("pictures", paths.pictures_dir, "Those that went with questions, while a chat has them."),
        ("memory", paths.memory_dir, "Earlier answers that the lookup guesses from."),
        ("costs", paths.costs_dir, "What this machine was measured to need."),
        ("benchmarks", paths.bench_dir, "Results, and benchmarks that were interrupted."),
        ("log", paths.engine_log, "What the engine last said; /log shows its end."),
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
