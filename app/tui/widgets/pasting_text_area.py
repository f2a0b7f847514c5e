"""A text field with what is pasted beside it: a long text stands over it as a line of its own, a
dropped picture in it as a mention.

A mention that was put in as a whole goes as a whole, by one Backspace right behind it; one that is
typed goes letter by letter. It sends nothing. A click on what stands beside it asks the screen to
show it (the action `pasted`, by its place from 1 on).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

from textual import events
from textual.content import Content
from textual.style import Style

from app.files.attachments import Attachment, is_long, pasted
from app.files.dropped import dropped, text_file
from app.files.mentions import mentions
from app.terminal.sanitise import one_line, sanitise
from app.tui.keys.keymap import told
from app.tui.widgets.marked_text_area import MarkedTextArea

SHOWS = "{pasted} shows it"
ONLY_A_PATH = "Only its path was put in: {how} the file along."
"""Said of a text file that was dropped: its path may be meant as it is."""
BY_MENTION, BY_KEY = "@ before it, or {attach}, sends", "{attach} sends"


@dataclass(frozen=True, slots=True)
class _Unfolded:
    """A paste that was put into the text. at: its place among those beside it."""

    before: str
    after: str
    at: int
    paste: Attachment


class PastingTextArea(MarkedTextArea):
    """verbatim: what is typed names no file, and nothing stands beside it, either."""

    def __init__(self, placeholder: str, base: Path) -> None:
        super().__init__(placeholder, base)
        self._pasted: tuple[Attachment, ...] = ()
        self._taken_away: tuple[Attachment, ...] = ()
        self._unfolded: list[_Unfolded] = []
        self._wholes: set[str] = set()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What goes with the text, but for the files that it names."""
        return self._pasted

    def attach(self, attachment: Attachment) -> None:
        """Have a text go with what is typed."""
        self.show_pasted((*self._pasted, attachment))

    def unfold(self, attachment: Attachment) -> None:
        """Put what stands beside the text into it, on a line of its own where the cursor is."""
        before, at = self.text, self._pasted.index(attachment)
        self._have_not(attachment)
        self.history.checkpoint()
        self._put("\n" * (self.selection.start[1] > 0) + attachment.text)
        self._unfolded.append(_Unfolded(before, self.text, at, attachment))

    def _have_not(self, attachment: Attachment) -> None:
        self.show_pasted(tuple(each for each in self._pasted if each is not attachment))

    def name_file(self, mention: str) -> None:
        """Put a mention in, as a word of its own, which goes as a whole."""
        self.keep_whole(mention)
        before = self.get_text_range((0, 0), min(self.selection))
        self._put(" " * (before[-1:].strip() != "") + f"{mention} ")

    def keep_whole(self, mention: str) -> None:
        """Have one Backspace right behind this mention take all of it."""
        self._wholes.add(mention)

    def show_pasted(self, pastes: tuple[Attachment, ...]) -> None:
        """Have these stand beside the text."""
        self._pasted, self._taken_away = pastes, ()
        labels = [linked(paste.label, "pasted", str(at)) for at, paste in enumerate(pastes, 1)]
        how = Content(told(self, SHOWS))
        self.border_title = Content(" · ").join([*labels, how]) if pastes else None

    async def _on_paste(self, event: events.Paste) -> None:
        """Take in a paste; the text field would take it as it is."""
        event.stop()
        event.prevent_default()
        self.take_in(event.text)

    def action_paste(self) -> None:
        """Take in what was copied in the app."""
        self.take_in(self.app.clipboard)

    def action_undo(self) -> None:
        """Bring back what stood beside an empty text, else what was typed; what was put into the
        text stands beside it again where that is undone.
        """
        if self._taken_away and not self.text:
            self.show_pasted((*self._pasted, *self._taken_away))
            self._taken_away = ()
            return
        super().action_undo()
        for each in self._unfolded:
            if each.before == self.text and each.paste not in self._pasted:
                left, right = self._pasted[: each.at], self._pasted[each.at :]
                self.show_pasted((*left, each.paste, *right))

    def action_redo(self) -> None:
        """Do what was undone, and have beside the text nothing that is in it then."""
        super().action_redo()
        for each in self._unfolded:
            if each.after == self.text:
                self._have_not(each.paste)

    def load_text(self, text: str) -> None:
        """Put in another text, behind which no undoing leads."""
        self._unfolded.clear()
        super().load_text(text)

    def take_in(self, text: str) -> None:
        """Paste a text; a long one stands beside what is typed, a dropped picture is mentioned."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        named = "" if self.verbatim else dropped(text)
        for each in mentions(named):
            self.keep_whole(named[each.start : each.end])
        if is_long(text) and not named and not self.verbatim:
            names = {each.name for each in self._pasted}
            number = next(n for n in itertools.count(1) if pasted("", n).name not in names)
            self.attach(pasted(text, number))
        else:
            self._tell_of_path(text)
            self._put(named or text)

    def _tell_of_path(self, text: str) -> None:
        """Say how a file goes along of which only the path is pasted, where that may be wished for:
        not behind an @, in a command or in an answer.
        """
        before, path = self.get_text_range((0, 0), min(self.selection)), text_file(text)
        if not path or self.verbatim or before.endswith("@") or before.startswith("/"):
            return
        is_name = [each.path for each in mentions(f"@{text.strip()}")] == [path]
        line = ONLY_A_PATH.replace("{how}", BY_MENTION if is_name else BY_KEY)
        self.notify(told(self, line), markup=False)

    def take_away(self, n_kept: int) -> None:
        """Have only the first ones stand beside the text; undoing brings the others back."""
        kept, taken = self._pasted[:n_kept], self._pasted[n_kept:] or self._taken_away
        self.show_pasted(kept)
        self._taken_away = taken

    def takes_back(self) -> bool:
        """Do what Backspace does to a whole, and tell whether there was one: the mention right
        before the cursor, or the last thing beside an empty text.
        """
        start, end = self.selection
        before = self.get_text_range((0, 0), end)
        if not self.text and self._pasted:
            self.take_away(len(self._pasted) - 1)
        elif start == end and (length := self._length_of_whole(before)):
            row, column = end
            self.delete((row, column - length), end, maintain_selection_offset=False)
        else:
            return False
        return True

    def _length_of_whole(self, before: str) -> int:
        """Return how long the mention is that a text ends with, 0 if it ends with none."""
        last = mentions(before)[-1:]
        found = before[last[0].start :] if last else ""
        return len(found) if found in self._wholes else 0

    def _put(self, text: str) -> None:
        """Put a text in the place of what is selected, as if it were typed."""
        if found := self._replace_via_keyboard(sanitise(text), *self.selection):
            self.move_cursor(found.end_location)


def linked(text: str, *act: str) -> Content:
    """Return a line that does an action of the screen where it is clicked."""
    does = Style.from_meta({"@click": f"screen.act({', '.join(map(repr, act))})"})
    return Content.assemble((one_line(text), does))
