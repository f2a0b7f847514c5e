"""Serves all chats: loads the pair, answers their questions in order, and outlives its engine.

There is one engine: an answer goes on when another chat is shown, and what is asked there waits.
An engine that dies, be it idle, is started again once; if it dies again before it has finished an
answer, it stays down until the next question. The pair can be exchanged and unloaded under the
chats, whose turns stay. It knows no widget: what happens, it posts (messages.py).
"""

from __future__ import annotations

from collections.abc import Callable

from textual.message import Message

from app.chat.conversation import Conversation, Engine, Recorder
from app.tui.background.threads import in_thread
from app.tui.failures import BrokenOff, death_of, error_line, mark
from app.tui.serving.messages import (
    AnswerBegan,
    AnswerEnded,
    EngineDown,
    EngineLoading,
    EngineLost,
    EngineReady,
    EngineUnloaded,
    PairChanged,
    QuestionDropped,
    SummaryEnded,
    SwitchFailed,
    news_of,
)
from app.tui.serving.orders import (
    SAME,
    Condense,
    GoBack,
    Job,
    Order,
    Place,
    SessionSettings,
    Start,
    Switch,
    Unload,
    as_loaded,
)
from app.tui.serving.shared_engine import RESTING, SharedEngine
from app.tui.serving.spare_time import SpareTime
from engine import Ready

RESTARTS = 1


