"""A trace tells of every step what the answer is made of."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from engine import (
    BONUS,
    CORRECTED,
    PLAIN,
    Delta,
    EngineClient,
    Finished,
    SamplingSettings,
    TracedStep,
)
from engine.costs import CostCurves, Measurement
from engine.tracing import Tracer
from engine.types import Draft
from tests.engine import fakes
from tests.pair import load, pair, user

CURVES = CostCurves(Measurement({1: 0.02}, {}))
QUESTION = [user("What is in the module os?")]


def piece(token: int) -> bytes:
    return f"<{token}>".encode()


def traced(said: tuple[int, ...], draft: Draft) -> TracedStep:
    tracer = Tracer(piece, CURVES)
    tracer.add(fakes.step(said, draft, step_s=0.03), 10)
    (step,) = tracer.take()
    assert tracer.take() == []
    return step


@pytest.mark.parametrize(
    ("drafted", "said", "accepted", "last"),
    [
        ((5, 6, 7), (5, 9), 1, ("<9>", CORRECTED)),
        ((5, 6), (5, 6, 8), 2, ("<8>", BONUS)),
        ((), (4,), 0, ("<4>", PLAIN)),
        ((5, 6, 7), (5, 6), 2, ("", PLAIN)),
    ],
)
def test_a_step_names_what_was_drafted_accepted_and_said(
    drafted: tuple[int, ...], said: tuple[int, ...], accepted: int, last: tuple[str, str]
) -> None:
    step = traced(said, Draft(drafted, "lookup", (0.5,) * len(drafted)))
    assert [span.text for span in step.drafted] == [f"<{token}>" for token in drafted]
    assert {span.origin for span in step.drafted} <= {"lookup"}
    assert (step.accepted, (step.said.text, step.said.origin)) == (accepted, last)
    plain_s = 0.02 * len(said) if drafted else 0.03
    assert (step.step_s, step.plain_s) == (0.03, pytest.approx(plain_s))


async def answered(drafter: str, trace: bool) -> tuple[list[TracedStep], Finished]:
    with tempfile.TemporaryDirectory() as folder:
        client = EngineClient(Path(folder) / "engine.log")
        steps: list[TracedStep] = []
        try:
            await load(client, pair(drafter))
            greedy = SamplingSettings(temperature=0.0)
            async for event in client.ask(QUESTION, greedy, 60, trace=trace):
                if isinstance(event, Delta):
                    steps += event.steps
                if isinstance(event, Finished):
                    return steps, event
        finally:
            await client.close()
    raise AssertionError("an answer ends with Finished")


@pytest.mark.parametrize("drafter", ["auto", "none"])
def test_the_steps_of_a_trace_make_up_the_answer(drafter: str) -> None:
    steps, finished = asyncio.run(answered(drafter, trace=True))
    pieces = [
        "".join(span.text for span in step.drafted[: step.accepted]) + step.said.text
        for step in steps
    ]
    assert "".join(pieces).startswith(finished.text)
    assert len(steps) == finished.stats.steps
    assert sum(len(step.drafted) for step in steps) == finished.stats.drafted
    assert sum(step.accepted for step in steps) == finished.stats.accepted


def test_who_wants_no_trace_gets_none() -> None:
    steps, _ = asyncio.run(answered("auto", trace=False))
    assert steps == []
