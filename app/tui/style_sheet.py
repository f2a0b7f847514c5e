"""The app's style sheet, which is parsed anew only where its colours change."""

from __future__ import annotations

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

MOST_SOURCES = 1024
"""How many pieces of style are kept; with fewer than there are, none would be found again."""


class StyleSheet(Stylesheet):
    """Keeps what it has parsed. Textual's own parses all of it again with every new screen, five
    times until the chat can be seen.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache = LRUCache(MOST_SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other colours, if they are others."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Take in what was added, and other colours; raise StylesheetError and change nothing."""
        self.parse()
