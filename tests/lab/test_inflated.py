"""The lab pair computes what the embedded pair computes; only its cost is another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGUFWriter, LlamaFileType

from engine import SamplingSettings
from engine.arrays import Logits
from engine.llama.context import Context
from engine.llama.model import Model
from tests.lab.inflate import Source, inflate, quantise
from tests.lab.pairs import LabPair, lab_pair, real_pair
from tests.lab.scales import SCALES, widened
from tests.pair import DRAFT, TARGET, chat, pair

QUESTIONS = (
    "What is in the module os?",
    "List the functions of json",
    "What does json.dumps do?",
)
TEXT = (
    "<|im_start|>user\nWhat does json.dumps do?<|im_end|>\n<|im_start|>assistant\n"
    "``json.dumps`` serializes a Python object to a JSON formatted string."
)
GREEDY = SamplingSettings(temperature=0.0, seed=7)
N_REAL = 4096  # tokens of the embedded pair


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> LabPair:
    return lab_pair(tmp_path_factory.mktemp("lab"), "small")


def scores(path: Path, text: str = TEXT) -> Logits:
    """Return the scores after every token of a text: [tokens, vocab]."""
    model = Model(str(path))
    context = Context(model, 256, threads=1)
    try:
        tokens = model.tokenize(text, special=True)
        return context.decode(tokens, 0, len(tokens)).copy()
    finally:
        context.free()
        model.free()


def in_float32(path: Path, folder: Path) -> Logits:
    """Return the scores with the same weights unpacked, so that no activation is rounded to 8 bits:
    one that is rounded the other way moves scores by 0.1.
    """
    unpacked = folder / "unpacked.gguf"
    quantise(path, unpacked, LlamaFileType.ALL_F32)
    return scores(unpacked)


def answers(target: Path, draft: Path, drafter: str) -> list[str]:
    settings = pair(drafter, target=str(target), draft=str(draft), threads=1)
    return [answer.text for answer in chat(settings, QUESTIONS, GREEDY, predict=40)[1]]


@pytest.fixture(scope="module")
def embedded_answers() -> list[str]:
    return answers(TARGET, DRAFT, "none")


@pytest.mark.parametrize("part", ["target", "draft"])
def test_scores_of_real_tokens_are_the_embedded_models(
    part: str, lab: LabPair, tmp_path: Path
) -> None:
    small, inflated = {"target": (TARGET, lab.target_q8_0), "draft": (DRAFT, lab.draft)}[part]
    expected, found = in_float32(small, tmp_path), in_float32(inflated, tmp_path)
    assert np.abs(found[:, :N_REAL] - expected).max() < 1e-2


@pytest.mark.parametrize(
    "part", ["target_q8_0", "target_q4_k_m", "draft", "draft_random", "draft_blurred"]
)
def test_padded_tokens_score_far_below_every_real_one(part: str, lab: LabPair) -> None:
    found = scores(getattr(lab, part))
    assert found.shape[1] == SCALES["small"].vocab
    assert np.isfinite(found).all()
    assert found[:, N_REAL:].max() < found[:, :N_REAL].min() - 500


def test_four_bits_seldom_change_the_best_token(lab: LabPair) -> None:
    expected, found = scores(TARGET), scores(lab.target_q4_k_m)
    assert np.mean(found.argmax(axis=1) == expected.argmax(axis=1)) > 0.8


def test_a_random_draft_agrees_with_nothing(lab: LabPair) -> None:
    expected, found = scores(TARGET), scores(lab.draft_random)
    assert np.mean(found.argmax(axis=1) == expected.argmax(axis=1)) < 0.1


def test_a_blurred_draft_is_right_most_often_and_not_always(
    lab: LabPair, embedded_answers: list[str]
) -> None:
    right = []
    for question, answer in zip(QUESTIONS, embedded_answers, strict=True):
        asked = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
        said, guessed = (scores(path, asked + answer) for path in (TARGET, lab.draft_blurred))
        n_asked = len(scores(TARGET, asked))
        right += list(said.argmax(axis=1)[n_asked:] == guessed.argmax(axis=1)[n_asked:])
    assert 0.5 < np.mean(right) < 0.9


@pytest.mark.parametrize("drafter", ["none", "draft_model"])
def test_the_inflated_pair_gives_the_embedded_pairs_answers(
    drafter: str, lab: LabPair, embedded_answers: list[str]
) -> None:
    assert answers(lab.target_q8_0, lab.draft, drafter) == embedded_answers


def test_a_pair_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []

    def quantised(_source: Path, path: Path, _kind: LlamaFileType) -> None:
        made.append(path)
        path.write_text("made")

    monkeypatch.setattr("tests.lab.pairs.inflate", lambda *_: None)
    monkeypatch.setattr("tests.lab.pairs.quantise", quantised)
    first, second = lab_pair(tmp_path, "small"), lab_pair(tmp_path, "small")
    assert first == second
    assert first.target_q4_k_m.read_text() == "made"
    assert len(made) == 1
    assert [path.name for path in tmp_path.iterdir()] == [first.draft.parent.name]


# A pair of a real model; here the embedded target is one


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> LabPair:
    return real_pair(TARGET, tmp_path_factory.mktemp("real"))


def test_a_real_models_target_is_larger_and_says_the_same(real: LabPair, tmp_path: Path) -> None:
    source, target = Source.read(TARGET), Source.read(real.target_q8_0)
    assert target.size == widened(source.size)
    assert target.size.width > 2 * source.size.width and target.head_dim == source.head_dim
    expected, found = in_float32(TARGET, tmp_path), in_float32(real.target_q8_0, tmp_path)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() < 1e-2


def test_a_real_models_draft_is_itself_at_four_bits(real: LabPair) -> None:
    expected = scores(TARGET).argmax(axis=1)
    agreed = [
        float(np.mean(scores(draft).argmax(axis=1) == expected))
        for draft in (real.draft, real.draft_blurred, real.draft_random)
    ]
    assert agreed[0] > 0.8 and agreed[2] < 0.1
    assert agreed[0] >= agreed[1] > agreed[2]
    assert real.draft.stat().st_size < TARGET.stat().st_size
    kept = {path.name for path in real.draft.parent.iterdir()}
    assert len(kept) == 5, "what it was made of is gone"


def test_only_a_llama_can_be_inflated(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    writer = GGUFWriter(other, "gemma3")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(AssertionError, match="gemma3"):
        Source.read(other)


def test_what_a_source_leaves_to_its_width_is_said(tmp_path: Path) -> None:
    model = Source.read(DRAFT)
    del model.reader.fields["llama.attention.key_length"]
    inflate(tmp_path / "wider.gguf", "wider", model, widened(model.size))
    assert Source.read(tmp_path / "wider.gguf").head_dim == model.head_dim
