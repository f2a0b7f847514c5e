"""One entry of a palette, and how well it is what somebody looks for.

Every word that is typed has to begin a word of its title, of the names that it is known by, or of
what is said about it; the former weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from textual.content import Content

from app.tui.tones import DIM

WORD = re.compile(r"[\w-]+")
WEIGHTS = (1.0, 0.8, 0.5)
"""Of the title, of other names, of what is said about a command."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One command. names: what it is known by, beside its title; key: "" for none; is_now: whether
    it makes sense.
    """

    title: str
    about: str
    run: Callable[[], object]
    names: str = ""
    key: str = ""
    is_now: bool = True

    def worth(self, wanted: str) -> float:
        """Return how well it is what is wanted, from 0, not at all, to 1."""
        words = WORD.findall(wanted.casefold())
        return min((self._worth_of(word) for word in words), default=0.0)

    def _worth_of(self, word: str) -> float:
        fields = (self.title, self.names, self.about)
        return max(
            weight if _has(field, word) else 0.0
            for weight, field in zip(WEIGHTS, fields, strict=True)
        )

    @property
    def shown(self) -> Content:
        """The title and the key."""
        title = self.title if self.is_now else (self.title, DIM)
        return Content.assemble(title, (f"  {self.key}" if self.key else "", DIM))


def _has(text: str, word: str) -> bool:
    return any(each.startswith(word) for each in WORD.findall(text.casefold()))
