"""A question as it stands in the chat, and below it what was attached to it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.selection import Selection
from textual.widgets import Static

from app.files.attachments import Attachment
from app.terminal.sanitise import one_line, sanitise
from app.tui.widgets.pasting_text_area import linked


class Question(Static):
    """Only the question can be selected, for what is said of the files is not part of it."""

    def __init__(self, text: str, attachments: Sequence[Attachment]) -> None:
        self._asked = sanitise(text)
        told = [line(each).stylize("dim") for each in attachments]
        shown = Content("\n").join([Content.styled(self._asked, "bold"), *told])
        super().__init__(shown, classes="turn--question said")

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Return what is selected of the question."""
        start, end = selection
        n_lines = len(self._asked.splitlines())
        if start is not None and start.y >= n_lines:
            return "", "\n"
        within = end if end is not None and end.y < n_lines else None
        return Selection(start, within).extract(self._asked), "\n"


def line(file: Attachment) -> Content:
    """Return what is said of a file; a click on a picture opens it."""
    if file.picture is None:
        return Content(one_line(file.label))
    return linked(file.label, "picture", file.picture.id)
