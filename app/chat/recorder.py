"""Keeps a chat in the history while it goes on, and knows its branches.

A turn is two messages there: the question, and the answer below it. Asked again, a question gets
another answer beside the first; edited, it gets another question beside itself.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.chat.conversation import CUT_SHORT, Turn
from app.chat.joining import joined
from app.chat.kept_turns import GONE, figures_of, to_keep, turns_of, unanswered
from app.chat.seen import Seen
from app.errors import HistoryError
from app.history import Chat, History, Outcome
from app.history.tree import Tree
from engine import Span, TracedStep

Part = Literal["question", "answer"]
PATIENCE_S = 0.5
"""So long an answer waits for what is known to be on the disk."""


@dataclass(frozen=True, slots=True)
class Places:
    """Which of how many versions is shown, from 1 on: of a question, and of its answer."""

    question: tuple[int, int] = (1, 1)
    answer: tuple[int, int] = (1, 1)


class HistoryRecorder:
    """Records one chat at a time. pair: names the pair that answers now.

    system, settings: of the chat that was opened, or what a new one is to begin with; `new`
    forgets them. answered_by: the pair of the last answer in the chat that was opened, else "".
    """

    def __init__(self, history: History, pair: Callable[[], str]) -> None:
        self.chat: int | None = None
        self.system = ""
        self.settings: Mapping[str, object] = {}
        self.answered_by = ""
        self._history, self._pair = history, pair
        self._parents: dict[int, int | None] = {}
        self._turns: dict[int, Turn] = {}
        self._unanswered: dict[int, Turn] = {}
        self._seen = Seen()
        self._tree = Tree(())
        self._is_deleted = False

    def new(self) -> None:
        """The next question begins another chat."""
        self.chat, self.system, self.settings, self.answered_by = None, "", {}, ""
        self._parents, self._turns, self._unanswered = {}, {}, {}
        self._seen, self._tree = Seen(), Tree(())
        self._is_deleted = False

    def configure(self, system: str, settings: Mapping[str, object]) -> None:
        """Keep what was chosen for this chat, or for the one that the next question begins."""
        if (system, settings) == (self.system, self.settings):
            return
        self.system, self.settings = system, settings
        if self.chat is not None:
            self._history.configure(self.chat, system, settings)

    def open(self, chat: int) -> list[Turn]:
        """Go on with a chat that was kept; return its turns. Raises HistoryError."""
        return self.take(self.read(chat))

    def read(self, chat: int) -> Chat:
        """Return a chat that was kept, in any thread; change nothing. Raises HistoryError."""
        self._history.flush()
        return self._history.chat(chat)

    def changed(self) -> Chat | None:
        """Return the chat if others have added to it, in any thread. Raises HistoryError."""
        chat, known = self.chat, self._parents.keys() - self._seen.running()
        if chat is None or known >= self._history.answers(chat):
            return None
        return self._history.chat(chat)

    def newly_deleted(self) -> bool:
        """Return whether others have deleted the chat meanwhile, in any thread. Raises
        HistoryError.
        """
        before, chat = self._is_deleted, self.chat
        self._is_deleted = chat is not None and self._history.is_deleted(chat)
        return self._is_deleted and not before

    def join(self, found: Chat) -> set[int]:
        """Take in what others have added, as far as it is over; return its questions."""
        running, album = self._seen.running(), self._history.album
        theirs = joined(found.messages, self._parents)
        self._parents = theirs.parents | self._parents  # behind them what is not on the disk yet
        self._tree = Tree(self._parents.items())
        self._seen.read(it for it in found.messages if it.id in running | theirs.new)
        ended = running - self._seen.running()
        kept = {id: turn for id, turn in self._turns.items() if id not in ended}
        over = {id: turn for id, turn in turns_of(found, album) if id in theirs.parents}
        self._turns = over | kept
        self._unanswered |= {it.id: unanswered(it, album) for it in theirs.asked}
        return {it.id for it in theirs.asked}

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
        shown = _message(last)
        return {id for id in asked if shown is None or shown in self._tree.path(id)}

    def onward(self, last: Turn | None, asked: Collection[int]) -> list[Turn]:
        """Return the turns that others have asked right behind the last one. asked: their
        questions.
        """
        shown = _message(last)
        if shown is None or shown not in self._tree:
            return []
        leaf = self._tree.newest_leaf(shown)
        path = self._tree.path(leaf)
        behind = path[path.index(shown) + 1 :]
        is_theirs = bool(set(asked).intersection(behind[:1]))
        return [turn for turn in self._path(leaf) if turn.question_id in behind and is_theirs]

    def take(self, found: Chat, message: int | None = None) -> list[Turn]:
        """Go on with a chat that was read; return its turns.

        message: one that is to be among them, be it on a branch that was not shown.
        """
        self.new()
        self.chat, self.system, self.settings = found.info.id, found.system, found.settings
        self.answered_by = found.info.pair
        self._is_deleted = found.info.deleted_at is not None
        self._parents = {each.id: each.parent for each in found.messages}
        self._tree = Tree(self._parents.items())
        self._seen = Seen(found.messages)
        self._turns = dict(turns_of(found, self._history.album))
        asked = (each for each in found.messages if each.role == "user")
        self._unanswered = {each.id: unanswered(each, self._history.album) for each in asked}
        leaf, tree = found.leaf, self._tree
        if message in self._parents and (leaf is None or message not in tree.path(leaf)):
            leaf = tree.newest_leaf(message)
            self._history.show(found.info.id, message)
        return [] if leaf is None else self._path(leaf)

    def began(self, turn: Turn, before: Turn | None) -> None:
        """Add the question, unless it is asked again, and its answer, unless that goes on. Where
        another window has written to the answer since, this one goes on beside it.
        """
        pair = "" if turn.reason == "given" else self._pair()
        if self.chat is None:
            self.chat = self._history.new_chat(self.system, pair, self.settings)
        parent = before.answer_id or before.question_id if before is not None else None
        if turn.question_id is None:
            kept = list(map(to_keep, turn.attachments))
            turn.question_id = self._history.add(
                self.chat, parent, "user", turn.question, pair, kept
            )
            self._note(turn.question_id, parent)
        begun = answer = turn.answer_id
        theirs = self._theirs(turn, begun) if begun is not None else None
        if begun is None:
            turn.attempt = self._wholes(turn.question_id)
        elif theirs is not None:
            self._turns[begun] = theirs
        elif turn.spans:
            turn.steps = self.steps(turn)
        if answer is None or theirs is not None:
            answer = self._history.add(self.chat, turn.question_id, "assistant", pair=pair)
            turn.answer_id, turn.pair = answer, pair
            self._note(answer, turn.question_id)
        if begun is not None and turn.spans:
            self._history.write(answer, turn.spans, figures_of(turn))
        self._turns[answer] = turn

    def grew(self, turn: Turn, spans: Sequence[Span]) -> None:
        """Write the answer as it comes."""
        if turn.answer_id is not None:
            self._history.write(turn.answer_id, spans, figures_of(turn))

    def ended(self, turn: Turn) -> None:
        """Write the whole of it."""
        if turn.answer_id is not None:
            outcome = Outcome(turn.reason or GONE, figures_of(turn), turn.error)
            self._history.finish(turn.answer_id, turn.answer, outcome)
            self._seen.wrote(turn.answer_id, turn.answer, outcome.reason)
            self._history.keep_steps(turn.answer_id, turn.steps)

    def summarised(self, turn: Turn) -> None:
        """Keep the summary that a turn has now."""
        if (message := _message(turn)) is not None:
            self._history.summarise(message, turn.summary)

    def skipped(self, turn: Turn) -> None:
        """Keep whether a turn is left out of what is sent."""
        if turn.answer_id is not None:
            keep = self._history.leave_out if turn.skipped else self._history.take_in
            keep(turn.answer_id)

    @property
    def pairs(self) -> set[str]:
        """The pairs that have answered in this chat, on whatever branch."""
        return {turn.pair for turn in self._turns.values() if turn.answer}

    def steps(self, turn: Turn) -> list[TracedStep]:
        """Return the steps of an answer: those at hand, else those that were kept."""
        if turn.steps or turn.answer_id is None:
            return turn.steps
        try:
            return self._history.steps(turn.answer_id)
        except HistoryError:  # they are for looking at alone
            return []

    def shown_upto(self, last: Turn | None) -> None:
        """Nothing behind this turn is shown any more; None: nothing at all."""
        if self.chat is not None:
            self._history.show_upto(self.chat, _message(last))

    def places(self, turn: Turn) -> Places:
        """Return which version of a turn is shown, and of how many."""
        messages = (turn.question_id, turn.answer_id)
        question, answer = map(self._place, messages)
        return Places(question, answer)

    def beside(self, turn: Turn, part: Part, steps: int) -> list[Turn] | None:
        """Show another version, so many on; return the turns then shown, None if there is none."""
        message = turn.question_id if part == "question" else turn.answer_id
        if message is None or message not in self._tree or self.chat is None:
            return None
        leaf = self._tree.beside(message, steps)
        if leaf is None:
            return None
        self._history.show(self.chat, leaf)
        return self._path(leaf)

    def _theirs(self, turn: Turn, answer: int) -> Turn | None:
        """Return an answer as it is now where another window has written to it since it was seen
        here, or may be about to begin it; also where that cannot be found out.
        """
        assert self.chat is not None, "it has an answer"
        known = replace(turn)
        try:
            if not self._history.flush(PATIENCE_S):
                return known
            found = self._history.chat(self.chat)
        except HistoryError:  # told by whoever reads or writes more than this
            return known
        if not self._seen.differs(answer, found.messages):
            return None
        self._seen.read(it for it in found.messages if it.id == answer)
        return dict(turns_of(found, self._history.album)).get(answer, known)

    def _wholes(self, question: int) -> int:
        """Return how many whole answers a question has: as many seeds are used up."""
        beside = [id for id, parent in self._parents.items() if parent == question]
        answers = [self._turns[id] for id in beside if id in self._turns]
        return sum(turn.reason not in CUT_SHORT for turn in answers)

    def _place(self, message: int | None) -> tuple[int, int]:
        if message is None or message not in self._tree:
            return 1, 1
        siblings = self._tree.siblings(message)
        return siblings.index(message) + 1, len(siblings)

    def _note(self, message: int, parent: int | None) -> None:
        self._parents[message] = parent
        self._tree = Tree(self._parents.items())

    def _path(self, leaf: int) -> list[Turn]:
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


def _message(turn: Turn | None) -> int | None:
    """Return the id of a turn's last message."""
    return None if turn is None else turn.answer_id or turn.question_id