class Session(SharedEngine):
    """The engine behind the chats."""

    def __init__(
        self,
        engine: Engine,
        settings: SessionSettings,
        post: Callable[[Message], object],
        place: Place = SAME,
        settle: Callable[[], None] = lambda: None,
    ) -> None:
        """settings: what holds where a chat chose nothing. place: says where a pair is to be
        loaded, in a thread; raises where it fits nowhere. settle: has all chats follow another.
        """
        self.settings = settings
        self._engine = engine
        self._settle = settle
        super().__init__(self.begun(None))
        self._post = post
        self._place = place
        self.spare = SpareTime(engine, self.work, post)
        self._order: Order | None = None
        self._restarts_left = RESTARTS
        self._was_ready = self._abandoned = False

    def begun(self, recorder: Recorder | None) -> Conversation:
        """Return a new conversation, for a chat to be shown."""
        my, engine = self.settings, self._engine
        return Conversation(engine, my.system, my.sampling, my.predict, recorder, my.think)

    async def serve(self) -> None:
        """Load the pair, answer questions and follow orders until cancelled."""
        await self._load()
        self.work.set()
        while True:
            await self.work.wait()
            self.work.clear()
            while self._order is not None or self.next_job is not None:
                await self._next()
            if self.state == "ready" and (death := await self.spare.use(self.sees)) is not None:
                self.state, self._abandoned = "down", False
                if self._restarts_left:
                    self._post(EngineLost(error_line(death)))
                await self._mend(death, None)
                self.work.set()

    async def _next(self) -> None:
        """Follow the order, if there is one; else answer the next question."""
        order, self._order = self._order, None
        match order:
            case Switch(settings):
                await self._switch(settings)
            case Unload():
                self._drop_jobs()
                await self._rest()
            case Start() if self.state in RESTING:
                await self._load()
            case None if self.state in RESTING:
                await self._load()
            case None if (job := self.next_job) is not None:
                self.jobs.remove(job)
                await (self._condense(job) if isinstance(job, Condense) else self._answer(job))

    def start(self) -> None:
        """Start the engine, if it does not run."""
        if self.state in RESTING:
            self._order = self._order or Start()
            self.work.set()

    def change(self, change: Callable[[SessionSettings], SessionSettings]) -> None:
        """Change the settings, also those that are to be loaded, or come back if a load fails."""
        self.settings, former = change(self.settings), self._former
        self._former = None if former is None else change(former)
        if isinstance(self._order, Switch):
            self._order = Switch(change(self._order.settings))

    async def switch(self, settings: SessionSettings) -> None:
        """Load another pair; a running answer is stopped, turns and waiting questions stay."""
        await self._give(Switch(settings))

    async def go_back(self) -> None:
        """Give up loading another pair."""
        await self._give(GoBack())

    async def unload(self) -> None:
        """End the engine; a running answer is stopped, the turns stay."""
        await self._give(Unload())

    async def stop(self) -> None:
        """Stop the running answer. A second call, while the engine still has not obeyed, ends it
        and starts another.
        """
        if self.state == "answering":
            self.state = "stopping"
            await self._engine.cancel()
        elif self.state == "stopping" and not self._abandoned:
            self._abandoned = True
            self.running.abandon()
            await self._engine.close()

    async def forget(self, conversation: Conversation) -> None:
        """Stop its answer and ask nothing more of it: its chat is closed."""
        self.spare.forget(conversation)
        self.drop(conversation)
        if self.state == "answering" and self.answers(conversation):
            await self.stop()

    async def _give(self, order: Order) -> None:
        """Take an order in place of an earlier one, and end what is in its way."""
        self._order = order
        self.work.set()
        if self.state == "answering":
            await self.stop()
        elif self.state == "loading":
            await self._engine.close()

    async def _switch(self, settings: SessionSettings) -> None:
        """Load another pair, or take the former one again, as it was loaded last."""
        was_resting, self._former = self.state in RESTING, self.settings
        self._take(settings)
        error = await self._attempt()
        former, self._former = self._former, None
        if error is None:
            return
        if (is_given_up := isinstance(error, BrokenOff)) and isinstance(self._order, GoBack):
            self._order = None
        if not is_given_up or self._order is None:  # else it gives way to what was wished since
            why = "" if is_given_up else error_line(error)
            wished, former = former, as_loaded(former, self.sound)
            self._post(SwitchFailed(settings.title, former.title, why, former != wished))
        self._take(former)
        if was_resting:
            await self._rest()
        elif self._order is None:
            await self._load()

    def _take(self, settings: SessionSettings) -> None:
        self.settings = settings
        self._settle()
        self._was_ready, self._restarts_left = False, RESTARTS
        self._post(PairChanged(settings.title))

    async def _rest(self) -> None:
        await self._engine.close()
        self.state, self._was_ready = "unloaded", False
        self._post(EngineUnloaded())

    async def _load(self) -> bool:
        """Load the pair and say whether that went well."""
        error = await self._attempt()
        if error is not None and not isinstance(error, BrokenOff):
            self._down(error)
        return error is None

    async def _attempt(self) -> Exception | None:
        """Load the pair; return what went wrong, if anything did."""
        self.state, self.loaded = "loading", self.settings.pair
        self._post(EngineLoading(None))
        try:
            await self._engine.close()  # what it holds is free for the pair that is placed
            pair = await in_thread(lambda: self._place(self.settings))
            async for event in self._engine.load(pair):
                if self._order is not None:
                    break
                if isinstance(event, Ready):
                    self._ready(event)
                else:
                    self._post(EngineLoading(event))
        except Exception as error:  # whatever it is, the chat stays open and shows it
            if self._order is None:
                return error
        if self._order is not None and self.state == "loading":
            await self._engine.close()
            return BrokenOff()
        return None

    def _ready(self, ready: Ready) -> None:
        self.state, self.sees, self.sound = "ready", ready.sees, self.loaded
        self._post(EngineReady(ready, again=self._was_ready))
        self._was_ready = True

    def _down(self, error: Exception) -> None:
        self.state = "down"
        self._drop_jobs()
        self._post(EngineDown(error_line(error)))

    def _drop_jobs(self) -> None:
        while self.jobs:
            self._post(QuestionDropped(self.jobs.popleft().key))

    async def _answer(self, job: Job) -> None:
        """Answer one question, and mend the engine if it dies meanwhile."""
        if job.kind != "ask" and not job.conversation.turns:
            self._post(QuestionDropped(job.key))
            return
        death = await self._run(job)
        turn = job.conversation.current
        assert turn is not None, "the job has begun it"
        turn.pair = turn.pair or self.settings.title
        mark(turn, death, self._abandoned)
        is_wanted = self.state == "answering" and not turn.answer
        self.state = "ready" if death is None else "down"
        self._post(AnswerEnded(job.key, turn))
        await self._mend(death, job if is_wanted else None)

    async def _condense(self, job: Condense) -> None:
        """Have a summary made: the conversation has it then, or is as it was."""
        death = await self._run(job)
        self.state = "ready" if death is None else "down"
        self._post(SummaryEnded(job.key, job))
        await self._mend(death, None)

    async def _run(self, job: Job | Condense) -> Exception | None:
        """Do it; return what the engine died of, if it did. Of a refusal the job tells itself."""
        self.state, self._abandoned, self.running = "answering", False, job.conversation
        self.running.sees, self._job = self.sees, job
        self._post(AnswerBegan(job.key))
        try:
            await self._stream(job)
            self._restarts_left = RESTARTS
        except Exception as error:
            return death_of(error)
        return None

    async def _stream(self, job: Job | Condense) -> None:
        async for event in job.do():
            if self.state == "stopping":  # perhaps wished before the engine had the question
                await self._engine.cancel()
            if (news := news_of(job.key, event)) is not None:
                self._post(news)

    async def _mend(self, death: Exception | None, unanswered: Job | None) -> None:
        """Start an engine again that has died, or that the person ended while its answer did; leave
        it down if that has just been tried.

        A question that got no word of an answer is asked again: the engine may have died before.
        """
        if self._order is not None:
            return
        if self._abandoned:
            await self._load()
        elif death is not None and self._restarts_left > 0:
            self._restarts_left, self._unanswered = self._restarts_left - 1, unanswered
            if await self._load():
                self.ask_again()
        elif death is not None:
            self._down(death)
