"""A process that streams answers into a history until it is killed, or writes some chats.

For each piece it prints, after handing it over: the time, the message, how many pieces so far.
After a flush it prints "flushed" before the figures. Around each transaction it prints "begun" and
"ended" with the time: the disk of a busy machine may take seconds for one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from unittest.mock import patch

from app.history import History, Outcome
from app.history.writer import Writer
from engine import Span
from tests.app.history.chats import said

PIECE = "{:05} "
SHORT, LONG = 30, 600
PAUSE_S = 0.005


def tell(*words: object) -> None:
    """Print one line whole, whichever thread it comes from."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def told(turn: Callable[[Writer], bool]) -> Callable[[Writer], bool]:
    """Return the writer's turn with its begin and end printed."""

    def turn_told(writer: Writer) -> bool:
        tell("begun", time.monotonic())
        try:
            return turn(writer)
        finally:
            tell("ended", time.monotonic())

    return turn_told


def stream(history: History) -> None:
    """Answer for ever, shortly and at length in turns."""
    for n_pieces in cycle((SHORT, LONG)):
        chat = history.new_chat()
        question = history.add(chat, None, "user", "Go on?")
        message = history.add(chat, question, "assistant")
        for number in range(n_pieces):
            history.write(message, [Span(PIECE.format(number), "plain")])
            tell(time.monotonic(), message, number + 1)
            time.sleep(PAUSE_S)
        text = "".join(map(PIECE.format, range(n_pieces)))
        history.finish(message, text, Outcome("stop"))
        history.flush()
        history.delete(said(history, "away with it", "junk " * 5000))
        history.purge(-1)
        tell("flushed", message, n_pieces)


def main() -> None:
    """Stream, or write as many chats as the second argument says."""
    path, *n_chats = sys.argv[1:]
    if not n_chats:
        with patch.object(Writer, "_turn", told(Writer._turn)):
            stream(History.open(Path(path)))
    history = History.open(Path(path))
    for number in range(int(n_chats[0])):
        said(history, f"{n_chats[1]} {number}", "an answer " * 20)
        history.flush()
        history.chats()
    assert history.close() and not history.notice


if __name__ == "__main__":
    main()
