"""Windows that slide: what they no longer keep is never needed, and guessing leaves no trace."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import llama_cpp
import numpy as np
import pytest

from engine.cache.rollback import Slide
from engine.cache.tokens import TokenCache, common_prefix
from engine.errors import RollbackRefused
from engine.llama import context as module
from engine.llama import log
from engine.llama.context import Context
from engine.llama.model import Model
from engine.loading.probe import nmse
from engine.sampling.sampler import Sampler
from engine.session import Session
from engine.settings import SamplingSettings
from tests import tiny
from tests.engine.fakes import END, CallableDrafter, TableDecoder, noise_for
from tests.engine.running import run
from tests.tiny.dense import WINDOW

NMSE = 1e-4
N_CTX, N_BATCH, LAP = 2048, 64, 256
"""A lap is the window and a batch, in whole 256 cells."""


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return tiny.write("gemma3", folder / "gemma3.gguf", seed=3, n_ctx=N_CTX)


@pytest.fixture(scope="module")
def model(gemma: Path) -> Iterator[Model]:
    log.capture()
    found = Model(str(gemma), 0)  # with heads of 16 numbers llama.cpp for CUDA ends the process
    yield found
    found.free()


@pytest.fixture
def sliding(model: Model) -> Iterator[Context]:
    made = Context(model, N_CTX, 1, n_batch=N_BATCH)
    assert made.slides
    yield made
    made.free()


@pytest.fixture
def full(model: Model, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """A context whose windows keep everything."""
    with monkeypatch.context() as patch:
        patch.setattr(module, "_may_slide", lambda _: False)
        made = Context(model, N_CTX, 1, n_batch=N_BATCH)
    assert not made.slides
    yield made
    made.free()


def tokens_of(rng: random.Random, n: int) -> list[int]:
    return [rng.randrange(250) for _ in range(n)]


def fill(contexts: Sequence[Context], text: Sequence[int], start: int, rng: random.Random) -> int:
    """Evaluate text[start:] in batches of any size; return how many tokens there are."""
    while start < len(text):
        n = min(rng.randint(1, N_BATCH), len(text) - start)
        for context in contexts:
            context.decode(text[start : start + n], start, 0)
        start += n
    return start


@pytest.mark.parametrize("multiple", [WINDOW, LAP, 3 * LAP])
def test_what_the_last_batch_brought_is_taken_back_everywhere(
    sliding: Context, full: Context, multiple: int
) -> None:
    rng = random.Random(multiple)
    both = (sliding, full)
    for near in range(-3, 4):
        text = tokens_of(rng, multiple + near)
        for context in both:
            context.drop(0)
        at = fill(both, text, 0, rng)
        for width in (1, 2, 17, 33, 33, 33):
            batch = tokens_of(rng, width)
            rows = [context.decode(batch, at, width).copy() for context in both]
            assert max(map(nmse, *rows)) <= NMSE
            kept = at + rng.randint(0, width)
            for context in both:
                context.drop(kept)
            at = kept


@pytest.mark.parametrize("seed", range(3))
def test_any_steps_over_several_laps_score_as_a_full_cache_does(
    sliding: Context, full: Context, seed: int
) -> None:
    rng = random.Random(seed)
    both = (TokenCache(sliding, Slide), TokenCache(full))
    while len(both[0]) < 5 * LAP:
        if rng.random() < 0.1:
            chunk = tokens_of(rng, rng.randint(1, N_BATCH))
            for cache in both:
                cache.extend(chunk, 0)
        batch = tokens_of(rng, rng.randint(1, 33))
        rows = [cache.extend(batch, len(batch)).copy() for cache in both]
        assert max(map(nmse, *rows)) <= NMSE
        n = len(both[0]) - rng.randint(0, len(batch))
        sliding.drop(n)  # is not refused
        for cache in both:
            cache.keep(n)


def test_a_drop_to_where_the_window_is_gone_is_refused_and_leaves_all_as_it_was(
    sliding: Context, full: Context
) -> None:
    rng = random.Random(5)
    text = tokens_of(rng, 4 * LAP)
    fill((sliding, full), text, 0, rng)
    with pytest.raises(RollbackRefused):
        sliding.drop(2 * LAP)
    rows = [context.decode([1, 2, 3], len(text), 3).copy() for context in (sliding, full)]
    assert max(map(nmse, *rows)) <= NMSE


def test_a_drop_is_granted_as_far_as_the_window_is_whole(sliding: Context, full: Context) -> None:
    rng = random.Random(6)
    text = tokens_of(rng, 3 * LAP + 100)
    fill((sliding, full), text, 0, rng)
    last = next(n for n in range(1, len(text)) if granted(sliding, n))
    first: int = llama_cpp.llama_memory_seq_pos_min(sliding._memory, 0)
    assert last == first + WINDOW - 1
    full.drop(last)
    rows = [context.decode([1, 2, 3], last, 3).copy() for context in (sliding, full)]
    assert max(map(nmse, *rows)) <= NMSE


def granted(context: Context, n: int) -> bool:
    with contextlib.suppress(RollbackRefused):
        context.drop(n)
        return True
    return False


def said_by(
    context: Context, prompt: Sequence[int], wrong: random.Random | None
) -> tuple[list[int], set[int]]:
    """Answer greedily for several laps; return the tokens, and which were near-ties.

    wrong: guesses of any length, most of them wrong.
    """

    def guess(_: Sequence[int], limit: int) -> list[int]:
        return tokens_of(wrong, wrong.randint(0, limit)) if wrong else []

    context.drop(0)
    greedy = SamplingSettings(temperature=0.0, logit_bias={END: -1e30})
    reader, steps = run(
        CallableDrafter(guess),
        Sampler(greedy, noise_for(0.02)),
        32,
        4 * LAP,
        prompt,
        session=Session(context, Slide),
    )
    starts = itertools.accumulate((len(step.tokens) for step in steps), initial=0)
    ties = {start + at for start, step in zip(starts, steps, strict=False) for at in step.near_ties}
    return reader.tokens, ties


@pytest.mark.parametrize("n_prompt", [8, LAP - 40, LAP + 3, 3 * LAP - 1])
def test_wrong_guesses_change_no_text_over_several_laps(sliding: Context, n_prompt: int) -> None:
    prompt = tokens_of(random.Random(n_prompt), n_prompt)
    plain, ties = said_by(sliding, prompt, None)
    guessed, more_ties = said_by(sliding, prompt, random.Random(2))
    assert len(plain) == len(guessed) == 4 * LAP
    same = common_prefix(plain, guessed)
    assert same == 4 * LAP or same in ties | more_ties


@pytest.mark.parametrize("n_prompt", [0, LAP + 9])
def test_guesses_leave_no_trace_in_where_tokens_lie(sliding: Context, n_prompt: int) -> None:
    """Rows of one width, after the same text: with guesses in between they are the same numbers.

    n_prompt: if any, the state behind it is put back before, from several laps further on.
    """
    text = tokens_of(random.Random(4), 4 * LAP)
    runs = []
    for seed in (None, 1):
        rng = random.Random(seed)
        sliding.drop(0)
        cache = TokenCache(sliding, Slide)
        fill([sliding], text[:n_prompt], 0, random.Random(5))
        cache.tokens += text[:n_prompt]
        if n_prompt:
            cache.rollback.settle(n_prompt)
            fill([sliding], text, n_prompt, random.Random(5))
            cache.tokens += text[n_prompt:]
            cache.keep(n_prompt)
        rows = []
        for at, token in enumerate(text, n_prompt):
            n_guessed = min(rng.randint(0, 32), cache.rollback.limit) if seed else 0
            if n_guessed:
                cache.extend([token, *tokens_of(rng, n_guessed)], 1)
                cache.keep(at)
            rows.append(cache.extend([token], 1)[0].copy())
        runs.append(rows)
    assert np.array_equal(*runs)


@pytest.mark.parametrize("left", range(1, 40, 3))
def test_a_guess_behind_a_prompt_stays_within_the_lap(sliding: Context, left: int) -> None:
    session = Session(sliding, Slide)
    sliding.drop(0)
    prompt = tokens_of(random.Random(left), 3 * LAP - left)
    session.begin(prompt)
    assert session.prefill(lambda: False)
    session.forward(())
    session.commit([1])
    assert 1 + session.draft_room <= sliding.lap_left
    assert session.draft_room > 0 or left == 1


def test_a_window_that_is_no_shorter_than_the_context_keeps_everything(model: Model) -> None:
    context = Context(model, LAP, 1, n_batch=N_BATCH)
    assert not context.slides
    context.free()


def test_what_a_window_lost_is_evaluated_again_from_the_prompt_on() -> None:
    cache = TokenCache(decoder := TableDecoder(can_drop=False, n_batch=1), Slide)
    assert cache.prefill([1, 2, 3, 4], lambda: False)
    assert cache.tokens == [1, 2, 3]
    for token in (4, 5, 6, 7):
        cache.extend([token], 1)
    decoder.evaluated.clear()
    cache.keep(5)
    assert decoder.held == cache.tokens == [1, 2, 3, 4, 5]
    assert decoder.evaluated == [3, 4]
    with pytest.raises(RollbackRefused):
        cache.keep(2)
    assert cache.tokens == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("n_prompt", [5, LAP + 9])
def test_the_state_behind_a_prompt_is_put_back_where_a_window_slid_on(
    sliding: Context, full: Context, n_prompt: int
) -> None:
    rng = random.Random(n_prompt)
    text = tokens_of(rng, 4 * LAP)
    sliding.drop(0)
    cache = TokenCache(sliding, Slide)
    for start in range(0, len(text), 32):
        if start >= n_prompt > start - 32:
            cache.rollback.settle(start)
        cache.extend(text[start : start + 32], 0)
    kept = 2 * LAP + 1
    cache.keep(kept)
    assert cache.tokens == text[:kept]
    fill([full], text[:kept], 0, rng)
    for _ in range(2 * LAP):
        token = tokens_of(rng, 1)
        assert nmse(cache.extend(token, 1)[0], full.decode(token, len(cache) - 1, 1)[0]) <= NMSE


def test_a_state_that_cannot_be_saved_costs_only_the_way_back() -> None:
    cache = TokenCache(decoder := TableDecoder(can_save=False, n_batch=1), Slide)
    assert cache.prefill([1, 2, 3, 4], lambda: False)
    decoder._can_drop = False
    assert cache.align([1, 2, 9]) == 0
    assert decoder.held == []


def test_a_prompt_that_was_left_is_no_place_to_go_back_to() -> None:
    decoder = TableDecoder()
    cache = TokenCache(decoder, Slide)
    cache.extend([1, 2, 3, 4], 1)
    cache.rollback.settle(4)
    cache.keep(2)
    cache.extend([9, 8, 7, 6], 1)
    decoder._can_drop = False
    with pytest.raises(RollbackRefused):
        cache.keep(5)
