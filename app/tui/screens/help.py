"""The help: keys, commands, what figures and colours mean, where files live; typing narrows it.

Keys and commands are handed in. It is painted at once; the files' places come from a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from app.terminal.sanitise import one_line, sanitise
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.failures import error_line
from app.tui.help.words import COLOURS, FIGURES, Entry, Section, files, narrowed
from app.tui.keys.screen_keys import bound
from app.tui.screens.left_once import LeftOnce
from app.tui.tones import DIM
from app.tui.widgets.line_input import LineInput
from app.tui.widgets.screen_footer import ScreenFooter
from app.tui.widgets.tinted import GUESSES, ORIGIN_CLASSES, Tinted

WIDEST_WORD, GAP = 28, 2
FEWEST_COLUMNS = 24
"""With fewer beside the words, what they mean is written below them."""
WIDEST = 100


class _Words(Static, Tinted):
    """The text of the help; swatches have the colours of the chat."""

    COMPONENT_CLASSES: ClassVar[set[str]] = ORIGIN_CLASSES


class HelpScreen(LeftOnce[None]):
    """All there is to know, narrowed by what is typed."""

    CSS_PATH = ["help.tcss", "origins.tcss"]  # noqa: RUF012 (as in the base)
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back", priority=True),
        Binding("f1", "back", "Back", show=False, priority=True, id="help"),
        Binding("up", "scroll_lines(-1)", "Up", priority=True),
        Binding("down", "scroll_lines(1)", "Down", priority=True),
        Binding("pageup", "scroll_pages(-1)", "Page up", priority=True),
        Binding("pagedown", "scroll_pages(1)", "Page down", priority=True),
        bound("help-clear", "clear", priority=True),
    ]

    def __init__(
        self, first: Sequence[Section], wanted: str = "", then: Sequence[Section] = ()
    ) -> None:
        """first, then: what comes before and behind what figures and colours mean. wanted: what is
        searched for at once.
        """
        super().__init__()
        self.set_class(True, GUESSES, update=False)  # later, all that is mounted is styled anew
        self._wanted = wanted
        self._sections = [*first, FIGURES, COLOURS, *then]
        self._filter = LineInput(placeholder="type to narrow", compact=True)
        self._text = _Words(markup=False)

    def compose(self) -> ComposeResult:
        """Filter, text."""
        yield Static("Help", id="title", markup=False)
        yield self._filter
        with VerticalScroll(id="body", can_focus=False):
            yield self._text
        yield ScreenFooter()

    def on_mount(self) -> None:
        """Paint first, ask the disk then."""
        self._filter.value = self._wanted
        self._show()
        self.call_after_refresh(start, self, self._find_files)

    def on_resize(self) -> None:
        """Fold the lines to the new width."""
        self.call_after_refresh(self._show)

    async def _find_files(self) -> None:
        try:
            found = await in_thread(files)
        except Exception as error:
            found = Section("Where files live", (Entry("unknown", error_line(error)),))
        self._sections.append(found)
        self._show()

    @on(Input.Changed)
    def _on_typed(self) -> None:
        self._show()
        self.query_one("#body").scroll_home(animate=False)

    def _show(self) -> None:
        width = min(WIDEST, self._text.content_size.width)
        if not width:  # not laid out yet: on_resize shows it
            return
        wanted = self._filter.value
        found = narrowed(self._sections, wanted)
        if found:
            self._text.update(laid_out(found, width))
        else:
            self._text.update(Content.styled(f"Nothing here says {one_line(wanted, 60)!r}.", DIM))

    # what the person does

    def action_back(self) -> None:
        """Go back to the chat."""
        self.dismiss(None)

    def action_clear(self) -> None:
        """Show all again."""
        self._filter.clear()

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll the text while the filter has the focus."""
        self.query_one("#body").scroll_relative(y=lines, animate=False, immediate=True)

    def action_scroll_pages(self, pages: int) -> None:
        """Scroll by as much as is seen."""
        self.action_scroll_lines(pages * max(1, self.query_one("#body").size.height - 1))


def laid_out(sections: Sequence[Section], width: int) -> Content:
    """Return the sections in two columns, or in one where there is no room for two."""
    words = [one_line(entry.word) for section in sections for entry in section.entries]
    column = min(WIDEST_WORD, max(map(len, words), default=0) + 2)
    lines: list[Content] = []
    for section in sections:
        if lines:
            lines.append(Content(""))
        lines.append(Content.styled(one_line(section.title), "bold $primary"))
        for entry in section.entries:
            lines += _lines(entry, column, width)
    return Content("\n").join(lines)


def _lines(entry: Entry, column: int, width: int) -> list[Content]:
    """Return an entry's lines: the word, beside or above its meaning."""
    word = Content.styled(f" {one_line(entry.word)} ", entry.style or "bold")
    room = width - column - GAP
    is_beside = room >= FEWEST_COLUMNS and word.cell_length <= column
    indent = column + GAP if room >= FEWEST_COLUMNS else 3
    meaning = Content(sanitise(entry.meaning)).wrap(max(1, width - indent))
    lines = [Content(" " * indent) + line for line in meaning]
    if not is_beside:
        return [word, *lines]
    gap = " " * (indent - word.cell_length)
    return [Content.assemble(word, gap, meaning[0]), *lines[1:]]
