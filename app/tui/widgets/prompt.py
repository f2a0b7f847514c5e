"""Where questions are typed: Enter sends and Ctrl+J makes a new line, or the other way round.

What is typed is a question, a slash command, or a question that names files: the prompt says which
and does none of it. It completes commands and file names, and remembers what was sent. It knows no
engine and no session: where a question waits, the screen's action `take-back` brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from app.files import mentions
from app.files.attachments import Attachment
from app.files.reader import Reader
from app.prompts import slash
from app.prompts.prompt_history import PromptHistory
from app.settings.values import ENTERS, Enter
from app.terminal.sanitise import sanitise
from app.trimmed import trimmed, trimmed_lines
from app.tui.keys.sending import BREAKING, SENDING
from app.tui.prompting.completing import Offer, location
from app.tui.prompting.drafting import Drafting
from app.tui.prompting.enclosing import Enclosing
from app.tui.prompting.words import ASK, below
from app.tui.widgets.completions import NO_CHOICES, Completions
from app.tui.widgets.pasting_text_area import PastingTextArea, linked
from app.tui.widgets.trouble import Trouble

TYPED_S = 0.34
"""Between two Typed messages."""


class Prompt(PastingTextArea):
    """A text field that grows with its text.

    choices: what may follow the slash commands, by their names. base: where relative files are.
    history: None remembers what is sent from here alone. enter: asked what Enter does. verbatim:
    what is typed is an answer: it names no file, is no command, and once it is sent, no earlier
    prompt. waits: whether Up in the empty box takes a question back. deliver: posts what is sent.
    """

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        min-height: 3;
        max-height: 8;
        border: round $panel-lighten-2;
        background: $background;
        padding: 0 1;
        border-subtitle-color: $foreground-muted;
        border-title-color: $accent;
        scrollbar-size-vertical: 1;
        &:focus { border: round $primary; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--placeholder { color: $foreground-muted; }
    }
    """

    @dataclass
    class Submitted(Message):
        """A question was sent, and what goes with it."""

        question: str
        attachments: tuple[Attachment, ...] = ()

    @dataclass
    class Commanded(Message):
        """A slash command was sent, by its proper name."""

        name: str
        argument: str

    @dataclass
    class AtEnd(Message):
        """The person went on to the end from there."""

    @dataclass
    class Typed(Message):
        """The text or what is pasted beside it has changed; at most three a second."""

        text: str

    def __init__(
        self,
        choices: Mapping[str, slash.Choices] = NO_CHOICES,
        base: Path = Path(),
        history: PromptHistory | None = None,
        enter: Callable[[], Enter] = lambda: ENTERS[0],
    ) -> None:
        super().__init__(ASK, base)
        self._enter, self.past = enter, history or PromptHistory(None)
        self.drafting = Drafting(self)
        self.completions = Completions(self._accept, choices, base, self.past)
        self._trouble, self.reader, self.enclosing = Trouble(), Reader(), Enclosing(self)
        self._hint, self._count, self.waits = "", "", False
        self._typed: Timer | None = None
        self.deliver: Callable[[Prompt.Submitted | Prompt.Commanded], object] = self.post_message

    def on_mount(self) -> None:
        """Put the list and the line for what is wrong above; a text field can have no children."""
        assert isinstance(self.parent, Widget)
        self.parent.mount(self._trouble, self.completions, before=self)

    def on_unmount(self) -> None:
        """End what is read: nobody wants it any more."""
        self.reader.stop()

    @property
    def is_completing(self) -> bool:
        """Whether Escape belongs to the list of completions."""
        return self.completions.is_open

    @property
    def unsent(self) -> str:
        """What is typed and not sent: the draft, also where an earlier prompt stands instead."""
        return self.drafting.unsent

    def take(self, text: str) -> None:
        """Put a text back for editing, before what has been typed since."""
        self.text = "\n\n".join(filter(None, (text, self.unsent)))
        self.move_cursor(self.document.end)

    def discard(self) -> None:
        """Empty it; Up brings a question back, undoing one that is too long for Up. Where there is
        none, what is pasted beside it goes, until it is brought back as after Backspace.
        """
        if self.drafting.comes_back():
            return
        if not self.text:
            self.take_away(0)
        self.drafting.put_by()

    def show_hint(self, text: str, waits: bool = False) -> None:
        """Say below what keys do now. waits: whether a question can be taken back."""
        self._hint, self.waits = text, waits
        self._show_below()

    def show_count(self, text: str) -> None:
        """Say at the right below how long the question is; "" says nothing."""
        self._count = text
        self._show_below()

    def show_trouble(self, text: str) -> None:
        """Say above why something was not sent, until something else is typed."""
        self._trouble.say(text, self.text)

    def load_text(self, text: str) -> None:
        """Put in a text that nobody typed, and so offer nothing for it."""
        super().load_text(text)
        self.drafting.end()
        self.completions.settle(self.text)

    def on_text_area_changed(self) -> None:
        """See how it may go on, and have it counted."""
        self._trouble.look(self.text)
        self.tell_typed()
        self._look()

    def on_text_area_selection_changed(self) -> None:
        """See how it may go on from there."""
        self._look()

    def on_blur(self) -> None:
        """Offer nothing to who is elsewhere."""
        self.completions.settle(self.text)

    def on_resize(self) -> None:
        """Say below what there is room for."""
        self._show_below()

    async def _on_key(self, event: events.Key) -> None:
        """Take the keys that mean something here; the other keys are the text field's."""
        key = event.key
        is_done = self.completions.takes(key, self.text)
        if not is_done and key == "up" and self.waits and not self.text:
            is_done = await self.app.run_action("screen.act('take-back')", self)
        is_done = is_done or (key == "escape" and self.drafting.comes_back())
        if is_done or self.drafting.walks(key) or self._edits(key):
            event.stop()
            event.prevent_default()

    def action_cursor_line_end(self, select: bool = False) -> None:
        """Go to the line's end, and tell if it was the end of all already."""
        if not select and self.cursor_location == self.document.end:
            self.post_message(self.AtEnd())
        super().action_cursor_line_end(select)

    def _edits(self, key: str) -> bool:
        """Whether a key sent the text, broke a line, or took a whole away."""
        if key in SENDING[self._enter()] or (key == "enter" and self.is_command):
            self.send()
        elif key in BREAKING[self._enter()]:
            self.insert("\n")
        else:
            return key == "backspace" and self.takes_back()
        return True

    @property
    def is_command(self) -> bool:
        """Whether the text is a whole command on one line that has no text of its own: Enter does
        one in any case.
        """
        try:
            command = None if self.verbatim else slash.parse(self.text.strip())
        except slash.SlashError:
            return False
        return command is not None and "\n" not in self.text and not slash.is_text(command)

    def _look(self) -> None:
        """Have the list offer what fits what is typed."""
        start, end = self.selection
        may_go_on = start == end and not self.verbatim
        cursor = len(self.get_text_range((0, 0), end)) if may_go_on else None
        self.completions.look(self.text, cursor, self.region.y - self.screen.region.y)

    def _accept(self, offer: Offer) -> None:
        """Put in what was offered."""
        if offer.is_file and not offer.goes_on:
            self.keep_whole(offer.insert.rstrip())
        start, end = (location(self.text, at) for at in (offer.start, offer.end))
        self.move_cursor(self.replace(offer.insert, start, end).end_location)
        self.focus()

    def send(self) -> None:
        """Send what is typed, but not before the files of what was sent last are read."""
        text = trimmed_lines(self.text)
        if self.verbatim and text:
            answer, self.text = trimmed(self.text), ""
            self.deliver(self.Submitted(answer))
            return
        if self.enclosing.is_reading or not (text or self.attachments):
            return
        try:
            command = slash.parse(text) if text else None
        except slash.SlashError as error:
            self.show_trouble(str(error))
            return
        left = self.drafting.let_go()
        self.past.add(text)
        if not self.drafting.comes_back():
            self.text = left
        self.show_trouble("")
        if command is not None:
            self.deliver(self.Commanded(command.name, command.argument))
            return
        pastes = self.attachments
        self.show_pasted(())
        if not text:
            whole = "\n\n".join(paste.text for paste in pastes)
            shown = tuple(paste for paste in pastes if paste.picture is not None)
            self.deliver(self.Submitted(trimmed_lines(sanitise(whole)), shown))
        elif mentions.mentions(text):
            self.enclosing.send(text, pastes)
        else:
            self.deliver(self.Submitted(slash.message(text), pastes))

    def show_pasted(self, pastes: tuple[Attachment, ...]) -> None:
        """Have these stand beside the text, and have them counted."""
        super().show_pasted(pastes)
        self.tell_typed()

    def _show_below(self) -> None:
        """Say what keys do and how long the question is; the latter alone where room is scarce.
        What waits is taken back by a click.
        """
        line = below(self._hint, self._count, self.outer_size.width)
        self.border_subtitle = linked(line, "take-back") if self.waits else Content(line)

    def tell_typed(self) -> None:
        """Tell of the text, soon."""
        if self._typed is None and self.is_mounted:
            self._typed = self.set_timer(TYPED_S, self._post_typed)

    def _post_typed(self) -> None:
        self._typed = None
        self.look_for_files()
        self.post_message(self.Typed(self.text))
