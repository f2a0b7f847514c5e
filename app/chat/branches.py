"""The branches of one chat that is kept: which turns stand on each, as far as it is known here.

A turn is two messages: the question, and the answer below it. Asked again, a question gets another
answer beside the first; edited, it gets another question beside itself. Writes nothing: that is for
recorder.py.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from app.chat.conversation import CUT_SHORT, Turn
from app.chat.joining import joined
from app.chat.kept_turns import turns_of, unanswered
from app.chat.seen import Seen
from app.files.pictures import Album
from app.history import Chat
from app.history.tree import Tree

Part = Literal["question", "answer"]


@dataclass(frozen=True, slots=True)
class Places:
    """Which of how many versions is shown, from 1 on: of a question, and of its answer."""

    question: tuple[int, int] = (1, 1)
    answer: tuple[int, int] = (1, 1)


class Branches:
    """album: the pictures of the turns. found: the chat as it was read; None: it is a new one."""

    def __init__(self, album: Album, found: Chat | None = None) -> None:
        messages = found.messages if found is not None else []
        self._album = album
        self._parents = {it.id: it.parent for it in messages}
        self._tree = Tree(self._parents.items())
        self._seen = Seen(messages)
        self._turns = dict(turns_of(found, album)) if found is not None else {}
        self._unanswered = {it.id: unanswered(it, album) for it in messages if it.role == "user"}

    @property
    def over(self) -> set[int]:
        """The messages that are known, but for the answers that run elsewhere."""
        return self._parents.keys() - self._seen.running()

    @property
    def pairs(self) -> set[str]:
        """The pairs that have answered in this chat, on whatever branch."""
        return {turn.pair for turn in self._turns.values() if turn.answer}

    def turns(self, leaf: int) -> list[Turn]:
        """Return the turns down to a message."""
        path = self._tree.path(leaf)
        found = []
        for message, below in itertools.zip_longest(path, path[1:], fillvalue=leaf):
            turn = self._turns.get(message)
            if message in self._unanswered and (message == leaf or below not in self._turns):
                turn = self._unanswered[message]
            if turn is not None:
                found.append(turn)
        return found

    def leaf_with(self, message: int | None, leaf: int | None) -> int | None:
        """Return a leaf, or if the message is not on its branch, the newest one where it is."""
        return self._tree.leaf_with(message, leaf)

    def places(self, turn: Turn) -> Places:
        """Return which version of a turn is shown, and of how many."""
        return Places(self._place(turn.question_id), self._place(turn.answer_id))

    def beside(self, turn: Turn, part: Part, steps: int) -> int | None:
        """Return the leaf of another version, so many on; None if there is none."""
        message = turn.question_id if part == "question" else turn.answer_id
        known = message is not None and message in self._tree
        return self._tree.beside(message, steps) if message is not None and known else None

    def wholes(self, question: int) -> int:
        """Return how many whole answers a question has: as many seeds are used up."""
        beside = [id for id, parent in self._parents.items() if parent == question]
        answers = [self._turns[id] for id in beside if id in self._turns]
        return sum(turn.reason not in CUT_SHORT for turn in answers)

    def add(self, message: int, parent: int | None) -> None:
        """Take in a message that was written here."""
        self._parents[message] = parent
        self._tree = Tree(self._parents.items())

    def answered(self, answer: int, turn: Turn) -> None:
        """Take in the turn that an answer stands in."""
        self._turns[answer] = turn

    def ended(self, answer: int, text: str, reason: str) -> None:
        """Take in that an answer has ended here."""
        self._seen.wrote(answer, text, reason)

    def rewritten(self, answer: int, known: Turn, found: Chat) -> Turn | None:
        """Return an answer as it is in the chat now if another window has written to it since it
        was seen here, or may be about to begin it.
        """
        if not self._seen.differs(answer, found.messages):
            return None
        self._seen.read(it for it in found.messages if it.id == answer)
        return dict(turns_of(found, self._album)).get(answer, known)

    def join(self, found: Chat) -> set[int]:
        """Take in what others have added, as far as it is over; return its questions."""
        running = self._seen.running()
        theirs = joined(found.messages, self._parents)
        self._parents = theirs.parents | self._parents  # behind them what is not on the disk yet
        self._tree = Tree(self._parents.items())
        self._seen.read(it for it in found.messages if it.id in running | theirs.new)
        ended = running - self._seen.running()
        kept = {id: turn for id, turn in self._turns.items() if id not in ended}
        over = {id: turn for id, turn in turns_of(found, self._album) if id in theirs.parents}
        self._turns = over | kept
        self._unanswered |= {it.id: unanswered(it, self._album) for it in theirs.asked}
        return {it.id for it in theirs.asked}

    def running(self, turns: Sequence[Turn]) -> Turn | None:
        """Return the newest of these whose answer was not over when it was read, nor has ended
        here.
        """
        running = self._seen.running()
        return next((turn for turn in reversed(turns) if turn.answer_id in running), None)

    def renewed(self, turns: Sequence[Turn]) -> list[Turn] | None:
        """Return these with the answers that have ended elsewhere as they are now; None where none
        has.
        """
        now = [self._turns.get(turn.answer_id or 0, turn) for turn in turns]
        return None if all(map(operator.is_, now, turns)) else now

    def behind(self, last: Turn | None, asked: Collection[int]) -> set[int]:
        """Return those of the questions that were asked behind the last turn, or where none is
        shown: the others are on branches beside it.
        """
        shown = last_message(last)
        return {id for id in asked if shown is None or shown in self._tree.path(id)}

    def onward(self, last: Turn | None, asked: Collection[int]) -> list[Turn]:
        """Return the turns that others have asked right behind the last one. asked: their
        questions.
        """
        shown = last_message(last)
        if shown is None or shown not in self._tree:
            return []
        leaf = self._tree.newest_leaf(shown)
        path = self._tree.path(leaf)
        behind = path[path.index(shown) + 1 :]
        is_theirs = bool(set(asked).intersection(behind[:1]))
        return [turn for turn in self.turns(leaf) if turn.question_id in behind and is_theirs]

    def _place(self, message: int | None) -> tuple[int, int]:
        if message is None or message not in self._tree:
            return 1, 1
        siblings = self._tree.siblings(message)
        return siblings.index(message) + 1, len(siblings)


def last_message(turn: Turn | None) -> int | None:
    """Return the id of a turn's last message."""
    return None if turn is None else turn.answer_id or turn.question_id
