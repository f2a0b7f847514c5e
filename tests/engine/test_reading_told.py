"""How far a long prompt is read is told while it is read, and never behind the first token."""

from __future__ import annotations

from engine.answer import Answer
from engine.cache.tokens import PREFILL_CHUNK
from engine.messages import Ask, Event, Started
from tests.engine.in_process import GREEDY, loaded
from tests.pair import pair, user

LONG = "What does os.path.join do? " * 120
N_MORE = 3


def test_every_chunk_of_a_prompt_is_told() -> None:
    told: list[Event] = []
    with loaded(pair("none")) as engine:
        for asked in ([user(LONG)], [user(LONG)], [user("What is len?")]):
            told.clear()
            ask = Ask(7, asked, GREEDY, predict=N_MORE)
            for event in Answer(engine, ask, lambda: False, told.append).events():
                told.append(event)
            started = [event for event in told if isinstance(event, Started)]
            assert told[: len(started)] == started, "nothing is told behind the first token"
            assert {event.id for event in started} == {7}
            first = started[0]
            fresh = first.prompt_tokens - first.cached_tokens
            read = [event.read_tokens for event in started[1:]]
            assert started[0].read_tokens == 0 and all(0 < n < fresh for n in read)
            assert set(read) == set(range(PREFILL_CHUNK, fresh, PREFILL_CHUNK))


def test_what_is_read_anew_in_mid_answer_is_not_told() -> None:
    told: list[Event] = []
    with loaded(pair("none")) as engine:
        events = Answer(engine, Ask(1, [user(LONG)], GREEDY), lambda: False, told.append).events()
        next(events), next(events)
        n_told = len(told)
        assert n_told > 0
        engine.session._is_spoilt = True  # as a forward that met NaN leaves it
        next(events)
        assert len(told) == n_told
