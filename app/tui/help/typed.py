"""What the help says of typing, stopping and quitting: a few plain sentences each."""

from __future__ import annotations

from collections.abc import Sequence

from app.settings.values import Enter
from app.tui.help.words import Entry, Section
from app.tui.keys.keymap import Keys
from app.tui.keys.sending import named

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
        ("{breaker}",),
        "A new line{breaks-too}. /enter changes whether Enter makes it or sends; Ctrl+J does the "
        "other. A command that takes no text is always done by Enter.",
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
    (("Tab",), "Takes what is offered over the box: / for commands, @ for files.", ""),
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
        "the box, and Up brings that back; else, pressed twice, quits, as Ctrl+D does in the empty "
        "box. On other screens it copies, or goes back.",
        "cancel exit leave empty eof",
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
    (
        ("Alt",),
        "On a Mac it is Option, once the terminal sends it so. Terminal: Settings, Profiles, "
        "Keyboard, “Use Option as Meta key”; iTerm2: Profiles, Keys, Left Option: Esc+. Without "
        "that, {palette} finds every command by its name.",
        "option mac macos meta esc terminal iterm2",
    ),
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
        "{source-quote} quotes it in the box.",
        "keyboard copy part markdown",
    ),
    (
        ("{blocks}", "/blocks"),
        "Steps through an answer block by block: arrows, or j and k; {blocks-code} and "
        "{blocks-code-before} go to code. Enter shows what can be done with one: copy it, quote it "
        "in the box, save code as a file.",
        "cursor paragraph code block menu vim",
    ),
    (
        ("{quote}",),
        "Puts what the mouse has selected into the box, as lines that begin with >.",
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
        Entry(", ".join(words), keys.told(named(meaning, enter)), also=also)
        for written, meaning, also in _TYPING
        if (words := [word for each in written if (word := keys.all_for(named(each, enter)))])
    ]
    return Section("Typing, stopping, quitting", tuple(entries))
