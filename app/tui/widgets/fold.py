"""A line that opens to a text, and folds it again; the text is written only where it is seen.

The text stands in pieces, so that of one that grows only the last is laid out and painted again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from app.terminal.sanitise import sanitise

PIECE = 2000
"""So many characters a piece has at least, before the next one begins."""
END = re.compile(r"\S\n(?=.)", re.DOTALL)
BODY = "fold--text"
FOLDED, OPENED = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"


class Fold(Vertical):
    """Folded, unless it has the class -open from the beginning."""

    DEFAULT_CSS = """
    Fold {
        height: auto;
        .fold--line { width: auto; pointer: pointer; }
        .fold--text { display: none; height: auto; padding-left: 1; border-left: outer $panel; }
        &.-open .fold--text { display: block; }
    }
    """

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes=classes)
        self._line = Static(classes="fold--line", markup=False)
        self._body = Vertical(classes=f"{BODY} said")
        self._pieces: list[tuple[Static, str]] = []

    @property
    def line(self) -> str:
        """What is said of it."""
        raise NotImplementedError

    @property
    def body(self) -> str:
        """What it opens to."""
        raise NotImplementedError

    @property
    def is_open(self) -> bool:
        """Whether its text is to be seen."""
        return self.has_class("-open")

    def compose(self) -> ComposeResult:
        """One line, and what it unfolds to."""
        yield self._line
        yield self._body

    def on_mount(self) -> None:
        """Say what there is to say by now."""
        self.write()

    def toggle(self) -> None:
        """Open or close it."""
        self.toggle_class("-open")
        self.write()

    def on_click(self, event: events.Click) -> None:
        """Open or close it by its line; what is open can be selected."""
        if event.widget is self._line:
            event.stop()
            self.toggle()

    def write(self) -> None:
        """Show what line and body say now."""
        self._line.update(f"{OPENED if self.is_open else FOLDED} {self.line}")
        if self.is_open and self._body.is_attached:
            self._show(pieces(sanitise(self.body)))

    def _show(self, texts: Sequence[str]) -> None:
        """Show these pieces of the text, and touch none that is as it was."""
        for static, _ in self._pieces[len(texts) :]:
            static.remove()
        del self._pieces[len(texts) :]
        for at, (static, shown) in enumerate(self._pieces):
            if texts[at] != shown:
                static.update(texts[at])
                self._pieces[at] = static, texts[at]
        new = [(Static(text, markup=False), text) for text in texts[len(self._pieces) :]]
        self._pieces += new
        if new:
            self._body.mount_all([static for static, _ in new])


def pieces(text: str) -> list[str]:
    """Cut a text between lines, each time behind one that is not blank: joined by line breaks they
    are the text, and of a longer one that begins with it, all but the last are the same.
    """
    found: list[str] = []
    start = 0
    while (cut := END.search(text, start + PIECE)) is not None:
        found.append(text[start : cut.start() + 1])
        start = cut.start() + 2
    return [*found, text[start:]]
