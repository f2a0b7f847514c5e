"""The line over the prompt that says why something was not sent, until another text is typed."""

from __future__ import annotations

from textual.widgets import Static

from app.terminal.sanitise import one_line


class Trouble(Static):
    """The line over the prompt that says why something was not sent."""

    DEFAULT_CSS = """
    Trouble { display: none; height: auto; padding: 0 2; color: $error; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._text = ""

    def say(self, why: str, text: str) -> None:
        """Say why this text was not sent; "" says nothing."""
        self._text = text
        self.update(one_line(why))
        self.display = bool(why)

    def look(self, text: str) -> None:
        """Say nothing any more if another text is typed."""
        if self.display and text != self._text:
            self.say("", text)
