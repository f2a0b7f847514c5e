"""Keeps a chat in the history while it goes on. What its branches are stands in branches.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from app.chat.branches import Branches, Part, last_message
from app.chat.conversation import Turn
from app.chat.kept_turns import GONE, figures_of, to_keep
from app.errors import HistoryError
from app.history import Chat, History, Outcome
from app.history.title import title_of
from engine import Span, TracedStep

Fate = Literal["new", "kept", "deleted", "erased"]
"""What has become of a chat in the history."""
WRITTEN = ("edited", "given")
"""Why an answer ended that no model wrote."""
PATIENCE_S = 0.5
"""So long an answer waits for what is known to be on the disk."""


class HistoryRecorder:
    """Records one chat, the one that the first question begins or that is taken up. pair: names the
    pair that answers now.

    system, settings: of the chat that was opened, or what a new one is to begin with. title: what a
    new one is called, "" where its first question says it. first: the title that this gave it, also
    if it was changed since. answered_by: the pair of the last answer in the chat that was opened,
    else "".
    """

    def __init__(self, history: History, pair: Callable[[], str]) -> None:
        self.chat: int | None = None
        self.system = self.title = self.first = ""
        self.settings: Mapping[str, object] = {}
        self.answered_by = ""
        self.branches = Branches(history.album)
        self._history, self._pair = history, pair
        self._fate: Fate = "new"

    def configure(self, system: str, settings: Mapping[str, object]) -> None:
        """Keep what was chosen for this chat, or for the one that the next question begins."""
        if (system, settings) == (self.system, self.settings):
            return
        self.system, self.settings = system, settings
        if self.chat is not None:
            self._history.configure(self.chat, system, settings)

    def read(self, chat: int) -> Chat:
        """Return a chat that was kept, in any thread; change nothing. Raises HistoryError."""
        self._history.flush()
        return self._history.chat(chat)

    def changed(self) -> Chat | None:
        """Return the chat if others have added to it, in any thread. Raises HistoryError."""
        chat, known = self.chat, self.branches.over
        if chat is None or known >= self._history.answers(chat):
            return None
        return self._history.chat(chat)

    def running(self, turn: Turn) -> str | None:
        """Return what there is of an answer that another window writes, None once that is over, in
        any thread. Raises HistoryError.
        """
        found = self._history.chat(self.chat).messages if self.chat is not None else ()
        running = (it.content for it in found if it.id == turn.answer_id and it.reason is None)
        return next(running, None)

    def new_fate(self) -> Fate | None:
        """Return what has become of the chat since this was asked last, None for nothing else, in
        any thread. Raises HistoryError.
        """
        before, chat = self._fate, self.chat
        is_written = before != "new" or (chat is not None and self._is_written())
        if chat is not None and self._history.is_deleted(chat):
            self._fate = "deleted"
        elif chat is not None and self._history.titles([chat]):
            self._fate = "kept"
        elif is_written:
            self._fate = "erased"
        return self._fate if self._fate != before else None

    def _is_written(self) -> bool:
        """Whether the disk has taken the chat: what can never be saved is told by one flush alone,
        what cannot be saved yet by each.
        """
        return self._history.flush() or self._history.flush()

    def take(self, found: Chat, message: int | None = None) -> list[Turn]:
        """Go on with a chat that was read; return its turns.

        message: one that is to be among them, be it on a branch that was not shown.
        """
        self.chat, self.system, self.settings = found.info.id, found.system, found.settings
        self.answered_by = found.info.pair
        self._fate = "kept" if found.info.deleted_at is None else "deleted"
        self._history.going_on.add(found.info.id)
        self.branches = Branches(self._history.album, found)
        leaf = self.branches.leaf_with(message, found.leaf)
        if message is not None and leaf != found.leaf:
            self._history.show(found.info.id, message)
        return [] if leaf is None else self.branches.turns(leaf)

    def began(self, turn: Turn, before: Turn | None) -> None:
        """Add the question, unless it is asked again, and its answer, unless that goes on. Where
        another window has written to the answer since, this one goes on beside it.
        """
        pair = "" if turn.reason in WRITTEN else self._pair()
        if self.chat is None:
            self.chat = self._history.new_chat(self.system, pair, self.settings)
            self.first = title_of(turn.question)
            if self.title:
                self._history.entitle(self.chat, self.title)
        parent = last_message(before)
        if turn.question_id is None:
            kept = list(map(to_keep, turn.attachments))
            turn.question_id = self._history.add(
                self.chat, parent, "user", turn.question, pair, kept
            )
            self.branches.add(turn.question_id, parent)
        begun = answer = turn.answer_id
        theirs = self._theirs(turn, begun) if begun is not None else None
        if begun is None:
            turn.attempt = self.branches.wholes(turn.question_id)
        elif theirs is not None:
            self.branches.answered(begun, theirs)
        elif turn.spans:
            turn.steps = self.steps(turn)
        if answer is None or theirs is not None:
            answer = self._history.add(self.chat, turn.question_id, "assistant", pair=pair)
            turn.answer_id, turn.pair = answer, pair
            self.branches.add(answer, turn.question_id)
        if begun is not None:  # an empty one runs again, too: another window is not to begin it
            self._history.write(answer, turn.spans, figures_of(turn))
            self._history.undelete(self.chat)
            self._history.unarchive(self.chat)
        self.branches.answered(answer, turn)

    def keep_given(self, turns: Sequence[Turn]) -> None:
        """Keep turns that a prompt gave, if nobody does: something is asked now."""
        for before, turn in zip([None, *turns], turns, strict=False):
            if turn.reason == "given" and turn.question_id is None:
                self.began(turn, before)
                self.ended(turn)
                self.summarised(turn)
                self.skipped(turn)

    def grew(self, turn: Turn, spans: Sequence[Span]) -> None:
        """Write the answer as it comes."""
        if turn.answer_id is not None:
            self._history.write(turn.answer_id, spans, figures_of(turn))

    def ended(self, turn: Turn) -> None:
        """Write the whole of it."""
        if turn.answer_id is not None:
            outcome = Outcome(turn.reason or GONE, figures_of(turn), turn.error)
            self._history.finish(turn.answer_id, turn.answer, outcome)
            self.branches.ended(turn.answer_id, turn.answer, outcome.reason)
            self._history.keep_steps(turn.answer_id, turn.steps)

    def summarised(self, turn: Turn) -> None:
        """Keep the summary that a turn has now."""
        if (message := last_message(turn)) is not None:
            self._history.summarise(message, turn.summary)

    def skipped(self, turn: Turn) -> None:
        """Keep whether a turn is left out of what is sent."""
        if turn.answer_id is not None:
            keep = self._history.leave_out if turn.skipped else self._history.take_in
            keep(turn.answer_id)

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
            self._history.show_upto(self.chat, last_message(last))

    def beside(self, turn: Turn, part: Part, steps: int) -> list[Turn] | None:
        """Show another version, so many on; return the turns then shown, None if there is none."""
        leaf = self.branches.beside(turn, part, steps)
        if leaf is None or self.chat is None:
            return None
        self._history.show(self.chat, leaf)
        return self.branches.turns(leaf)

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
        return self.branches.rewritten(answer, known, found)
