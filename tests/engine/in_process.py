"""How tests load a pair in their own process, and ask it there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from engine.answer import Answer
from engine.assemble import Engine
from engine.messages import Ask, Finished, Message
from engine.settings import PairSettings, SamplingSettings

GREEDY = SamplingSettings(temperature=0.0, seed=7)
PREDICT = 24


@contextmanager
def loaded(settings: PairSettings) -> Iterator[Engine]:
    """Load a pair in this process, and free it in the end."""
    engine = Engine(settings)
    try:
        yield engine
    finally:
        engine.free()


def answer(
    engine: Engine,
    messages: Sequence[Message],
    sampling: SamplingSettings = GREEDY,
    cancelled: Callable[[], bool] = lambda: False,
    drafter: str = "none",
    predict: int = PREDICT,
) -> Finished:
    """Answer in `predict` tokens at most."""
    ask = Ask(1, list(messages), sampling, predict=predict, drafter=drafter)
    *_, last = Answer(engine, ask, cancelled).events()
    assert isinstance(last, Finished)
    return last


def conversation(
    engine: Engine,
    questions: Sequence[Message],
    sampling: SamplingSettings,
    drafter: str,
    predict: int = PREDICT,
) -> list[Finished]:
    """Ask one after the other, each with what was said before."""
    messages: list[Message] = []
    answers = []
    for question in questions:
        messages.append(question)
        answers.append(answer(engine, messages, sampling, drafter=drafter, predict=predict))
        messages.append(Message(role="assistant", content=answers[-1].text))
    return answers
