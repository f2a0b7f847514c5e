"""What happened at each step of an answer can be looked at after a restart."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from app.history import History
from engine import PLAIN, Delta, Finished, Message, SamplingSettings, Span, Started, TracedStep
from tests.app.recorded import Recorded
from tests.app.tui.fakes import Answer, FakeEngine, words


class TracingEngine(FakeEngine):
    """Tells a step for every delta."""

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
        async for event in super().ask(messages, sampling, predict, stop, drafter, trace, think):
            if isinstance(event, Delta):
                said = Span("".join(span.text for span in event.spans), PLAIN)
                step = TracedStep([], [], 0, said, 0.02, 0.02)
                event = msgspec.structs.replace(event, steps=[step])
            yield event


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    """An empty history."""
    history = History.open(tmp_path / "history.db")
    yield history
    assert history.close()


def recorded(history: History, *answers: Answer) -> Recorded:
    kept = Recorded(history)
    kept.engine = TracingEngine(*answers)
    kept.engine.alive = True
    kept.talk._engine = kept.engine
    return kept


def told(steps: Sequence[TracedStep]) -> str:
    return "".join(step.said.text for step in steps)


def test_the_steps_of_an_answer_are_there_after_a_restart(history: History) -> None:
    kept = recorded(history, Answer(words("one two three")))
    steps = list(kept.ask("How many?").steps)
    assert len(steps) > 1 and history.flush()
    kept.reopen()
    turn = kept.turns[0]
    assert turn.steps == [], "nobody looked yet, and nothing was read"
    assert kept.recorder.steps(turn) == steps
    assert told(steps) == turn.answer


def test_an_answer_gone_on_with_after_a_restart_has_the_steps_of_all_of_it(
    history: History,
) -> None:
    kept = recorded(history, Answer(words("one two")), Answer(words(" three four")))
    kept.ask("Count.")
    assert history.flush()
    kept.reopen()
    turn = kept.go_on()
    assert told(turn.steps) == turn.answer == "one two three four"
    assert history.flush()
    kept.reopen()
    assert told(kept.recorder.steps(kept.turns[0])) == "one two three four"


def test_an_answer_without_kept_steps_has_none(history: History) -> None:
    kept = Recorded(history, Answer(words("one two")))
    kept.ask("How many?")
    assert history.flush()
    kept.reopen()
    assert kept.recorder.steps(kept.turns[0]) == []
