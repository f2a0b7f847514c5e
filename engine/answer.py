"""One answer: messages in, events out.

Tokens come a step at a time; events are coalesced, so that telling the app never limits speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from engine.assemble import Engine
from engine.errors import EngineError, PromptTooLong
from engine.messages import Ask, Delta, Finished, FinishReason, Message, Started
from engine.prompt.respelling import as_held
from engine.settings import SamplingSettings
from engine.speculate import speculate
from engine.stats import Counters
from engine.stream import AnswerReader
from engine.tracing import Tracer

EVENT_INTERVAL_S = 0.05
WARM_TOKENS = 48
WARM_LIMIT_S = 0.25


class Answer:
    """The making of one answer over a loaded engine; iterate over `events` once. tell: is given,
    between the first event and the second, how far the prompt is read.
    """

    def __init__(
        self,
        engine: Engine,
        ask: Ask,
        cancelled: Callable[[], bool],
        tell: Callable[[Started], None] = lambda _: None,
    ) -> None:
        """Tokenize the prompt. Raises what a person may have asked wrongly, as EngineError."""
        began_s = time.perf_counter()
        self._engine, self._ask, self._cancelled, self._tell = engine, ask, cancelled, tell
        engine.check_biases(ask.sampling)
        engine.choose_drafter(ask.drafter)
        self._sampler = engine.sampler(ask.sampling)
        self._verifier = engine.verifier(self._sampler)
        prompt = engine.template.prompt(ask.messages, ask.think)
        session = engine.session
        cached = self._begin(prompt.tokens)
        self._counters = Counters(session.used, session.cells(cached), began_s, engine.curves)
        self._reader = AnswerReader(
            engine.model.piece,
            engine.model.is_end,
            session.n_ctx - session.used,
            ask.predict,
            (*engine.template.stop, *ask.stop),
            prompt.opened,
        )
        self._tracer = Tracer(engine.model.piece, engine.curves) if ask.trace else None
        self._draft_length = 0
        self._reason: FinishReason = "cancelled"

    @property
    def tokens(self) -> list[int]:
        """The answer's tokens so far."""
        return self._reader.tokens

    def events(self) -> Iterator[Started | Delta | Finished]:
        """Yield Started, Deltas, and Finished. Raises DecodeError or PictureError, behind a Delta
        with all that was read before.
        """
        counters = self._counters
        yield self._started(0)
        sent_s = 0.0
        try:
            for now_s in self._steps():
                if now_s - sent_s >= EVENT_INTERVAL_S:
                    sent_s = now_s
                    yield self._delta()
        except EngineError:
            yield self._last_delta()
            raise
        yield self._last_delta()
        yield Finished(
            id=self._ask.id,
            text=self._reader.text,
            token_ids=self._reader.tokens,
            reason=self._reason,
            seed=self._ask.sampling.seed,
            stats=counters.stats(),
            context_used=self._context_used(),
            notices=[*filter(None, [self._engine.drafter.failure])],
        )

    def _begin(self, prompt: list[int]) -> int:
        """Begin with a prompt, earlier answers in it as the model wrote them, where that fits;
        return how many of its tokens are evaluated. Raises PromptTooLong.
        """
        session, model = self._engine.session, self._engine.model
        try:
            return session.begin(as_held(prompt, session.tokens, model.spelling))
        except PromptTooLong:
            return session.begin(prompt)

    def _steps(self) -> Iterator[float]:
        """Run the loop until the answer ends or is cancelled; yield the time after each step."""
        engine = self._engine
        if not engine.session.prefill(self._between_chunks):
            return
        self._remeasure()
        engine.drafter.begin(engine.session.tokens, self._verifier)
        if not engine.prefill_draft(self._reader.room, self._cancelled):
            return
        policy = engine.policy(self._ask.sampling.temperature)
        for step in speculate(engine.session, engine.drafter, self._verifier, policy, self._reader):
            now_s = time.perf_counter()
            self._counters.count(step, now_s)
            self._remeasure()
            self._draft_length = len(step.draft.tokens)
            if self._tracer is not None:
                self._tracer.add(step, engine.session.used)
            yield now_s
            if step.finish is not None:
                self._reason = step.finish
            elif self._cancelled():
                return

    def _between_chunks(self) -> bool:
        """Return whether the answer is cancelled, and tell how far the prompt is read; what is read
        anew in mid-answer is not told.
        """
        session = self._engine.session
        n_read = session.cells(len(session.tokens) - session.n_pending)
        n_read -= self._counters.cached_tokens
        if n_read > 0 and not self._reader.tokens:
            self._tell(self._started(n_read))
        return self._cancelled()

    def _started(self, n_read: int) -> Started:
        counters = self._counters
        return Started(self._ask.id, counters.prompt_tokens, counters.cached_tokens, n_read)

    def _remeasure(self) -> None:
        if self._engine.remeasure():
            self._sampler.allow_for(self._engine.width_noise)

    def _last_delta(self) -> Delta:
        self._reader.close()
        return self._delta()

    def _delta(self) -> Delta:
        return Delta(
            self._ask.id,
            self._reader.take(),
            self._counters.stats(),
            self._draft_length,
            self._context_used(),
            self._tracer.take() if self._tracer is not None else [],
        )

    def _context_used(self) -> int:
        return self._engine.session.used


def warm_up(engine: Engine) -> None:
    """Make a short answer and forget its text, so that the first real one finds code and caches
    warm, and the policy, where it is a greedy one, some experience.

    Only where that is quick: beside a large model's forwards it would not show.
    """
    if engine.curves.target_s(1, 0) * WARM_TOKENS > WARM_LIMIT_S:
        return
    asked = [Message(role="user", content="What can you do?")]
    greedy = SamplingSettings(temperature=0.0)
    try:
        ask = Ask(0, asked, sampling=greedy, predict=WARM_TOKENS)
        for _ in Answer(engine, ask, lambda: False).events():
            pass
    except EngineError:
        pass  # whoever asks next is told
    engine.recover()
