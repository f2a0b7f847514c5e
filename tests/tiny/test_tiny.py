"""What the tiny models promise to the tests that use them, on llama.cpp itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import llama_cpp
import numpy as np
import pytest
from gguf import GGMLQuantizationType

from engine.arrays import Logits
from engine.llama import log
from engine.llama.context import Context
from engine.llama.model import Model
from tests import tiny
from tests.tiny.dense import WINDOW

KV, WINDOWED, STATE, BOTH = "KV cache", "windowed KV cache", "state", "KV cache and state"
MEMORY = {
    "llama": KV,
    "qwen2": KV,
    "qwen2vl": KV,
    "qwen3": KV,
    "gemma3": WINDOWED,
    "mamba": STATE,
    "mamba2": STATE,
    "rwkv7": STATE,
    "granitehybrid": BOTH,
    "lfm2": BOTH,
    "qwen35": BOTH,
}
CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEXTS = ("the other day", "  two  spaces\n\n\ttab", "naïve Ω 漢字 🙂", "1234567 'll!")
N_NAMED = 266
LONG = 120
TOKENS = np.random.default_rng(0).integers(0, N_NAMED, LONG).tolist()
WIDTH_NOISE = 0.05
"""What kernels for one row and for many may differ by: 0.009 was seen, on a CPU with AVX-512 and
without AMX. A wrong token changes some score by 0.4 and more, dozens of positions later.
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """A model that llama.cpp runs; scores: [n_tokens, vocab] from an empty memory."""

    arch: str
    model: Model
    context: Context

    def scores(self, tokens: list[int]) -> Logits:
        self.context.drop(0)
        return self.context.decode(tokens, 0, len(tokens)).copy()


@contextmanager
def opened(arch: str, path: Path) -> Iterator[Opened]:
    """Load a file with a memory of 256 positions, and free all in the end."""
    log.capture()
    model = Model(str(path), gpu_layers=0)
    context = Context(model, 256, threads=1)
    try:
        yield Opened(arch, model, context)
    finally:
        context.free()
        model.free()


