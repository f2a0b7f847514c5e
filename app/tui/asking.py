"""Asking, asking again, editing, going on and walking between versions, in one chat."""

from __future__ import annotations

import itertools

from app.attachments import Attachment
from app.conversation import Turn
from app.recorder import HistoryRecorder, Places
from app.tui.orders import Job
from app.tui.session import Session
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView
from engine import Delta


class Asking:
    """editing: the question that the prompt will be sent in the place of. begun: what there is of
    answers that are to be gone on with, by the keys of their questions.
    """

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        prompt: Prompt,
        recorder: HistoryRecorder | None,
    ) -> None:
        self.editing: TurnView | None = None
        self.begun: dict[int, Delta] = {}
        self.recorder = recorder
        self._session, self._transcript, self._prompt = session, transcript, prompt
        self._keys = itertools.count(1)

    def places(self, turn: Turn) -> Places:
        """Return which versions of a turn are shown, and of how many."""
        return self.recorder.places(turn) if self.recorder is not None else Places()

    async def ask(self, question: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask a question, at the end or in the place of the one that is being edited."""
        at = None
        if self.editing is not None and self._session.is_idle:
            at = await self._transcript.cut(self.editing)
        self.edit(None)
        view = TurnView(next(self._keys), question)
        await self._transcript.add_turn(view)
        if self._session.state == "loading":
            view.wait("waits until the model is loaded")
        elif self._session.answering:
            view.wait("next, when this answer is done")
        self._session.submit(Job(view.key, "ask", question, attachments, at))

    async def ask_again(self, view: TurnView | None) -> None:
        """Ask a question again in its place, the last one if none is given; without any, start the
        engine.
        """
        transcript = self._transcript
        view = view or transcript.last_turn
        if view is None:
            self._session.start()
        elif view.asked:
            at = transcript.index(view)
            await transcript.cut_behind(view)
            self._session.submit(Job(view.key, "retry", at=at))
        else:
            self._session.submit(Job(view.key, "ask", view.question))

    async def go_on(self) -> None:
        """Go on with the last answer."""
        view, turns = self._transcript.last_turn, self._session.conversation.turns
        last = turns[-1] if turns else None
        if view is not None and last is not None and last.stats is not None:
            self.begun[view.key] = Delta(0, list(last.spans), last.stats, 0, last.context_used)
            self._session.submit(Job(view.key, "go on"))

    def edit(self, view: TurnView | None) -> None:
        """Put a question back into the prompt, to be sent in its place; None: leave it be."""
        if self.editing is not None:
            self.editing.remove_class("-editing")
            if view is None and self._prompt.text.strip() == self.editing.question.strip():
                self._prompt.text = ""
        self.editing = view
        if view is not None:
            view.add_class("-editing")
            self._prompt.text = view.question
            self._prompt.move_cursor(self._prompt.document.end)
            self._prompt.focus()

    async def take_back(self) -> None:
        """Put the question that was asked last, and waits, back into the prompt."""
        key = self._session.take_back()
        view = self._transcript.turn(key) if key is not None else None
        if view is not None:
            self._prompt.take(view.question)
            await self._transcript.remove_turn(view)

    async def undo(self) -> None:
        """Take the last turn out of sight, its question back into the prompt."""
        view = self._transcript.last_turn
        if view is not None:
            self._session.conversation.turns = self._session.conversation.turns[:-1]
            await self._transcript.remove_turn(view)
            self._prompt.take(view.question)

    def branching(self) -> tuple[TurnView, Turn] | None:
        """Return the chosen turn, or the last one, that has more than one version."""
        chosen = self._transcript.selected
        pairs = list(zip(self._transcript.turns, self._session.conversation.turns, strict=False))
        for view, turn in reversed(pairs):
            places = self.places(turn)
            if chosen in (None, view) and max(places.question[1], places.answer[1]) > 1:
                return view, turn
        return None

    async def walk(self, steps: int) -> None:
        """Show another version of an answer, or of its question where there are no more answers."""
        found = self.branching()
        if found is None or self.recorder is None or not self._session.is_idle:
            return
        turns = self.recorder.beside(found[1], "answer", steps)
        turns = turns or self.recorder.beside(found[1], "question", steps)
        if turns is not None:
            await self.show_turns(turns)

    async def show_turns(self, turns: list[Turn]) -> None:
        """Show these in place of those that are shown."""
        self.edit(None)
        self._session.conversation.turns = turns
        views = [(TurnView(next(self._keys), turn.question), turn) for turn in turns]
        places = [self.places(turn) for turn in turns]
        await self._transcript.show(views, places)

    async def new_chat(self) -> None:
        """Begin a new chat."""
        await self._session.clear()
        if self.recorder is not None:
            self.recorder.new()
        self.edit(None)
        await self._transcript.restart()
        self._prompt.focus()
