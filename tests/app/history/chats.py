"""What the tests of the history share: a clock, chats, and ways to look into the file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from app.history import Figures, History, Outcome
from engine import Span

NOW = 1_800_000_000.0


@dataclass
class Clock:
    """A clock that is set."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


@dataclass
class Reports:
    """What was reported."""

    lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        self.lines.append(line)


STOPPED = Outcome("stop", Figures(seed=7, context_used=12))


def said(history: History, question: str, answer: str = "Yes.", chat: int | None = None) -> int:
    """Write a question and its answer, return the chat."""
    chat = history.new_chat() if chat is None else chat
    asked = history.add(chat, None, "user", question)
    answered(history, chat, asked, answer)
    return chat


def answered(history: History, chat: int, question: int, answer: str) -> int:
    """Write an answer as it streams, return its id."""
    message = history.add(chat, question, "assistant", pair="demo")
    for piece in answer:
        history.write(message, [Span(piece, "lookup" if piece.isalpha() else "plain")])
    history.finish(message, answer, STOPPED)
    return message


def titles(history: History) -> list[str]:
    """Return the titles of all chats as they are listed."""
    assert history.flush()
    return [chat.title for chat in history.chats()]


def found(history: History, words: str) -> list[str]:
    """Return the titles of the chats that are found."""
    return [hit.chat.title for hit in history.search(words)]


def integrity(path: Path) -> str:
    """Return what SQLite says of the file."""
    with closing(sqlite3.connect(path)) as connection:
        foreign = connection.execute("PRAGMA foreign_key_check").fetchall()
        (line,) = connection.execute("PRAGMA integrity_check").fetchone()
        return str(line) if not foreign else f"foreign keys: {foreign}"