@pytest.fixture(scope="module", params=tiny.ARCHITECTURES)
def plain(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    """Every architecture in turn, with default arguments."""
    path = tmp_path_factory.mktemp("tiny") / f"{request.param}.gguf"
    with opened(request.param, tiny.write(request.param, path)) as model:
        yield model


def scores_of(arch: str, path: Path, **options: object) -> Logits:
    """Scores of TOKENS by a model written with `options`."""
    with opened(arch, tiny.write(arch, path, **options)) as model:  # type: ignore[arg-type]
        return model.scores(TOKENS)


def change(before: Logits, after: Logits) -> float:
    return float(np.linalg.norm(after - before) / np.linalg.norm(before))


def test_scores_are_finite_and_spread_like_a_trained_models(plain: Opened) -> None:
    scores = plain.scores(TOKENS)
    assert np.isfinite(scores).all()
    assert scores.std(axis=1).min() > 2.0 and scores.std(axis=1).max() < 4.0
    assert len(set(scores.argmax(axis=1).tolist())) > LONG // 4


@pytest.mark.parametrize("later", [1, 20, 60])
def test_an_early_token_changes_the_scores_dozens_of_positions_later(
    plain: Opened, later: int
) -> None:
    before = plain.scores(TOKENS)
    changes = []
    for early in range(0, LONG - 60, 10):
        other = [*TOKENS[:early], (TOKENS[early] + 7) % N_NAMED, *TOKENS[early + 1 :]]
        after = plain.scores(other)
        np.testing.assert_allclose(after[:early], before[:early], atol=1e-3)
        changes.append(change(before[early + later], after[early + later]))
    assert min(changes) > 0.01 and np.mean(changes) > 0.1


def test_scores_of_a_text_are_always_the_same(plain: Opened) -> None:
    assert np.array_equal(plain.scores(TOKENS), plain.scores(TOKENS))


@pytest.mark.parametrize("width", [1, 4, 60])
def test_scores_do_not_depend_on_how_tokens_are_batched(plain: Opened, width: int) -> None:
    whole = plain.scores(TOKENS)
    plain.context.drop(0)
    for start in range(0, LONG, width):
        part = plain.context.decode(TOKENS[start : start + width], start, width)
        np.testing.assert_allclose(part, whole[start : start + width], atol=WIDTH_NOISE)


def test_memory_is_of_the_architectures_kind(plain: Opened) -> None:
    handle, kind = plain.model.handle, MEMORY[plain.arch]
    assert llama_cpp.llama_model_is_recurrent(handle) == (kind == STATE)
    assert llama_cpp.llama_model_is_hybrid(handle) == (kind == BOTH)
    assert llama_cpp.llama_model_n_swa(handle) == (WINDOW if kind == WINDOWED else 0)


@pytest.mark.parametrize("text", TEXTS)
def test_text_survives_the_tokenizer(plain: Opened, text: str) -> None:
    tokens = plain.model.tokenize(text, special=False)
    assert b"".join(plain.model.piece(token) for token in tokens) == text.encode()
    assert all(token < N_NAMED for token in tokens)


def test_merges_shorten_text(plain: Opened) -> None:
    assert len(plain.model.tokenize("the other", special=False)) < len("the other")


def test_control_tokens_are_single_silent_and_improbable(plain: Opened) -> None:
    model = plain.model
    controls = [model.tokenize(text, special=True) for text in CONTROLS]
    assert controls == [[N_NAMED], [N_NAMED + 1], [N_NAMED + 2]]
    assert [model.is_end(token) for [token] in controls] == [True, False, True]
    assert [model.piece(token) for [token] in controls] == [b"", b"", b""]
    assert model.eos == N_NAMED + 2 and not model.adds_bos
    assert model.chat_template and all(text in model.chat_template for text in CONTROLS[1:])
    odds = np.exp(plain.scores(TOKENS))
    assert (odds[:, N_NAMED:].sum(axis=1) / odds.sum(axis=1)).mean() < 1e-3


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_equal_arguments_give_equal_bytes_and_another_seed_others(
    arch: str, tmp_path: Path
) -> None:
    first, again, other = (
        tiny.write(arch, tmp_path / f"{name}.gguf", seed=seed).read_bytes()
        for name, seed in (("first", 5), ("again", 5), ("other", 6))
    )
    assert first == again != other
    assert len(first) < 2_000_000


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_noise_makes_a_draft_that_agrees_often_but_not_always(arch: str, tmp_path: Path) -> None:
    target = scores_of(arch, tmp_path / "target.gguf").argmax(axis=1)
    draft = scores_of(arch, tmp_path / "draft.gguf", noise=0.02).argmax(axis=1)
    assert 0.5 < (target == draft).mean() < 1.0


def test_without_noise_its_seed_changes_nothing(tmp_path: Path) -> None:
    first = tiny.write("llama", tmp_path / "1.gguf", noise_seed=1).read_bytes()
    assert tiny.write("llama", tmp_path / "2.gguf", noise_seed=2).read_bytes() == first


@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_fillers_leave_the_scores_of_the_other_tokens_as_they_are(
    arch: str, tmp_path: Path
) -> None:
    without = scores_of(arch, tmp_path / "without.gguf", noise=0.1)
    extended = scores_of(arch, tmp_path / "with.gguf", noise=0.1, n_vocab_extra=50)
    assert extended.shape[1] == without.shape[1] + 50
    np.testing.assert_allclose(extended[:, : without.shape[1]], without, atol=1e-4)


@pytest.mark.parametrize("weight_type", [GGMLQuantizationType.F16, GGMLQuantizationType.Q8_0])
@pytest.mark.parametrize("arch", tiny.ARCHITECTURES)
def test_narrower_weights_score_much_the_same(
    arch: str, weight_type: GGMLQuantizationType, tmp_path: Path
) -> None:
    full = scores_of(arch, tmp_path / "full.gguf")
    narrow = scores_of(arch, tmp_path / "narrow.gguf", weight_type=weight_type)
    assert 0.0 < change(full, narrow) < 0.5
