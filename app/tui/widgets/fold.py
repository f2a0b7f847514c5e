"""A line that opens to a text, and folds it again; the text is written only where it is seen."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from app.terminal.sanitise import sanitise

FOLDED, OPENED = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK DOWN-POINTING SMALL TRIANGLE}"


class Fold(Vertical):
    """Folded, unless it has the class -open from the beginning."""

    DEFAULT_CSS = """
    Fold {
        height: auto;
        .fold--line { width: auto; pointer: pointer; }
        .fold--text { display: none; padding-left: 1; border-left: outer $panel; }
        &.-open .fold--text { display: block; }
    }
    """

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes=classes)
        self._line = Static(classes="fold--line", markup=False)
        self._body = Static(classes="fold--text said", markup=False)

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
        self.write()
        yield self._line
        yield self._body

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
        if self.is_open:
            self._body.update(sanitise(self.body))
