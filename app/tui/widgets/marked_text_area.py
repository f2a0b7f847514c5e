"""A text field that colours what means something in it: Markdown, the files that it names, and the
slash command that it is.

Colours come with the letter. Whether there is such a file is looked up in a thread, when somebody
asks for that; until then its name has no colour.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work

from app.files.mentions import mentions, place
from app.prompts.prompt_marks import KINDS, Mark, fenced, of_command, of_line
from app.tui.background.threads import in_thread
from app.tui.widgets.quick_text_area import QuickTextArea


class MarkedTextArea(QuickTextArea):
    """base: where relative files are. verbatim: what is typed names no file and is no command."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"marked--{kind}" for kind in KINDS}
    DEFAULT_CSS = """
    MarkedTextArea {
        & > .marked--fence, & > .marked--code { color: $accent; }
        & > .marked--heading { color: $primary; text-style: bold; }
        & > .marked--quote { color: $foreground-muted; }
        & > .marked--strong { text-style: bold; }
        & > .marked--file { color: $success; text-style: underline; }
        & > .marked--missing { color: $error; text-style: italic; }
        & > .marked--command { color: $primary; text-style: bold; }
        & > .marked--unknown { color: $error; text-style: italic; }
    }
    """

    def __init__(self, placeholder: str, base: Path) -> None:
        super().__init__(placeholder=placeholder, highlight_cursor_line=False)
        self.verbatim = False
        self.base = base
        self._files: dict[str, bool] = {}
        self._seen, self._fenced = "", [False]

    def get_line(self, line_index: int) -> Text:
        """Return a line with its colours."""
        line = super().get_line(line_index)
        for mark in self._marks(line_index, line.plain):
            style = self.get_component_rich_style(f"marked--{mark.kind}", partial=True)
            line.stylize(style, mark.start, mark.end)
        return line

    def look_for_files(self) -> None:
        """See which of the files are there that the text names."""
        self._look_for(self.text)

    @work(exclusive=True, group="named files")
    async def _look_for(self, text: str) -> None:
        base = self.base

        def look() -> dict[str, bool]:
            named = {mention.path for mention in mentions(text)} if "@" in text else ()
            return {path: _is_file(place(path, base)) for path in named}

        found = await in_thread(look)
        if found != self._files:
            self._files = found
            self.notify_style_update()

    def _marks(self, row: int, line: str) -> list[Mark]:
        """Return the marks of a row."""
        if self.text != self._seen:
            self._seen, self._fenced = self.text, fenced(self.document.lines)
        if row < len(self._fenced) and self._fenced[row]:
            return [Mark(0, len(line), "fence")]
        found = [mark for each in of_line(line) if (mark := self._known(each)) is not None]
        command = of_command(self._seen) if row == 0 and not self.verbatim else None
        return found if command is None else [*found, command]

    def _known(self, mark: Mark) -> Mark | None:
        """Return a mark as it is shown: of what is no file, another or none."""
        if mark.kind != "file":
            return mark
        is_there = None if self.verbatim else self._files.get(mark.path)
        if is_there is False and mark.certain:
            return Mark(mark.start, mark.end, "missing")
        return mark if is_there else None


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:
        return False
