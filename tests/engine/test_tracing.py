"""A trace tells of every step what the answer is made of."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

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
from engine.costs.curves import CostCurves, Measurement
from engine.stream import AnswerReader
from engine.tracing import Tracer
from engine.types import NO_DRAFT, Draft
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


def test_a_step_names_its_near_ties() -> None:
    tracer = Tracer(piece, CURVES)
    step = fakes.step((5, 6, 9), Draft((5, 6, 7), "lookup", (0.5,) * 3))
    tracer.add(replace(step, near_ties=(1, 2)), 10)
    tracer.add(step, 13)
    assert [found.near_ties for found in tracer.take()] == [[1, 2], []]


TORN = [b"Hi ", b"\xf0\x9f", b"\x98\x80", b" ", b"\xe4", b"\xbd", b"\xa0\xe5\xa5\xbd", b"!", b""]


def told(steps: list[TracedStep]) -> str:
    """Return the text that steps make up."""
    pieces = ([*step.drafted[: step.accepted], step.said] for step in steps)
    return "".join(span.text for spans in pieces for span in spans)


@pytest.mark.parametrize("n_tokens", range(1, len(TORN) + 1))
@pytest.mark.parametrize("n_drafted", range(4))
def test_a_character_goes_with_its_last_token_whatever_the_steps(
    n_tokens: int, n_drafted: int
) -> None:
    tracer = Tracer(TORN.__getitem__, CURVES)
    reader = AnswerReader(TORN.__getitem__, lambda token: token == 8, 100, n_tokens)
    for at in range(0, n_tokens, n_drafted + 1):
        said = tuple(range(at, min(at + n_drafted + 1, n_tokens)))
        ends = [reader.read(token, PLAIN) for token in said]
        step = fakes.step(said, Draft(said[:n_drafted], "lookup", (0.5,) * len(said[:n_drafted])))
        tracer.add(replace(step, finish=ends[-1]), at)
    reader.close()
    steps = tracer.take()
    assert told(steps) == reader.text
    assert n_tokens < 3 or "\N{GRINNING FACE}" in told(steps)


def test_what_is_rejected_between_the_tokens_of_a_character_does_not_tear_it() -> None:
    tracer = Tracer(TORN.__getitem__, CURVES)
    tracer.add(fakes.step((1,), NO_DRAFT), 1)
    tracer.add(fakes.step((2, 4), Draft((2, 1, 5), "lookup", (0.5,) * 3)), 3)
    tracer.add(fakes.step((5, 6), Draft((5,), "lookup", (0.5,))), 5)
    half, middle, rest = tracer.take()
    assert half.said.text == middle.said.text == ""
    assert [span.text for span in middle.drafted] == ["\N{GRINNING FACE}", "\ufffd", "\ufffd"]
    assert ([span.text for span in rest.drafted], rest.said.text) == ([""], "\u4f60\u597d")


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
    assert told(steps).startswith(finished.text)
    assert len(steps) == finished.stats.steps
    assert sum(len(step.drafted) for step in steps) == finished.stats.drafted
    assert sum(step.accepted for step in steps) == finished.stats.accepted


def test_who_wants_no_trace_gets_none() -> None:
    steps, _ = asyncio.run(answered("auto", trace=False))
    assert steps == []
