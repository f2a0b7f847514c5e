"""A process that streams answers into a history until it is killed, or writes some chats.

For each piece it prints, after handing it over: the time, the message, how many pieces so far.
After a flush it prints "flushed" before the figures.
"""

from __future__ import annotations

import sys
import time
from itertools import cycle
from pathlib import Path

from app.history import History, Outcome
from engine import Span
from tests.app.history.chats import said

PIECE = "{:05} "
SHORT, LONG = 30, 600
PAUSE_S = 0.005


def stream(history: History) -> None:
    """Answer for ever, shortly and at length in turns."""
    for n_pieces in cycle((SHORT, LONG)):
        chat = history.new_chat()
        question = history.add(chat, None, "user", "Go on?")
        message = history.add(chat, question, "assistant")
        for number in range(n_pieces):
            history.write(message, [Span(PIECE.format(number), "plain")])
            print(time.monotonic(), message, number + 1, flush=True)
            time.sleep(PAUSE_S)
        text = "".join(map(PIECE.format, range(n_pieces)))
        history.finish(message, text, Outcome("stop"))
        history.flush()
        history.delete(said(history, "away with it", "junk " * 5000))
        history.purge(-1)
        print("flushed", message, n_pieces, flush=True)


def main() -> None:
    """Stream, or write as many chats as the second argument says."""
    path, *n_chats = sys.argv[1:]
    history = History.open(Path(path))
    if not n_chats:
        stream(history)
    for number in range(int(n_chats[0])):
        said(history, f"{n_chats[1]} {number}", "an answer " * 20)
        history.flush()
        history.chats()
    assert history.close() and not history.notice


if __name__ == "__main__":
    main()
