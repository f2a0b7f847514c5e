"""Asking, asking again, editing and going on, in one chat."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from app.chat.about_me import know_from_now
from app.chat.amending import amended
from app.chat.branches import Places
from app.chat.conversation import Turn
from app.chat.recorder import HistoryRecorder
from app.chat.unsent import Unsent, beside
from app.errors import AppError
from app.files.attachments import Attachment
from app.prompts.slash import typed
from app.tui.serving.orders import Job
from app.tui.serving.session import Session
from app.tui.serving.shared_engine import Shown
from app.tui.turns.authors import name_models
from app.tui.turns.editing import Editing
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView

WAITS: Mapping[Shown, str] = {
    "loading": "waits until the model is loaded",
    "answering": "next, when this answer is done",
    "stopping": "next, when this answer is done",
    "summarising": "next, when the summary is made",
    "elsewhere": "waits: another chat is being answered first",
}
"""Why a question is not answered at once."""


class Asking:
    """What is done to a chat: while it is shown, but for `show_turns`.

    editing: what the prompt will be sent in the place of, None where it is something new. keys:
    name the questions of all chats. changing: held while turns and views change together.
    on_way: the questions that were sent and that the session does not have yet, by their keys; one
    that is taken out is not asked. had: what went with the question that is in the prompt again.
    """

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        prompt: Prompt,
        recorder: HistoryRecorder | None,
        keys: Iterator[int],
    ) -> None:
        self.editing: Editing | None = None
        self.recorder, self.transcript, self.keys = recorder, transcript, keys
        self.conversation = session.begun(recorder)
        self._session, self._prompt = session, prompt
        self.had: tuple[Attachment, ...] = ()
        self._jobs: dict[int, Job] = {}
        self.on_way: dict[int, Job] = {}
        self._aside: tuple[int, list[Turn]] = (0, [])
        self.changing = asyncio.Lock()

    def unsent(self, typed: str, pasted: tuple[Attachment, ...]) -> Unsent:
        """Return what is meant to be asked where this is in the prompt, and beside it."""
        if self.editing is None:
            return Unsent((typed,), pasted)
        return self.editing.unsent(typed, pasted)

    @property
    def amends(self) -> bool:
        """Whether an answer is being changed."""
        return self.editing is not None and self.editing.amends

    def places(self, turn: Turn) -> Places:
        """Return which versions of a turn are shown, and of how many."""
        return self.recorder.branches.places(turn) if self.recorder is not None else Places()

    def keeps(self, key: int) -> bool:
        """Return whether a turn's answer, when it begins, goes on with what is shown of it."""
        return key in self._jobs and self._jobs[key].kind == "go on"

    async def ask(self, question: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Ask a question, at the end or in the place of the one that is being edited; or take the
        text for the answer that is.
        """
        self._keep_given()
        edited = self.editing
        if edited is not None:
            edited.sent()
            self.leave_editing()
            if edited.amends:
                at, turns = self.transcript.index(edited.view), self.conversation.turns
                await self.show_turns(amended(turns, at, question, self.recorder))
                return
        job = Job(next(self.keys), self.conversation, "ask", question, attachments)
        self.on_way[job.key] = job
        async with self.changing:
            await self._ask(job, edited)

    async def _ask(self, job: Job, edited: Editing | None) -> None:
        is_idle = self._session.is_idle_in(self.conversation)
        if edited is not None and is_idle and edited.view in self.transcript.turns:
            self._put_aside(job.key, self.transcript.index(edited.view))
            await self.transcript.cut(edited.view)
        if wrong := know_from_now(self.conversation, self.recorder):
            await self.transcript.note(wrong)
        view = TurnView(job.key, job.question, job.attachments)
        await self.transcript.add_turn(view)
        if self.on_way.pop(job.key, None) is None:
            return
        if self._session.shown in WAITS:
            view.wait(WAITS[self._session.shown])
        self._submit(job)

    def tell_why_waiting(self) -> None:
        """Say at each question that waits, in the chat in sight, why it does as things are now."""
        why = WAITS.get(self._session.shown)
        views = [
            self.transcript.turn(job.key) for job in self._session.waiting_of(self.conversation)
        ]
        for view in views:
            if why is not None and view is not None and not view.asked:
                view.wait(why)

    async def ask_again(self, view: TurnView | None, left_out: int | None = None) -> None:
        """Ask a question again in its place, the last one if none is given; without any, start the
        engine. left_out: without so many of the oldest turns.
        """
        self._keep_given()
        self.leave_editing()
        transcript = self.transcript
        view = view or transcript.last_turn
        if view is None:
            self._session.start()
            return
        await transcript.make(view)
        at = transcript.index(view)
        self._put_aside(view.key, at + view.asked)
        await transcript.cut_behind(view)
        if view.asked:
            self._submit(Job(view.key, self.conversation, "retry", at=at, left_out=left_out))
        else:
            attached = self._attached(view)
            self._submit(Job(view.key, self.conversation, "ask", view.question, attached))

    async def go_on(self, left_out: int | None = None) -> None:
        """Go on with the last answer. left_out: without so many of the oldest turns."""
        self._keep_given()
        self.leave_editing()
        asked, turns = self.transcript.asked, self.conversation.turns
        if asked and turns:
            key = asked[-1].key
            self._put_aside(key, len(turns))
            self._submit(Job(key, self.conversation, "go on", left_out=left_out))

    async def drop_last(self) -> None:
        """Take the last turn out of sight."""
        view = self.transcript.last_turn
        if view is not None:
            before = self.conversation.turns[: self.transcript.index(view)]
            self.conversation.turns = before
            if self.recorder is not None:
                self.recorder.shown_upto(before[-1] if before else None)
            await self.transcript.remove_turn(view)

    def edit(self, view: TurnView, answer: str | None = None) -> None:
        """Put a question back into the prompt, to be sent in its place, with what stood beside it.
        answer: put that there instead, to be another version of the answer.
        """
        self.leave_editing()
        amends, before = answer is not None, (self._prompt.unsent, self._prompt.attachments)
        put = (typed(view.question), self._pastes(view)) if answer is None else (answer, ())
        self.editing = Editing(self._prompt, view, amends, *put, *before)
        self.had = self._attached(view)
        self.editing.begin()

    def leave_editing(self) -> None:
        """Leave what is edited as it was, and have in the prompt what was typed before."""
        if self.editing is not None:
            self.editing.leave()
        self.editing, self.had = None, ()

    async def take_back(self) -> None:
        """Withdraw what was asked last, and waits: what it took the place of is shown again, a
        question that was not asked yet is in the prompt, and a changed one is being changed again.
        """
        key = self._session.take_back()
        if key is not None:
            await self._withdraw(key)

    async def take_all_back(self) -> int:
        """Withdraw all that waits, and return how much that was; the questions are in the prompt
        in their order.
        """
        keys = list(iter(self._session.take_back, None))  # at once, lest one of them be asked
        for key in keys:
            await self._withdraw(key)
        return len(keys)

    async def dropped(self, key: int, is_seen: bool) -> bool:
        """Withdraw a question that will not be asked, and was to replace turns; return whether it
        was one. A changed one is withdrawn in sight alone: it goes into the prompt.
        """
        view = self.transcript.turn(key)
        withdraws = view is not None and self._replaces(key) and (view.asked or is_seen)
        if withdraws:
            await self._withdraw(key)
        return withdraws

    def _replaces(self, key: int) -> bool:
        """Whether turns are out of sight for a job that is not done yet."""
        owner, before = self._aside
        return owner == key and len(before) > len(self.conversation.turns)

    async def _withdraw(self, key: int) -> None:
        view = self.transcript.turn(key)
        if view is None:
            return
        (_, before), at = self._aside, len(self.conversation.turns)
        replaces, pastes = self._replaces(key), self._pastes(view)
        if not view.asked:
            if not replaces:
                self._put_back(view)
            await self.transcript.remove_turn(view)
        if replaces:
            await self.show_turns(before)
            if not view.asked:
                self.edit(self.transcript.turns[at])
                self._prompt.text = typed(view.question)
                self._prompt.show_pasted(pastes)

    async def undo(self) -> None:
        """Take the last turn out of sight, its question back into the prompt."""
        self.leave_editing()
        view = self.transcript.last_turn
        if view is not None:
            self._put_back(view)
            await self.drop_last()

    def meant(self) -> Turn:
        """Return the chosen turn, or the last one that was asked. Raises AppError where it has no
        answer.
        """
        turns, chosen = self.conversation.turns, self.transcript.selected
        if chosen is not None:
            turns = turns[self.transcript.index(chosen) :][:1] if chosen.asked else []
        if not turns or not turns[-1].answer:
            raise AppError("This question has no answer.")
        return turns[-1]

    async def show_turns(self, turns: list[Turn]) -> None:
        """Show these in place of those that are shown."""
        async with self.changing:
            await self.put_up(turns)

    async def put_up(self, turns: list[Turn]) -> None:
        """The same for who holds `changing`."""
        self.leave_editing()
        self._jobs.clear()
        self.conversation.turns = turns
        views = [
            (TurnView(next(self.keys), turn.question, turn.attachments), turn) for turn in turns
        ]
        places = [self.places(turn) for turn in turns]
        await self.transcript.show(views, places)
        name_models(self.transcript, turns, self.recorder)

    def _keep_given(self) -> None:
        if self.recorder is not None:
            self.recorder.keep_given(self.conversation.turns)

    def _submit(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._session.submit(job)

    def _put_aside(self, key: int, n_kept: int) -> None:
        """Take the turns behind so many out of the conversation, for a job that may not be done."""
        conversation = self.conversation
        self._aside = key, conversation.turns
        conversation.turns = conversation.turns[:n_kept]

    def _put_back(self, view: TurnView) -> None:
        """Put a question back into the prompt, with what goes with it."""
        self._prompt.take(typed(view.question))
        self.had = self._attached(view)
        for attachment in self._pastes(view):
            self._prompt.attach(attachment)

    def _pastes(self, view: TurnView) -> tuple[Attachment, ...]:
        """Return what was attached to a question beside the files that it names."""
        return beside(view.question, self._attached(view))

    def _attached(self, view: TurnView) -> tuple[Attachment, ...]:
        """Return what was attached to a question, asked or not."""
        turns, at = self.conversation.turns, self.transcript.index(view)
        if view.asked and at < len(turns):
            return turns[at].attachments
        return self._jobs[view.key].attachments if view.key in self._jobs else ()
