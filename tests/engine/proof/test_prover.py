"""The proof finds nothing where all is well, on every kind of memory, and finds what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from engine.arrays import Logits
from engine.assemble import Engine
from engine.cache.tokens import TokenCache
from engine.llama.context import Context
from engine.proof.equality import DRAFT_LENGTHS, TEMPERATURES, cells
from engine.proof.messages import Proof, Prove
from engine.proof.prover import Prover
from engine.proof.reference import processed
from engine.settings import PairSettings, SamplingSettings
from engine.types import Draft, Verdict
from engine.verifiers.coupled import Coupled
from tests import tiny
from tests.engine import reference
from tests.engine.fakes import noise_for

SECONDS = 0.2
SPOILERS = ("oracle", "garbage", "all-reject")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short answers: these proofs are about the prover."""
    monkeypatch.setattr("engine.proof.prover.MOST_TOKENS", 12)
    monkeypatch.setattr("engine.proof.prover.FEWEST_TOKENS", 12)


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Engine]]:
    """Load a tiny pair of an architecture."""
    folder = tmp_path_factory.mktemp("tiny")
    engines: list[Engine] = []

    def loaded(arch: str = "llama", with_draft: bool = True, **settings: object) -> Engine:
        target = tiny.write(arch, folder / f"{arch}.gguf", seed=2, n_vocab_extra=31)
        draft = tiny.write(
            arch, folder / f"{arch}-draft.gguf", seed=2, n_vocab_extra=31, noise=0.05
        )
        paths = {"target": str(target), "draft": str(draft) if with_draft else None}
        asked = {**paths, "threads": 1, "n_ctx": 512, "gpu_layers": 0, **settings}
        engines.append(Engine(PairSettings(**asked)))  # type: ignore[arg-type]
        return engines[-1]

    yield loaded
    for engine in engines:
        engine.free()


def prove(engine: Engine, **sampling: object) -> Proof:
    settings = SamplingSettings(seed=5, **sampling)  # type: ignore[arg-type]
    stages: list[tuple[str, float]] = []
    command = Prove(9, SECONDS, settings)
    proof = Prover(engine, command, lambda *stage: stages.append(stage)).prove()
    fractions = [fraction for _, fraction in stages]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0
    assert proof.id == 9
    return proof


def found(proof: Proof) -> dict[str, tuple[int, int, int]]:
    return {c.drafter: (c.equal, c.at_near_ties, c.different) for c in proof.comparisons}


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_with_every_memory_all_drafters_say_what_plain_decoding_says(
    arch: str, load: Callable[..., Engine]
) -> None:
    proof = prove(load(arch))
    results = found(proof)
    assert set(results) == {*SPOILERS, "auto", "draft_model", "lookup", "rejection at 0"}
    assert all(equal > 0 == different for equal, _, different in results.values())
    assert proof.replayed_wrong == 0 and proof.differences == []
    assert proof.replayed == proof.n_tokens > 50
    accepted = {c.drafter: (c.accepted, c.tested) for c in proof.comparisons}
    assert accepted["oracle"][0] == accepted["oracle"][1] > 0
    assert accepted["all-reject"][0] == 0 < accepted["all-reject"][1]


