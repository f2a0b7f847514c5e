"""Which draft models speak the target's vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.errors import DraftMismatch
from engine.llama import log
from engine.llama.model import Model
from engine.loading.match import common_vocabulary
from tests import tiny


@dataclass
class Words:
    """A vocabulary of numbered words."""

    n_vocab: int = 200
    vocab_type: int = 2
    bos: int = 1
    adds_bos: bool = True
    odd: int = -1

    def token_text(self, token: int) -> bytes:
        return b"odd" if token == self.odd else f"word{token}".encode()


@pytest.mark.parametrize("n_vocab", [200, 199, 328, 72])
def test_padding_up_to_128_tokens_is_no_difference(n_vocab: int) -> None:
    assert common_vocabulary(Words(), Words(n_vocab)) == min(200, n_vocab)


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (Words(329), "329 tokens, the target 200"),
        (Words(vocab_type=1), "vocab_type is 1"),
        (Words(bos=5), "bos is 5"),
        (Words(adds_bos=False), "adds_bos is False"),
        (Words(odd=0), "token 0 is b'odd'"),
        (Words(odd=199), "token 199 is b'odd'"),
    ],
)
def test_another_vocabulary_is_refused_with_the_first_difference(draft: Words, reason: str) -> None:
    with pytest.raises(DraftMismatch, match=reason):
        common_vocabulary(Words(), draft)


def test_a_bos_that_no_prompt_begins_with_is_no_difference() -> None:
    assert common_vocabulary(Words(adds_bos=False), Words(bos=5, adds_bos=False)) == 200


def test_a_draft_that_ends_its_texts_otherwise_is_used(tmp_path: Path) -> None:
    target = tiny.write("llama", tmp_path / "target.gguf")
    draft = tmp_path / "draft.gguf"
    key = b"tokenizer.ggml.eos_token_id"
    before, after = target.read_bytes().split(key)
    kind, eos, rest = after[:4], int.from_bytes(after[4:8], "little"), after[8:]
    draft.write_bytes(before + key + kind + (eos - 1).to_bytes(4, "little") + rest)
    log.capture()
    models = [Model(str(path)) for path in (target, draft)]
    assert models[0].eos != models[1].eos
    assert common_vocabulary(models[0], models[1]) == models[0].n_vocab
    for model in models:
        model.free()
