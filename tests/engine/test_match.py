"""Which draft models speak the target's vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from engine.errors import DraftMismatch
from engine.match import common_vocabulary


@dataclass
class Words:
    """A vocabulary of numbered words."""

    n_vocab: int = 200
    vocab_type: int = 2
    bos: int = 1
    eos: int = 2
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
        (Words(eos=7), "eos is 7"),
        (Words(odd=0), "token 0 is b'odd'"),
        (Words(odd=199), "token 199 is b'odd'"),
    ],
)
def test_another_vocabulary_is_refused_with_the_first_difference(draft: Words, reason: str) -> None:
    with pytest.raises(DraftMismatch, match=reason):
        common_vocabulary(Words(), draft)
