"""A scripted engine with the surface of `engine.EngineClient`: it streams, holds, fails, dies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from app.settings.habits import USUAL, Habits
from engine import (
    Delta,
    DrafterStats,
    EngineDied,
    EngineError,
    Finished,
    Loading,
    Message,
    PairSettings,
    Ready,
    SamplingSettings,
    Span,
    Started,
    Stats,
)

PAIR = PairSettings(target="target.gguf", draft="draft.gguf")
SAMPLING = SamplingSettings(seed=7)
DEATH = "The engine process ended by SIGSEGV. Its last words: ggml_abort / assertion failed"

READY = Ready(
    id=1,
    target="target.gguf",
    draft="draft.gguf",
    n_ctx=2048,
    drafter="auto",
    drafters=["lookup", "draft_model"],
    threads=2,
    device="CPU",
    system_info="AVX512 = 1",
    notices=[],
)


def stats_at(step: int, tps: float = 41.3) -> Stats:
    """Return figures that grow with the answer."""
    return Stats(
        prompt_tokens=24,
        cached_tokens=0,
        output_tokens=3 * step,
        steps=step,
        drafted=4 * step,
        accepted=2 * step,
        tested=3 * step,
        acceptance_rate=2 / 3,
        draft_efficiency=0.5,
        mean_acceptance_length=3.0,
        near_ties=[],
        ttft_s=0.118,
        prefill_tps=203.4,
        decode_tps=tps,
        plain_tps=24.3,
        speedup=tps / 24.3,
        drafters={
            "lookup": DrafterStats(drafted=step, accepted=step, steps=step),
            "draft_model": DrafterStats(drafted=3 * step, accepted=step, steps=step),
        },
        engine_overhead_s=0.01,
    )


@dataclass
class Answer:
    """One scripted answer.

    hold_after: after this many spans wait for `release()`, a cancel or the end of the engine.
    die_after, fail_after: raise EngineDied, or `error`, after this many spans.
    deaf: while holding, ignore a cancel.
    notices: how it was made.
    """

    spans: Sequence[Span]
    pace_s: float = 0.0
    hold_after: int | None = None
    die_after: int | None = None
    fail_after: int | None = None
    error: EngineError = field(default_factory=lambda: EngineError("The prompt is too long."))
    deaf: bool = False
    notices: Sequence[str] = ()


def words(text: str, origins: Sequence[str] = ("lookup", "draft_model", "corrected")) -> list[Span]:
    """Cut a text into words, their origins taken in turn."""
    pieces = [piece + " " for piece in text.split(" ")]
    pieces[-1] = pieces[-1][:-1]
    return [Span(piece, origins[i % len(origins)]) for i, piece in enumerate(pieces)]


def whole(spans: Sequence[Span]) -> str:
    """Return the spans' text."""
    return "".join(span.text for span in spans)


class FakeEngine:
    """Answers from a script; the last answer is given again and again.

    load_errors: raised by the first loads, one each, None for none. hold_load: wait for `release()`
    in a load.
    """

    def __init__(
        self,
        *answers: Answer,
        ready: Ready = READY,
        load_errors: Sequence[Exception | None] = (),
        hold_load: bool = False,
    ) -> None:
        self.asked: list[list[Message]] = []
        self.samplings: list[SamplingSettings] = []
        self.thinks: list[bool | None] = []
        self.predicts: list[int | None] = []
        self.loads = 0
        self.loaded: list[PairSettings] = []
        self.closed = 0
        self.cancels = 0
        self.alive = False
        self._answers = list(answers) or [Answer(words("It joins paths."))]
        self._ready = ready
        self._load_errors = list(load_errors)
        self._hold_load = hold_load
        self._moved, self._killed = asyncio.Event(), asyncio.Event()
        self._released = False
        self._cancelled = False

    def release(self) -> None:
        """Let what holds go on."""
        self._released = True
        self._moved.set()

    async def load(self, pair: PairSettings) -> AsyncIterator[Loading | Ready]:
        self.loads += 1
        self.loaded.append(pair)
        self.alive = True
        self._killed.clear()
        for fraction in (0.0, 0.4, 0.8):
            yield Loading(1, "target", fraction)
            await asyncio.sleep(0)
        if self._hold_load:
            await self._hold()
        error = self._load_errors.pop(0) if self._load_errors else None
        if error is not None:
            raise error
        yield self._ready

    async def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        trace: bool = False,
        think: bool | None = None,
    ) -> AsyncIterator[Started | Delta | Finished]:
        if not self.alive:
            raise EngineDied("The engine is not running.", "Load a pair first.")
        self.asked.append(list(messages))
        self.samplings.append(sampling)
        self.thinks.append(think)
        self.predicts.append(predict)
        request = len(self.asked)
        answer = self._answers[min(request, len(self._answers)) - 1]
        self._cancelled = False
        yield Started(request, 24, 0)
        given: list[Span] = []
        for count, span in enumerate([*answer.spans, None]):
            await self._obstacle(answer, count)
            if span is None or self._cancelled:
                break
            given.append(span)
            yield Delta(request, [span], stats_at(count + 1), 4, 24 + 3 * (count + 1))
            await asyncio.sleep(answer.pace_s)
        yield replace(self._finished(request, given), notices=list(answer.notices))

    def _finished(self, request: int, given: Sequence[Span]) -> Finished:
        return Finished(
            id=request,
            text=whole(given),
            token_ids=list(range(len(given))),
            reason="cancelled" if self._cancelled else "stop",
            seed=self.samplings[-1].seed,
            stats=stats_at(max(1, len(given)), 40.7),
            context_used=24 + 3 * len(given),
        )

    async def _obstacle(self, answer: Answer, count: int) -> None:
        if count == answer.die_after:
            self.alive = False
            raise EngineDied(DEATH, "Log: /tmp/engine.log")
        if count == answer.fail_after:
            raise answer.error
        if count == answer.hold_after:
            await self._hold(answer.deaf)

    async def _hold(self, deaf: bool = False) -> None:
        while not self._released and self.alive and (deaf or not self._cancelled):
            await self._moved.wait()
            self._moved.clear()
        self._released = False
        if not self.alive:
            raise EngineDied("The engine process ended by SIGKILL.")

    def kill(self) -> None:
        """Have it die while it is idle."""
        self.alive = False
        self._killed.set()

    async def ended(self) -> EngineDied:
        await self._killed.wait()
        return EngineDied("The engine process ended by SIGKILL.", "Log: /tmp/engine.log")

    async def cancel(self) -> None:
        self.cancels += 1
        self._cancelled = True
        self._moved.set()

    async def close(self) -> None:
        self.closed += 1
        self.alive = False
        self._moved.set()


@dataclass(frozen=True)
class FakeSettings:
    """Settings as `app.settings.config.settings_from` gives them."""

    pair: PairSettings = PAIR
    sampling: SamplingSettings = SAMPLING
    predict: int | None = None
    system: str | None = None
    think: bool | None = None
    title: str = "Slipstream demo"
    habits: Habits = USUAL


async def wait_until(predicate: Callable[[], bool], turns: int = 6000) -> None:
    """Let the app run until the predicate holds; fail if it never does."""
    for _ in range(turns):
        if predicate():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"never became true: {predicate}")