def test_coupled_drafts_beat_top_tokens_and_are_near_rejection(
    load: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.proof.prover.MOST_TOKENS", 32)
    monkeypatch.setattr("engine.proof.prover.FEWEST_TOKENS", 32)
    proof = prove(load())
    ways = {way.way: way for way in proof.acceptance}
    assert ways["coupled"].expected > ways["top token"].expected + 0.05
    assert ways["coupled"].expected > ways["rejection"].expected - 0.06
    for way in proof.acceptance:
        assert way.observed == pytest.approx(way.expected, abs=0.15)


def test_the_settings_hold_but_for_the_temperature(load: Callable[..., Engine]) -> None:
    proof = prove(load(), repeat_penalty=1.4, frequency_penalty=0.3, typical_p=0.9, top_k=0)
    assert all(different == 0 for _, _, different in found(proof).values())
    assert proof.replayed_wrong == 0


def test_without_a_draft_model_the_lookup_is_tried(load: Callable[..., Engine]) -> None:
    proof = prove(load(with_draft=False))
    assert set(found(proof)) == {*SPOILERS, "auto", "lookup", "rejection at 0"}
    assert proof.acceptance == []


def test_without_drafters_there_is_still_a_replay(load: Callable[..., Engine]) -> None:
    proof = prove(load(drafter="none"))
    assert proof.comparisons == [] and proof.replayed_same == proof.n_tokens > 0


class Believing(Coupled):
    """Accepts every draft."""

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        verdict = super().verify(context, Draft(), logits[-1:])
        return Verdict((*draft.tokens, *verdict.tokens), len(draft.tokens))


def test_a_verifier_that_believes_drafts_is_found_out(
    load: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.proof.answers.Coupled", Believing)
    results = found(prove(load()))
    assert results["garbage"][2] > 0 and results["all-reject"][2] > 0


def test_a_rollback_that_keeps_a_token_is_found_out(
    load: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load()
    honest = Context.drop
    monkeypatch.setattr(Context, "drop", lambda self, n: honest(self, n) if n == 0 else None)
    monkeypatch.setattr(TokenCache, "keep", lambda self, n: honest_keep(self, n))
    proof = prove_or_fail(engine)
    assert proof is None or any(different for _, _, different in found(proof).values())


def honest_keep(cache: TokenCache, n: int) -> None:
    """Forgets tokens without telling the decoder, unless all are to go."""
    if n == 0:
        cache.decoder.drop(0)
    del cache.tokens[n:]


def prove_or_fail(engine: Engine) -> Proof | None:
    """Prove; None if llama.cpp itself refuses the positions."""
    from engine.errors import DecodeError

    try:
        return prove(engine)
    except DecodeError:
        return None


@pytest.mark.parametrize(("margin", "reported"), [(0.0, False), (2.0, True)])
def test_rows_that_differ_by_width_are_measured_and_unreported_ones_fail(
    margin: float, reported: bool, load: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = load()
    honest = Context.decode

    def rounding(self: Context, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        rows = honest(self, tokens, start, n_rows)
        if len(tokens) > 1 and n_rows:
            rng = np.random.default_rng([start, len(tokens)])
            rows += rng.uniform(-0.5, 0.5, rows.shape).astype(np.float32)
        return rows

    monkeypatch.setattr(Context, "decode", rounding)
    monkeypatch.setattr(type(engine), "width_noise", property(lambda self: noise_for(margin)))
    proof = prove(engine)
    assert 0.4 < proof.width_noise <= 0.5
    parted = sum(near + different for _, near, different in found(proof).values())
    different = sum(different for _, _, different in found(proof).values())
    assert parted > 0
    assert (different == 0) == reported
    assert (proof.near_ties > 0) == reported


def test_all_lengths_and_temperatures_are_planned_and_each_temperature_comes_first() -> None:
    planned = cells(3)
    assert {cell.length for cell in planned} == {None, *range(1, 17)} == set(DRAFT_LENGTHS)
    for start in range(0, len(planned), len(TEMPERATURES)):
        together = planned[start : start + len(TEMPERATURES)]
        assert {cell.temperature for cell in together} == set(TEMPERATURES)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"top_k": 0, "typical_p": 0.8, "repeat_penalty": 1.3},
        {"top_p": 0.5, "frequency_penalty": 0.4, "repeat_last_n": -1, "logit_bias": {3: 2.0}},
        {"temperature": 0.0, "presence_penalty": 1.0, "repeat_last_n": 2},
    ],
    ids=str,
)
def test_two_references_agree(settings: dict[str, object]) -> None:
    rng = np.random.default_rng(8)
    chosen = SamplingSettings(**settings)  # type: ignore[arg-type]
    for _ in range(50):
        row = rng.normal(scale=3.0, size=40).astype(np.float32)
        history = rng.integers(0, 40, 6).tolist()
        assert processed(row, chosen, history) == pytest.approx(
            reference.processed(row, chosen, history), abs=1e-9
        )
