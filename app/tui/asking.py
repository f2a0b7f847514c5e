"""Asking, asking again, editing, going on and walking between versions, in one chat."""

from __future__ import annotations

import asyncio
import itertools

from app.attachments import LONGEST_NAME, Attachment
from app.conversation import Turn
from app.errors import AppError
from app.mentions import mentions
from app.recorder import HistoryRecorder, Places
from app.sanitise import one_line
from app.slash import typed
from app.tui.orders import Job
from app.tui.session import Session
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView


class Asking:
    """editing: the question that the prompt will be sent in the place of. has_begun: whether a new
    chat was begun here, be it empty.
    """

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        prompt: Prompt,
        recorder: HistoryRecorder | None,
    ) -> None:
        self.editing: TurnView | None = None
        self.has_begun = False
        self.recorder = recorder
        self._session, self._transcript, self._prompt = session, transcript, prompt
        self._keys = itertools.count(1)
        self._draft = ""
        self._jobs: dict[int, Job] = {}
        self._aside: tuple[int, list[Turn]] = (0, [])
        self._changing = asyncio.Lock()  # turns and their views change together

    def places(self, turn: Turn) -> Places:
        """Return which versions of a turn are shown, and of how many."""
        return self.recorder.places(turn) if self.recorder is not None else Places()

    def keeps(self, key: int) -> bool:
        """Return whether a turn's answer, when it begins, goes on with what is shown of it."""
        return key in self._jobs and self._jobs[key].kind == "go on"

    async def ask(self, question: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask a question, at the end or in the place of the one that is being edited.

        An edited question keeps what was attached to it, but for the files that it named.
        """
        async with self._changing:
            await self._ask(question, attachments)

    async def _ask(self, question: str, attachments: tuple[Attachment, ...]) -> None:
        key, edited = next(self._keys), self.editing
        if edited is not None and self._session.is_idle:
            attachments = (*self._pastes(edited), *attachments)
            self._put_aside(key, self._transcript.index(edited))
            await self._transcript.cut(edited)
        self.edit(None)
        if self.recorder is not None and self.recorder.chat is None:
            self.recorder.system = self._session.conversation.system or ""
        view = TurnView(key, question, attachments)
        await self._transcript.add_turn(view)
        if self._session.state == "loading":
            view.wait("waits until the model is loaded")
        elif self._session.answering:
            view.wait("next, when this answer is done")
        self._submit(Job(view.key, "ask", question, attachments))

    async def ask_again(self, view: TurnView | None, left_out: int | None = None) -> None:
        """Ask a question again in its place, the last one if none is given; without any, start the
        engine. left_out: without so many of the oldest turns.
        """
        self.edit(None)
        transcript = self._transcript
        view = view or transcript.last_turn
        if view is None:
            self._session.start()
            return
        at = transcript.index(view)
        self._put_aside(view.key, at + view.asked)
        await transcript.cut_behind(view)
        if view.asked:
            self._submit(Job(view.key, "retry", at=at, left_out=left_out))
        else:
            self._submit(Job(view.key, "ask", view.question, self._attached(view)))

    async def go_on(self, left_out: int | None = None) -> None:
        """Go on with the last answer. left_out: without so many of the oldest turns."""
        self.edit(None)
        asked, turns = self._transcript.asked, self._session.conversation.turns
        if asked and turns:
            key = asked[-1].key
            self._put_aside(key, len(turns))
            self._submit(Job(key, "go on", left_out=left_out))

    async def move(self) -> None:
        """Ask the last question in a new chat; where it has no answer, it leaves this one."""
        *before, turn = self._session.conversation.turns
        if self.recorder is not None and not turn.answer:
            self.recorder.undone(before[-1] if before else None)
        await self.new_chat()
        await self.ask(turn.question, turn.attachments)

    def edit(self, view: TurnView | None) -> None:
        """Put a question back into the prompt, to be sent in its place; None: leave it be.

        What was typed before comes back afterwards.
        """
        prompt = self._prompt
        if self.editing is not None:
            self.editing.remove_class("-editing")
            if view is None and prompt.text.strip() == typed(self.editing.question).strip():
                prompt.text = ""
            if view is None and self._draft:
                prompt.take(self._draft)
        elif view is not None:
            self._draft = prompt.text
        self.editing = view
        if view is not None:
            view.add_class("-editing")
            prompt.text = typed(view.question)
            prompt.move_cursor(prompt.document.end)
            prompt.focus()

    async def take_back(self) -> None:
        """Withdraw what was asked last, and waits: what it took the place of is shown again, a
        question that was not asked yet is in the prompt.
        """
        key = self._session.take_back()
        view = self._transcript.turn(key) if key is not None else None
        if view is None:
            return
        if not view.asked:
            self._put_back(view)
            await self._transcript.remove_turn(view)
        conversation, (owner, before) = self._session.conversation, self._aside
        if owner == view.key and len(before) > len(conversation.turns):
            await self.show_turns(before)

    async def undo(self) -> None:
        """Take the last turn out of sight, its question back into the prompt."""
        self.edit(None)
        view = self._transcript.last_turn
        if view is not None:
            self._put_back(view)
            conversation = self._session.conversation
            before = conversation.turns[: self._transcript.index(view)]
            conversation.turns = before
            if self.recorder is not None:
                self.recorder.undone(before[-1] if before else None)
            await self._transcript.remove_turn(view)

    def meant(self) -> Turn:
        """Return the chosen turn, or the last one that was asked. Raises AppError where it has no
        answer.
        """
        turns, chosen = self._session.conversation.turns, self._transcript.selected
        if chosen is not None:
            turns = turns[self._transcript.index(chosen) :][:1] if chosen.asked else []
        if not turns or not turns[-1].answer:
            raise AppError("This question has no answer.")
        return turns[-1]

    def branching(self) -> list[tuple[TurnView, Turn]]:
        """Return the chosen turn, or all from the last one up, that have more than one version."""
        chosen = self._transcript.selected
        shown = zip(self._transcript.asked, self._session.conversation.turns, strict=False)
        found = []
        for view, turn in shown:
            places = self.places(turn)
            if chosen in (None, view) and max(places.question[1], places.answer[1]) > 1:
                found.append((view, turn))
        return found[::-1]

    async def walk(self, steps: int) -> None:
        """Show another version of an answer, or of its question where there are no more answers, or
        of a turn further up where there are no more questions.
        """
        if self.recorder is None or not self._session.is_idle:
            return
        chosen = self._transcript.selected
        for view, turn in self.branching():
            turns = self.recorder.beside(turn, "answer", steps)
            turns = turns or self.recorder.beside(turn, "question", steps)
            if turns:
                at = self._transcript.index(view)
                await self.show_turns(turns)
                if chosen is not None:
                    self._transcript.select(self._transcript.turns[at])
                return

    async def show_turns(self, turns: list[Turn]) -> None:
        """Show these in place of those that are shown."""
        async with self._changing:
            self.edit(None)
            self._jobs.clear()
            self._session.conversation.turns = turns
            views = [
                (TurnView(next(self._keys), turn.question, turn.attachments), turn)
                for turn in turns
            ]
            places = [self.places(turn) for turn in turns]
            await self._transcript.show(views, places)

    async def new_chat(self) -> None:
        """Begin a new chat."""
        self.has_begun = True
        async with self._changing:
            await self._session.clear()
            if self.recorder is not None:
                self.recorder.new()
            self.edit(None)
            self._jobs.clear()
            await self._transcript.restart()
        self._prompt.focus()

    def _submit(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._session.submit(job)

    def _put_aside(self, key: int, n_kept: int) -> None:
        """Take the turns behind so many out of the conversation, for a job that may not be done."""
        conversation = self._session.conversation
        self._aside = key, conversation.turns
        conversation.turns = conversation.turns[:n_kept]

    def _put_back(self, view: TurnView) -> None:
        """Put a question back into the prompt, with what goes with it."""
        self._prompt.take(typed(view.question))
        for attachment in self._pastes(view):
            self._prompt.attach(attachment)

    def _pastes(self, view: TurnView) -> tuple[Attachment, ...]:
        """Return what was attached to a question beside the files that it names."""
        named = {one_line(mention.path, LONGEST_NAME) for mention in mentions(view.question)}
        return tuple(each for each in self._attached(view) if each.name not in named)

    def _attached(self, view: TurnView) -> tuple[Attachment, ...]:
        """Return what was attached to a question, asked or not."""
        turns, at = self._session.conversation.turns, self._transcript.index(view)
        if view.asked and at < len(turns):
            return turns[at].attachments
        return self._jobs[view.key].attachments if view.key in self._jobs else ()
