"""Asks the cells of a benchmark and measures the answers. Knows no file and no screen.

Before a cell's answers its prompt is asked for a few tokens, so that both models have it in their
caches and no answer pays for it: a draft model reads the end of a prompt when it drafts first, in
the second step. The engine's own clocks are read: what passes between the processes costs no answer
anything.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

import msgspec

from app.bench.checks import at_near_tie, distinct_share, parts_at
from app.bench.plan import PLAIN_DRAFTER, Cell
from app.bench.result import Answer, Heat
from engine import (
    Delta,
    EngineError,
    Finished,
    Message,
    PromptTooLong,
    SamplingSettings,
    SettingError,
    Started,
    Stats,
    TemplateError,
)

DRAFT_MODEL, WARM_TOKENS = "draft_model", 3


class Asker(Protocol):
    """What is needed of the engine; `engine.EngineClient` is one."""

    def ask(
        self,
        messages: Sequence[Message],
        sampling: SamplingSettings,
        predict: int | None = None,
        stop: Sequence[str] = (),
        drafter: str | None = None,
        *,
        think: bool | None = None,
    ) -> AsyncGenerator[Started | Delta | Finished, None]:
        """Answer; ends with Finished. Raises EngineError."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A prompt that this model cannot be asked, and why."""

    cell: Cell
    reason: str


@dataclass(frozen=True, slots=True)
class Taken:
    """An answer as it came."""

    drafter: str
    finished: Finished


async def ask_all(
    engine: Asker,
    cells: Iterable[Cell],
    sampling: SamplingSettings,
    system: str | None,
    think: bool | None,
    took: Callable[[Heat | Skipped], None],
) -> None:
    """Ask every cell and hand on what came of it; a refused prompt is asked once. think: whether
    the model is to think first. Raises EngineError.
    """
    refused: set[tuple[str, int]] = set()
    for cell in cells:
        if (cell.task, cell.item) in refused:
            continue
        try:
            took(await _heat(engine, cell, sampling, system, think))
        except (PromptTooLong, TemplateError) as error:
            refused.add((cell.task, cell.item))
            took(Skipped(cell, str(error)))


async def can_draft(engine: Asker, drafter: str) -> bool:
    """Whether the loaded pair can have this drafter. Raises EngineError."""
    asked = [Message(role="user", content="?")]
    try:
        await _ask(engine, asked, SamplingSettings(temperature=0.0), 1, drafter, None)
    except SettingError:
        return False
    return True


async def _heat(
    engine: Asker,
    cell: Cell,
    sampling: SamplingSettings,
    system: str | None,
    think: bool | None,
) -> Heat:
    """Let everybody answer the cell."""
    given = [Message(role="system", content=system)] if system else []
    messages = [*given, *(Message(role=role, content=text) for role, text in cell.messages)]
    drawn = msgspec.structs.replace(sampling, temperature=cell.temperature, seed=cell.seed)
    warming = DRAFT_MODEL if DRAFT_MODEL in cell.drafters else None
    await _ask(engine, messages, drawn, WARM_TOKENS, warming, think)
    taken = [
        await _ask(engine, messages, drawn, cell.predict, name, think) for name in cell.drafters
    ]
    plain = next(answer for answer in taken if answer.drafter == PLAIN_DRAFTER)
    return Heat(
        task=cell.task,
        item=cell.item,
        temperature=cell.temperature,
        round=cell.round,
        seed=cell.seed,
        predict=cell.predict,
        prompt_tokens=plain.finished.stats.prompt_tokens,
        answers=tuple(measured(answer, plain) for answer in taken),
    )


async def _ask(
    engine: Asker,
    messages: Sequence[Message],
    sampling: SamplingSettings,
    predict: int,
    drafter: str | None,
    think: bool | None,
) -> Taken:
    answer = engine.ask(messages, sampling, predict, drafter=drafter, think=think)
    async with aclosing(answer) as events:
        async for event in events:
            if isinstance(event, Finished):
                if event.notices:
                    raise EngineError(" ".join(event.notices))
                return Taken(drafter or "", event)
    raise AssertionError("an answer ends with Finished or an exception")


def measured(taken: Taken, plain: Taken) -> Answer:
    """Return the figures of an answer, beside plain's of the same heat."""
    stats = taken.finished.stats
    parting = parts_at(taken.finished.token_ids, plain.finished.token_ids)
    return Answer(
        drafter=taken.drafter,
        output_tokens=stats.output_tokens,
        steps=stats.steps,
        first_tokens=stats.first_step_tokens,
        decode_tps=stats.decode_tps,
        answer_s=None if stats.ttft_s is None else stats.ttft_s + stats.decode_s,
        drafted=stats.drafted,
        accepted=stats.accepted,
        tested=stats.tested,
        tested_at=tuple(stats.tested_at),
        accepted_at=tuple(stats.accepted_at),
        near_ties=tuple(stats.near_ties),
        overhead_s=stats.engine_overhead_s,
        shares=stats.drafters,
        reason=taken.finished.reason,
        distinct=distinct_share(taken.finished.token_ids),
        parts_at=parting,
        at_near_tie=at_near_tie(parting, stats.near_ties, plain.finished.stats.near_ties),
        in_vain=_is_in_vain(stats),
    )


def _is_in_vain(stats: Stats) -> bool:
    """Whether time went to guesses of which none was verified: where none did, the engine's own
    estimate is 1 sharp.
    """
    return bool(not stats.drafted and stats.decode_tps and stats.speedup != 1.0)
