"""Models whose memory takes nothing back by position come back to a prompt all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.assemble import Engine
from engine.cache.rollback import Replay
from engine.cache.tokens import TokenCache
from engine.errors import DecodeError
from engine.messages import Message
from engine.settings import PairSettings
from tests import tiny
from tests.engine.fakes import TableDecoder
from tests.engine.in_process import answer, loaded

FIRST = [Message(role="user", content="the cat and the dog " * 60)]


@pytest.fixture(scope="module", params=["qwen35", "granitehybrid", "mamba2"])
def engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    path: Path = tmp_path_factory.mktemp("states") / f"{request.param}.gguf"
    tiny.write(request.param, path, seed=3, n_ctx=4096)
    with loaded(PairSettings(target=str(path), threads=1, n_ctx=4096)) as engine:
        yield engine


@pytest.mark.parametrize("drafter", ["none", "lookup"])
def test_an_answer_that_is_asked_for_again_has_its_prompt_cached_and_is_the_same(
    engine: Engine, drafter: str
) -> None:
    engine.recover()
    first, again = (answer(engine, FIRST, drafter=drafter) for _ in range(2))
    assert again.stats.cached_tokens == first.stats.prompt_tokens - 1
    assert again.text == first.text


@pytest.mark.parametrize("drafter", ["none", "lookup"])
def test_a_next_turn_without_what_was_thought_evaluates_no_more_than_is_new_to_it(
    engine: Engine, drafter: str
) -> None:
    engine.recover()
    first = answer(engine, FIRST, drafter=drafter)
    said = Message(role="assistant", content=first.text[5:])
    turn = [*FIRST, said, Message(role="user", content="more")]
    second = answer(engine, turn, drafter=drafter)
    assert second.stats.cached_tokens >= first.stats.prompt_tokens - 1
    engine.recover()
    anew = answer(engine, turn, drafter="none")
    assert anew.stats.cached_tokens == 0 and anew.text == second.text


def test_a_state_that_is_not_taken_back_costs_the_prompt_and_no_error() -> None:
    class Failing(TableDecoder):
        def restore(self, saved: bytearray, n: int) -> None:
            raise DecodeError("llama.cpp does not take back its state.")

    cache = TokenCache(decoder := Failing(), Replay)
    cache.extend([1, 2, 3], 1)
    cache.rollback.settle(3)
    cache.extend([4, 5], 1)
    assert cache.align([1, 2, 3, 4, 9, 9]) == 0
    assert cache.tokens == decoder.held == []
