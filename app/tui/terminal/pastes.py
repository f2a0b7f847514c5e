"""A paste as text from its beginning to its end, whatever it holds.

Of an Esc within a paste Textual makes keys, and of what follows it: the rest of a coloured listing
would be typed, line breaks and commands included. Here a paste loses its Escs before Textual reads
it. One that holds the very sequence with which a paste ends does end there, and what follows is
typed: only the terminal can tell the two apart, and most take out such sequences themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic
from types import ModuleType

from textual._xterm_parser import XTermParser
from textual.message import Message

ESC = "\x1b"
BEGIN, END = f"{ESC}[200~", f"{ESC}[201~"
STOPPING = (ESC, "\x03", f"{ESC}[27u", f"{ESC}[99;5u")
"""What terminals send for Esc and for Ctrl+C."""
STALLED_S = 1.0
"""After how long a key like that ends a paste of which the end has been lost."""


class Pastes:
    """What a terminal sends, without the Escs in pastes; nothing but the beginning of a sequence
    with which a paste may end is kept back.
    """

    def __init__(self) -> None:
        self._is_open = False
        self._begun = ""
        """What was passed on already of a sequence with which a paste may begin."""
        self._held = ""
        self._read_at_s = float("-inf")

    def cleaned(self, read: str, at_s: float, is_begun: bool = True) -> str:
        """Return what to pass on of what was read. is_begun: whether Textual waits for the rest of
        a sequence.
        """
        is_stalled = at_s > self._read_at_s + STALLED_S
        self._read_at_s = at_s
        if self._is_open and is_stalled and read in STOPPING:
            self._is_open, self._held, self._begun = False, "", ""
            return END + read
        self._begun = self._begun if is_begun else ""
        passed: list[str] = []
        while read:
            part, read = self._inside(read) if self._is_open else self._outside(read)
            passed.append(part)
        return "".join(passed)

    def _outside(self, read: str) -> tuple[str, str]:
        """Return what to pass on, to the beginning of a paste, and what is behind that."""
        before, begin, behind = (self._begun + read).partition(BEGIN)
        part = (before + begin)[len(self._begun) :]
        self._is_open, self._begun = bool(begin), "" if begin else _tail(before, BEGIN)
        return part, behind

    def _inside(self, read: str) -> tuple[str, str]:
        """Return what to pass on, to the end of the paste, and what is behind that."""
        before, end, behind = (self._held + read).partition(END)
        self._is_open, self._held = not end, "" if end else _tail(before, END)
        return before.removesuffix(self._held).replace(ESC, "") + end, behind


class PasteParser(XTermParser):
    """Textual's parser, for which a paste is one."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pastes = Pastes()

    def feed(self, data: str) -> Iterable[Message]:
        """Read; "" is the end of all."""
        passed = self._pastes.cleaned(data, monotonic(), self._timeout_time is not None)
        return super().feed(passed) if passed or not data else ()


def are_whole(driver: ModuleType) -> None:
    """Have a module of Textual's drivers read with that parser."""
    vars(driver)["XTermParser"] = PasteParser


def _tail(text: str, sequence: str) -> str:
    """Return the end of a text that a sequence may begin with."""
    parts = (sequence[:length] for length in range(len(sequence) - 1, 0, -1))
    return next((part for part in parts if text.endswith(part)), "")
