"""The session's invariant, and the cache's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.arrays import Logits
from engine.cache.tokens import PREFILL_CHUNK, TokenCache, common_prefix
from engine.errors import DecodeError, PromptTooLong
from engine.session import Session
from tests.engine.fakes import CallableDrafter, TableDecoder, sampler
from tests.engine.running import run

TOKENS = st.lists(st.integers(1, 3), max_size=12)


@given(a=TOKENS, b=TOKENS)
def test_the_common_prefix_is_common_and_longest(a: list[int], b: list[int]) -> None:
    n = common_prefix(a, b)
    assert a[:n] == b[:n]
    assert n == min(len(a), len(b)) or a[n] != b[n]


@given(prompts=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=12), min_size=1))
def test_a_cache_aligned_with_any_prompt_holds_a_true_part_of_it(prompts: list[list[int]]) -> None:
    decoder = TableDecoder()
    cache = TokenCache(decoder)
    for prompt in prompts:
        before = list(cache.tokens)
        n = cache.align(prompt)
        assert n == common_prefix(before, prompt[:-1])
        assert decoder.held == cache.tokens == prompt[:n]
        cache.extend(prompt[n:], 1)


def test_a_cache_that_cannot_drop_is_emptied() -> None:
    decoder = TableDecoder(can_drop=False)
    cache = TokenCache(decoder)
    cache.extend([1, 2, 3], 0)
    assert cache.align([1, 2, 4, 5]) == 0
    assert decoder.held == []


def test_a_second_turn_prefills_only_what_is_new_and_says_the_same_as_a_fresh_session() -> None:
    kept = TableDecoder()
    session = Session(kept)
    first, _ = run(session=session, target=kept, n=30)
    second_prompt = [*session.tokens, 5, 6, 7]
    evaluated = len(kept.evaluated)
    reader, _ = run(session=session, target=kept, prompt=second_prompt, n=30)
    fresh, _ = run(prompt=second_prompt, n=30)
    assert reader.tokens == fresh.tokens
    assert len(kept.evaluated) - evaluated == 3 + 1 + len(reader.tokens) - 1
    assert len(first.tokens) == 30


def test_a_long_prompt_is_prefilled_in_chunks_that_can_be_cancelled() -> None:
    decoder = TableDecoder(n_batch=PREFILL_CHUNK, n_ctx=2048)
    session = Session(decoder)
    prompt = [i % 20 + 1 for i in range(3 * PREFILL_CHUNK + 5)]
    session.begin(prompt)
    answers = iter([False, True])
    assert not session.prefill(lambda: next(answers))
    assert decoder.batches == [PREFILL_CHUNK]
    assert session.begin(prompt) == PREFILL_CHUNK, "what was evaluated stays"
    assert session.prefill(lambda: False)
    assert len(session.forward(())) == 1
    assert decoder.batches == [PREFILL_CHUNK] * 3 + [5]


def test_the_rest_of_a_prompt_is_evaluated_as_plain_decoding_does_without_a_draft() -> None:
    session = Session(decoder := TableDecoder())
    session.begin([1, 2, 3])
    assert session.draft_room == 0
    session.forward(())
    session.commit([4])
    assert session.draft_room == decoder.n_batch - 1


@pytest.mark.parametrize("n_prompt", range(1, 40))
def test_a_draft_of_any_length_fits_into_the_batch(n_prompt: int) -> None:
    endless = CallableDrafter(lambda context, limit: [1] * limit)
    target = TableDecoder(n_batch=16)
    run(endless, target=target, length=500, prompt=[i % 20 + 1 for i in range(n_prompt)], n=60)
    assert max(target.batches) <= 16


@pytest.mark.parametrize("n", [0, 64, 65])
def test_a_prompt_that_is_empty_or_fills_the_context_is_refused(n: int) -> None:
    with pytest.raises(PromptTooLong, match=r"empty|64"):
        Session(TableDecoder(n_ctx=64)).begin([1] * n)


def test_a_prompt_of_one_token_is_answered() -> None:
    reader, _ = run(prompt=(3,), sampler=sampler(0.0), n=5)
    assert reader.tokens


@pytest.mark.parametrize("n_drafted", [0, 3])
def test_a_target_that_computes_no_numbers_is_a_clear_error(n_drafted: int) -> None:
    class Overflowing(TableDecoder):
        def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
            rows = super().decode(tokens, start, n_rows)
            return rows if start + len(tokens) <= 8 else rows * np.float32("nan")

    session = Session(Overflowing())
    session.begin([1, 2, 3, 4, 5, 6])
    session.forward([7, 8])
    session.commit([7, 8, 9])
    with pytest.raises(DecodeError, match="NaN"):
        session.forward([1] * n_drafted)
