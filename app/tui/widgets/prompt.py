"""Where questions are typed: Enter sends, Ctrl+J (Shift+Enter where the terminal tells) breaks.

What is typed is a question, a slash command, or a question that names files: the prompt says which
and does none of it. It completes commands and file names, remembers what was sent, and keeps long
pastes beside the text. It knows no engine and no session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static, TextArea

from app import mentions, slash
from app.attachments import Attachment, AttachmentError, attached, is_long, pasted
from app.prompt_history import PromptHistory, Walk
from app.sanitise import one_line, sanitise
from app.tui.threads import in_thread
from app.tui.widgets.completions import NO_CHOICES, Completions, Offer, Offers, commands, files

NEW_LINE_KEYS = ("ctrl+j", "shift+enter", "alt+enter")
TYPED_S = 0.34
"""Between two Typed messages."""
FRAME = 4
"""Columns of the border that no title takes."""


class Prompt(TextArea):
    """A text field that grows with its text.

    choices: what may follow the slash commands, by their names. base: where relative files are.
    history: None remembers what is sent from here alone.
    """

    DEFAULT_CSS = """
    Prompt {
        height: auto;
        min-height: 3;
        max-height: 8;
        border: round $panel-lighten-2;
        background: $background;
        padding: 0 1;
        border-subtitle-color: $foreground 50%;
        border-title-color: $accent;
        scrollbar-size-vertical: 1;
        &:focus { border: round $primary; }
        & .text-area--cursor-line { background: transparent; }
    }
    .prompt--trouble { display: none; height: auto; padding: 0 2; color: $error; }
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
    class Typed(Message):
        """The text or what is pasted beside it has changed; at most three a second."""

        text: str

    def __init__(
        self,
        choices: Mapping[str, slash.Choices] = NO_CHOICES,
        base: Path = Path(),  # noqa: B008 (immutable)
        history: PromptHistory | None = None,
    ) -> None:
        super().__init__(
            placeholder="Ask something",
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
        )
        self._choices, self._base = choices, base
        self._past = history or PromptHistory(None)
        self._walk: Walk | None = None
        self._pasted: list[Attachment] = []
        self._completions = Completions(self._accept)
        self._trouble = Static(classes="prompt--trouble", markup=False)
        self._looked_at = ("", 0)
        self._settled = ""
        self._is_reading = False
        self._hint = self._count = ""
        self._typed: Timer | None = None

    def on_mount(self) -> None:
        """Put the list and the line for what is wrong above; a text field can have no children."""
        assert isinstance(self.parent, Widget)
        self.parent.mount(self._trouble, self._completions, before=self)

    # what the screen tells and asks

    @property
    def is_completing(self) -> bool:
        """Whether Escape belongs to the list of completions."""
        return self._completions.is_open

    @property
    def pasted(self) -> tuple[Attachment, ...]:
        """Long pastes that go with the question."""
        return tuple(self._pasted)

    def take(self, text: str) -> None:
        """Put a text back for editing, before what has been typed since."""
        self.text = f"{text}\n{self.text}" if self.text else text
        self.move_cursor(self.document.end)

    def attach(self, attachment: Attachment) -> None:
        """Have a text go with the question."""
        self._pasted.append(attachment)
        self._show_pasted()

    def show_hint(self, text: str) -> None:
        """Say below what keys do now."""
        self._hint = text
        self._show_below()

    def show_count(self, text: str) -> None:
        """Say at the right below how long the question is; "" says nothing."""
        self._count = text
        self._show_below()

    def show_trouble(self, text: str) -> None:
        """Say above why something was not sent, until something else is typed."""
        self._trouble.update(one_line(text))
        self._trouble.display = bool(text)

    def close_completions(self) -> None:
        """Offer nothing until something else is typed."""
        self._settled = self.text
        self._completions.close()

    # text and keys

    def load_text(self, text: str) -> None:
        """Put in a text that nobody typed, and so offer nothing for it."""
        super().load_text(text)
        self._walk = None
        self.close_completions()

    def on_text_area_changed(self) -> None:
        """See how it may go on, and have it counted."""
        if self.text != self._looked_at[0]:
            self.show_trouble("")
        self._tell_typed()
        self._look()

    def on_text_area_selection_changed(self) -> None:
        """See how it may go on from there."""
        self._look()

    def on_blur(self) -> None:
        """Offer nothing to who is elsewhere."""
        self.close_completions()

    def on_resize(self) -> None:
        """Say below what there is room for."""
        self._show_below()

    async def _on_key(self, event: events.Key) -> None:
        """Take the keys that mean something here; the other keys are the text field's."""
        if self._completes(event.key) or self._walks(event.key) or self._edits(event.key):
            event.stop()
            event.prevent_default()

    def _completes(self, key: str) -> bool:
        """Whether the list of completions took a key."""
        if not self.is_completing:
            return False
        chosen = self._completions.chosen
        match key:
            case "up" | "down":
                self._completions.move(1 if key == "down" else -1)
            case "tab":
                self._accept(self._completions.first)
            case "enter" if chosen is not None and self._changes(chosen):
                self._accept(chosen)
            case "escape":
                self.close_completions()
            case _:
                return False
        return True

    def _walks(self, key: str) -> bool:
        """Whether a key led to a prompt that was sent earlier."""
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        if key == "ctrl+up" or (key == "up" and row == 0):
            self._walk = self._walk or self._past.walk()
            found = self._walk.up(self.text)
        elif key == "ctrl+down" or (key == "down" and row == self.wrapped_document.height - 1):
            found = self._walk.down(self.text) if self._walk is not None else None
        else:
            return False
        if found is not None:
            walk = self._walk
            self.text = sanitise(found)
            self._walk = walk
            self.move_cursor(self.document.end)
        return found is not None or key.startswith("ctrl+")

    def _edits(self, key: str) -> bool:
        """Whether a key sent the text, broke a line, or took a paste away."""
        if key == "enter":
            self._send()
        elif key in NEW_LINE_KEYS:
            self.insert("\n")
        elif key == "backspace" and not self.text and self._pasted:
            self._pasted.pop()
            self._show_pasted()
        else:
            return False
        return True

    async def _on_paste(self, event: events.Paste) -> None:
        """Take in a paste; the text field would take it as it is."""
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def action_paste(self) -> None:
        """Take in what was copied in the app."""
        self._paste(self.app.clipboard)

    def _paste(self, text: str) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if is_long(text):
            self.attach(pasted(text, len(self._pasted) + 1))
        elif found := self._replace_via_keyboard(sanitise(text), *self.selection):
            self.move_cursor(found.end_location)

    # completions

    def _look(self) -> None:
        """Offer what fits what is typed, once for each place."""
        text, cursor = self.text, self.document.get_index_from_location(self.cursor_location)
        if (text, cursor) == self._looked_at:
            return
        self._looked_at = (text, cursor)
        if text == self._settled or self.selection.start != self.selection.end:
            self._completions.close()
            return
        self._settled = ""
        found = commands(text, cursor, self._choices)
        mention = None if found.offers else mentions.being_typed(text, cursor)
        if mention is None:
            self._offer(found)
        else:
            self.run_worker(self._find_files(mention), group="completions", exclusive=True)

    async def _find_files(self, mention: mentions.Mention) -> None:
        place, base = self._looked_at, self._base
        found = await in_thread(lambda: files(mention, base))
        if place == self._looked_at and self.text != self._settled:
            self._offer(found)

    def _offer(self, found: Offers) -> None:
        self._completions.show(found, self.region.y - self.screen.region.y)

    def _changes(self, offer: Offer) -> bool:
        """Whether an offer is more than what stands there."""
        return self.text[offer.start : offer.end].rstrip() != offer.insert.rstrip()

    def _accept(self, offer: Offer) -> None:
        """Put in an offer, and the next ones if it goes on."""
        place = self.document.get_location_from_index
        done = self.replace(offer.insert, place(offer.start), place(offer.end))
        self.move_cursor(done.end_location)
        self.focus()
        self._completions.close()
        if not offer.goes_on:
            self._settled = self.text

    # sending

    def _send(self) -> None:
        """Send what is typed, and hold the next until the files of this one are read."""
        text = self.text.strip()
        if self._is_reading or not (text or self._pasted):
            return
        try:
            command = slash.parse(text) if text else None
        except slash.SlashError as error:
            self.show_trouble(str(error))
            return
        if command is not None:
            self._sent(text)
            self.post_message(self.Commanded(command.name, command.argument))
        elif not text:  # a question that was pasted as a whole
            self._submit("", sanitise("\n\n".join(each.text for each in self._pasted)), ())
        elif mentions.mentions(text):
            self._is_reading = True
            self.run_worker(self._send_with_files(text), group="sending")
        else:
            self._submit(text, slash.message(text), self.pasted)

    async def _send_with_files(self, text: str) -> None:
        """Send a text with the files that it names; nothing if one of them cannot be read."""
        question, base = slash.message(text), self._base
        pastes = self.pasted
        self._pasted.clear()
        self.text = ""
        try:
            read = await in_thread(lambda: attached(question, base))
        except AttachmentError as error:
            self._pasted[:0] = pastes
            self._show_pasted()
            self.take(text)
            self._looked_at = (self.text, -1)
            self.show_trouble(str(error))
            return
        finally:
            self._is_reading = False
        draft = self.text
        self._submit(text, question, (*pastes, *read))

    def _submit(self, typed: str, question: str, attachments: tuple[Attachment, ...]) -> None:
        self._pasted.clear()
        self._sent(typed)
        self.post_message(self.Submitted(question, attachments))

    def _sent(self, typed: str) -> None:
        """Remember what was sent, and begin anew."""
        self._past.add(typed)
        self.text = ""
        self.show_trouble("")
        self._show_pasted()

    # what is said around the text

    def _show_pasted(self) -> None:
        labels = " · ".join(each.label for each in self._pasted)
        self.border_title = Content(one_line(labels)) if labels else None  # type: ignore[assignment]
        self._tell_typed()

    def _show_below(self) -> None:
        ...

    def _tell_typed(self) -> None:
        if self._typed is None and self.is_mounted:
            self._typed = self.set_timer(TYPED_S, self._post_typed)

    def _post_typed(self) -> None:
        self._typed = None
        self.post_message(self.Typed(self.text))
