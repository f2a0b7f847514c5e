"""The state behind a prompt is put back where no single tokens can, and goes with its prompt."""

from __future__ import annotations

import pytest

from engine.cache.rollback import Kind, Replay, Slide
from engine.cache.tokens import TokenCache
from engine.errors import RollbackRefused
from tests.engine.fakes import TableDecoder


class Refusing(TableDecoder):
    """A window that has slid on."""

    def drop(self, start: int) -> None:
        if start:
            raise RollbackRefused("It slid on.")
        super().drop(start)


def test_behind_a_later_mark_the_prompts_state_is_put_back() -> None:
    cache = TokenCache(decoder := TableDecoder(), Replay)
    cache.extend([1, 2, 3], 1)
    cache.rollback.settle(3)
    cache.extend([4, 5, 6], 1)
    cache.mark()
    decoder.evaluated.clear()
    cache.keep(5)
    assert decoder.held == cache.tokens == [1, 2, 3, 4, 5]
    assert decoder.evaluated == [3, 4]
    with pytest.raises(RollbackRefused):
        cache.keep(2)


def test_a_prompts_state_goes_when_the_cache_goes_back_before_it() -> None:
    cache = TokenCache(TableDecoder(), Replay)
    cache.extend([1, 2], 1)
    cache.mark()
    cache.extend([3, 4, 5], 1)
    cache.rollback.settle(5)
    cache.keep(3)
    cache.extend([9, 8, 7], 1)
    cache.mark()
    with pytest.raises(RollbackRefused):
        cache.keep(5)
    assert cache.tokens == [1, 2, 3, 9, 8, 7]


@pytest.mark.parametrize("kind", [Replay, Slide])
def test_aligning_evaluates_nothing_but_goes_back_to_the_prompts_state(kind: Kind) -> None:
    """Also over a picture, which is looked at again: only whoever evaluates may be cancelled."""
    cache = TokenCache(decoder := Refusing(), kind)
    cache.extend([1, 2], 1)
    cache.rollback.settle(2)
    decoder.decode([9, 9, 7, 8], 2, 0)  # the picture, as it is looked at elsewhere
    cache.tokens += [-5, -6, 7, 8]
    decoder.evaluated.clear()
    assert cache.align([1, 2, -5, -6, 7, 3, 4]) == 2
    assert decoder.held == cache.tokens == [1, 2] and not decoder.evaluated


def test_the_nearer_of_mark_and_prompt_is_put_back() -> None:
    cache = TokenCache(decoder := TableDecoder(), Replay)
    cache.extend([1, 2], 1)
    cache.mark()
    cache.extend([3, 4, 5], 1)
    cache.rollback.settle(5)
    cache.extend([6, 7], 1)
    decoder.evaluated.clear()
    cache.keep(6)
    assert decoder.held == cache.tokens == [1, 2, 3, 4, 5, 6] and decoder.evaluated == [5]
