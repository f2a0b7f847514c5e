"""What earlier answers said, found again: the memory of one tokenizer's texts, and their index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.drafting.automaton import Automaton
from engine.drafting.memory import LARGEST, Memory

MOST_INDEXED = LARGEST + LARGEST // 4
"""Tokens of earlier answers that are indexed at most, for the memory that takes; beyond, what is
still kept is indexed anew.
"""


class Recall:
    """Earlier answers, kept in a folder and indexed for lookups.

    tokenizer: its key, a hex digest (`tokenizer_key`).
    """

    def __init__(self, folder: Path, tokenizer: str) -> None:
        self._memory, self.index = Memory(folder, tokenizer), Automaton()
        self._read(self._memory.texts())

    def remember(self, tokens: Sequence[int]) -> None:
        """Keep an answer for later lookups, if it can be kept."""
        if not self._memory.add(tokens):
            return
        if len(self.index) + len(tokens) > MOST_INDEXED:
            self.index.clear()
            self._read(self._memory.texts())
        else:
            self._read([tokens])

    def _read(self, texts: Iterable[Sequence[int]]) -> None:
        for text in texts:
            self.index.start_document()
            self.index.extend(text)
