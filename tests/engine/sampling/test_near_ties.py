"""Where batches of other widths round otherwise, the text can part only at a reported near-tie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import numpy as np
import pytest
from gguf import GGMLQuantizationType

from engine import drafters
from engine.answer import Answer
from engine.arrays import Logits
from engine.assemble import Engine
from engine.cache.rollback import Drop, Kind, Replay, Snapshots
from engine.cache.tokens import TokenCache, common_prefix
from engine.messages import Ask, Message
from engine.sampling.sampler import Sampler
from engine.sampling.width_noise import FIRST_DEPTH, NO_NOISE, REACHES, Deepening
from engine.session import Session
from engine.settings import PairSettings, SamplingSettings
from tests import tiny
from tests.engine.fakes import TableDecoder, noise_for, sampler
from tests.engine.in_process import answer, loaded
from tests.engine.running import PROMPT, run
from tests.pair import TARGET

NOISE = 0.2


class Rounding(TableDecoder):
    """Rows of wide batches are off by up to NOISE, each in its own way."""

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        rows = super().decode(tokens, start, n_rows)
        if len(tokens) > 1:
            rng = np.random.default_rng([len(tokens), start])
            rows += rng.uniform(-NOISE, NOISE, rows.shape).astype(np.float32)
        return rows


def near_ties(steps: Sequence[object]) -> set[int]:
    """Positions in the answer that were reported."""
    found, n = set(), 0
    for step in steps:
        found |= {n + i for i in step.near_ties}  # type: ignore[attr-defined]
        n += len(step.tokens)  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.0},
        {"temperature": 0.3},
        {"temperature": 0.8, "repeat_penalty": 1.3},
        {"temperature": 0.8, "top_k": 4, "top_p": 0.7},
        {"temperature": 0.8, "top_k": 2},
        {"temperature": 0.8, "min_p": 0.5},
        {"temperature": 1.2, "top_k": 0},
        {"temperature": 1.2, "typical_p": 0.8, "min_p": 0.1},
    ],
    ids=str,
)
def test_the_first_difference_is_at_a_reported_near_tie(settings: dict[str, float]) -> None:
    parted = 0
    for seed in range(40):
        exact = sampler(**{**settings, "seed": seed})
        drawn = Sampler(exact.settings, noise_for(2 * NOISE))
        prompt = [1 + seed % 20, *PROMPT]
        plain, plain_steps = run(sampler=drawn, session=Session(Rounding()), prompt=prompt)
        drafter = drafters.build(
            "draft_model", drafters.Parts(TokenCache(TableDecoder(key=1, closeness=0.8)), 24)
        )
        said, steps = run(drafter, drawn, session=Session(Rounding()), prompt=prompt)
        if said.tokens != plain.tokens:
            parted += 1
            first = common_prefix(plain.tokens, said.tokens)
            assert first in near_ties(plain_steps) | near_ties(steps)
    assert parted, "nothing parted: the noise is too small for the test to mean anything"


def test_a_token_that_no_rounding_can_change_is_no_near_tie() -> None:
    """Not even where min-p, tightened by the margin, would leave nothing."""
    row = np.array([0.0, 9.0, 7.0], dtype=np.float32)
    for min_p in (0.05, 0.9, 1.0):
        drawn = Sampler(SamplingSettings(min_p=min_p), noise_for(0.2))
        assert not drawn.draw(row, [], 0).near_tie
    row[1] = 7.1
    assert Sampler(SamplingSettings(top_k=1), noise_for(0.2)).draw(row, [], 0).near_tie


def test_a_token_that_rounding_could_let_in_makes_a_near_tie() -> None:
    row = np.array([0.0, 9.0, 8.25], dtype=np.float32)  # min-p cuts at 9 - log(2), 8.31
    assert any(
        Sampler(SamplingSettings(min_p=0.5, seed=seed), noise_for(0.2)).draw(row, [], 0).near_tie
        for seed in range(20)
    )


def test_the_margin_is_measured_again_where_the_text_has_doubled() -> None:
    known = Deepening(noise_for(0.1))
    assert not known.is_due(FIRST_DEPTH - 1) and known.is_due(FIRST_DEPTH)
    known.observe(3 * FIRST_DEPTH, noise_for(0.5))
    assert known.so_far == noise_for(0.5)
    assert not known.is_due(4 * FIRST_DEPTH - 1) and known.is_due(4 * FIRST_DEPTH)
    known.observe(4 * FIRST_DEPTH, NO_NOISE)
    assert known.so_far == noise_for(0.5), "what was found is not forgotten"


@pytest.mark.parametrize("kind", [Drop, Replay, Snapshots])
def test_measuring_the_noise_leaves_the_session_as_it_was(kind: Kind) -> None:
    decoder = Rounding(n_snapshots=4 if kind is Snapshots else 0)
    session = Session(decoder, kind)
    session.begin([1, 2, 3, 4, 5, 6])
    noise = session.width_noise()
    assert (noise is None) == (kind is Snapshots)
    if noise is not None:
        assert 0.0 < noise.within(REACHES[0]) <= 2 * NOISE
        assert decoder.held == session.tokens[:-1]
    session.forward([7, 8])
    session.commit([7, 9])
    assert decoder.held == session.tokens[:-1] == [1, 2, 3, 4, 5, 6, 7]


def test_there_is_no_measuring_at_the_end_of_the_context() -> None:
    session = Session(TableDecoder(n_ctx=10))
    session.begin([1, 2, 3, 4, 5, 6])
    assert session.width_noise() is None


@pytest.mark.parametrize("arch", ["gemma3", "llama"])
def test_small_models_part_from_plain_decoding_at_reported_near_ties_too(
    arch: str, tmp_path: Path
) -> None:
    """Their quantised activations hide the noise of most rows, and one that shows it is enough."""
    target = tiny.write(arch, tmp_path / "q8.gguf", seed=3, weight_type=GGMLQuantizationType.Q8_0)
    asked = [Message(role="user", content="the cat and the dog " * 20)]
    with loaded(PairSettings(target=str(target), threads=1, n_ctx=1024, draft_tokens=3)) as engine:
        plain = answer(engine, asked, predict=500)
        drafted = answer(engine, asked, drafter="lookup", predict=500)
        parted = first_difference(plain.token_ids, drafted.token_ids)
        assert parted is None or parted in plain.stats.near_ties + drafted.stats.near_ties


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Return the first index at which they differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), None)


def test_noise_that_comes_with_depth_is_found_in_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Flash attention sums one-row batches otherwise from 512 cells on, on many processors."""
    on = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
    monkeypatch.setattr(
        "engine.llama.context.attend", lambda params, *_: setattr(params, "flash_attn_type", on)
    )
    pair = PairSettings(target=str(TARGET), threads=2, n_ctx=2048, drafter="none", gpu_layers=0)
    engine = Engine(pair)
    try:
        text = "How does a generator differ from an iterator? " * 60
        ask = Ask(1, [Message(role="user", content=text)], predict=3)
        list(Answer(engine, ask, lambda: False).events())
        assert len(engine.session.tokens) > 512
        noise = engine.session.width_noise()
        assert noise is not None
        assert engine.width_noise | noise == engine.width_noise
    finally:
        engine.free()
