"""Keeps a chat in the history while it goes on, and knows its branches.

A turn is two messages there: the question, and the answer below it. Asked again, a question gets
another answer beside the first; edited, it gets another question beside itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app import history
from app.attachments import Attachment
from app.conversation import CUT_SHORT, Turn, TurnReason
from app.errors import HistoryError
from app.history import Chat, Figures, History, Outcome, StoredMessage
from app.history.tree import Tree
from app.pictures import Album
from engine import PLAIN, Picture, Span, TracedStep

Part = Literal["question", "answer"]
GONE: TurnReason = "cancelled"
"""Why an answer ended whose app did before it."""


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
        self._tree = Tree(())
        self._elsewhere: set[int] = set()

    def new(self) -> None:
        """The next question begins another chat."""
        self.chat, self.system, self.settings, self.answered_by = None, "", {}, ""
        self._parents, self._turns, self._unanswered, self._tree = {}, {}, {}, Tree(())
        self._elsewhere = set()

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

    def has(self, chat: int) -> bool:
        """Whether there is such a chat and it is not deleted. Raises HistoryError."""
        return self._history.has(chat)

    def read(self, chat: int) -> Chat:
        """Return a chat that was kept, in any thread; change nothing. Raises HistoryError."""
        self._history.flush()
        return self._history.chat(chat)

    def asked_elsewhere(self) -> int:
        """Return how many questions others have added to this chat since this was asked last, in
        any thread. Raises HistoryError.
        """
        if self.chat is None:
            return 0
        asked = self._history.questions(self.chat)
        new = {id for id in asked if id not in self._parents} - self._elsewhere
        self._elsewhere |= new
        return len(new)

    def take(self, found: Chat, message: int | None = None) -> list[Turn]:
        """Go on with a chat that was read; return its turns.

        message: one that is to be among them, be it on a branch that was not shown.
        """
        self.new()
        self.chat, self.system, self.settings = found.info.id, found.system, found.settings
        self.answered_by = found.info.pair
        self._parents = {each.id: each.parent for each in found.messages}
        self._tree = Tree(self._parents.items())
        self._turns = dict(_turns(found, self._history.album))
        asked = (each for each in found.messages if each.role == "user")
        self._unanswered = {each.id: _question(each, self._history.album) for each in asked}
        leaf, tree = found.leaf, self._tree
        if message in self._parents and (leaf is None or message not in tree.path(leaf)):
            leaf = tree.newest_leaf(message)
            self._history.show(found.info.id, message)
        return [] if leaf is None else self._path(leaf)

    def began(self, turn: Turn, before: Turn | None) -> None:
        """Add the question, unless it is asked again, and its answer, unless that goes on."""
        pair = self._pair()
        if self.chat is None:
            self.chat = self._history.new_chat(self.system, pair, self.settings)
        parent = before.answer_id or before.question_id if before is not None else None
        if turn.question_id is None:
            kept = list(map(_kept, turn.attachments))
            turn.question_id = self._history.add(
                self.chat, parent, "user", turn.question, pair, kept
            )
            self._note(turn.question_id, parent)
        if turn.answer_id is None:
            turn.attempt = self._wholes(turn.question_id)
            id = self._history.add(self.chat, turn.question_id, "assistant", pair=pair)
            turn.answer_id, turn.pair = id, pair
            self._note(id, turn.question_id)
        elif turn.spans:
            turn.steps = self.steps(turn)
            self._history.write(turn.answer_id, turn.spans, _figures(turn))
        self._turns[turn.answer_id] = turn

    def grew(self, turn: Turn, spans: Sequence[Span]) -> None:
        """Write the answer as it comes."""
        if turn.answer_id is not None:
            self._history.write(turn.answer_id, spans, _figures(turn))

    def ended(self, turn: Turn) -> None:
        """Write the whole of it."""
        if turn.answer_id is not None:
            outcome = Outcome(turn.reason or GONE, _figures(turn), turn.error)
            self._history.finish(turn.answer_id, turn.answer, outcome)
            self._history.keep_steps(turn.answer_id, turn.steps)

    def summarised(self, turn: Turn) -> None:
        """Keep the summary that a turn has now."""
        message = turn.answer_id or turn.question_id
        if message is not None:
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

    def undone(self, last: Turn | None) -> None:
        """Nothing behind this turn is shown any more; None: nothing at all."""
        if self.chat is not None:
            message = None if last is None else last.answer_id or last.question_id
            self._history.show_upto(self.chat, message)

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


def _figures(turn: Turn) -> Figures:
    return Figures(turn.stats, turn.seed, turn.context_used, turn.left_out, turn.sampling)


def _turns(chat: Chat, album: Album) -> list[tuple[int, Turn]]:
    """Return the answers of a chat by their ids, each with its question."""
    by_id = {message.id: message for message in chat.messages}
    found = []
    for message in chat.messages:
        question = by_id.get(message.parent) if message.parent is not None else None
        if message.role == "assistant" and question is not None:
            found.append((message.id, _turn(question, message, album)))
    return found


def _question(question: StoredMessage, album: Album) -> Turn:
    """Return the turn of a question that was never answered."""
    attachments = tuple(_attachment(kept, album) for kept in question.attachments)
    turn = Turn(question.content, reason=GONE, attachments=attachments, question_id=question.id)
    turn.summary = question.summary
    return turn


def _kept(it: Attachment) -> history.Attachment:
    id = it.picture.id if it.picture is not None else ""
    return history.Attachment(
        it.name, it.text, it.size_bytes, it.encoding, it.of_lines, id, it.pixels
    )


def _attachment(kept: history.Attachment, album: Album) -> Attachment:
    size_bytes, picture = kept.size_bytes, None
    if size_bytes is None:
        size_bytes = len(kept.text.encode("utf-8", "replace"))
    if kept.picture:
        path = album.path_of(kept.picture, kept.encoding)
        picture = Picture(path=str(path), id=kept.picture)
    return Attachment(
        kept.name, kept.text, size_bytes, kept.encoding, kept.of_lines, picture, kept.pixels
    )


def _whole(answer: StoredMessage) -> list[Span]:
    """Return the spans of all its text: of an answer from elsewhere nobody knows who proposed."""
    spans = answer.spans()
    rest = answer.content[sum(len(span.text) for span in spans) :]
    return [*spans, Span(rest, PLAIN)] if rest else spans


def _turn(question: StoredMessage, answer: StoredMessage, album: Album) -> Turn:
    figures = answer.figures
    return Turn(
        question.content,
        answer=answer.content,
        attachments=tuple(_attachment(kept, album) for kept in question.attachments),
        reason=answer.reason or GONE,  # type: ignore[arg-type]
        stats=figures.stats,
        spans=_whole(answer),
        context_used=figures.context_used,
        seed=figures.seed,
        error=answer.error,
        left_out=figures.left_out,
        sampling=figures.sampling,
        pair=answer.pair,
        question_id=question.id,
        answer_id=answer.id,
        summary=answer.summary,
        skipped=answer.skipped,
    )
