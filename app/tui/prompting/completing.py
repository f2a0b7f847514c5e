"""How what is typed may go on: commands, earlier prompts, files.

Pure but for the folder that `files` reads, which may be slow: call it in a thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.files import file_search, mentions
from app.prompts import slash
from app.prompts.prompt_history import PromptHistory
from app.terminal.sanitise import one_line, sanitise

LONGEST_ROW = 300
RECALL = "/recall"


@dataclass(frozen=True, slots=True)
class Offer:
    """text[start:end] may become `insert`. goes_on: more may follow, so it is completed again.

    is_file: what is typed is a file's name, of which the case matters. past: the earlier prompt
    that it is, which Delete forgets; "" for anything else.
    """

    insert: str
    start: int
    end: int
    display: str
    help: str = ""
    goes_on: bool = False
    is_file: bool = False
    past: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """What is offered at one place. chosen: the one that Enter takes, None if there is none yet."""

    offers: tuple[Offer, ...] = ()
    chosen: int | None = None


def commands(text: str, cursor: int, choices: Mapping[str, slash.Choices]) -> Offers:
    """Return how a slash command may go on, if the cursor is at its end."""
    if cursor != len(text):
        return Offers()
    offers = tuple(
        Offer(each.insert, 0, cursor, each.display, each.help, each.insert.endswith(" "))
        for each in slash.complete(text, choices)
    )
    return _chosen(offers, is_begun=not text.endswith(" "))


def recalled(text: str, cursor: int, past: PromptHistory) -> Offers:
    """Return the earlier prompts that /recall finds, if the cursor is at its end.

    They take its place. The newest is chosen: Enter puts it in, and sends nothing.
    """
    name, space, words = text.partition(" ")
    if cursor != len(text) or not space or name.lower() != RECALL:
        return Offers()
    offers = tuple(
        Offer(sanitise(prompt), 0, cursor, one_line(prompt, LONGEST_ROW), past=prompt)
        for prompt in past.search(words)
    )
    return Offers(offers, 0 if offers else None)


def files(mention: mentions.Mention, base: Path) -> Offers:
    """Return the files and folders that a mention may become; where none begins so, those below
    with such names.
    """
    near = mentions.complete(mention.path, base)
    found = near or file_search.below(mention.path, base)
    offers = tuple(
        Offer(
            mentions.as_mention(path) + " " * (not path.endswith("/")),
            mention.start,
            mention.end,
            path,
            goes_on=path.endswith("/"),
            is_file=True,
        )
        for path in found
    )
    return _chosen(offers, bool(found) and file_search.begins(found[0], mention.path))


def _chosen(offers: tuple[Offer, ...], is_begun: bool) -> Offers:
    """Choose the first one only if something of it is typed: Enter shall not send a surprise."""
    return Offers(offers, 0 if offers and is_begun else None)


def location(text: str, index: int) -> tuple[int, int]:
    """Return the row and column of a place in a text."""
    before = text[:index]
    return before.count("\n"), index - before.rfind("\n") - 1
