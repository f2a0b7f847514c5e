"""Whether a draft model speaks the target's vocabulary.

Ids must mean the same: same kind of vocabulary, sizes at most 128 apart (some families pad), and
every id below both sizes spelt alike. Prompts must begin alike: with a BOS in both, the same, or in
neither. EOS is not compared: no prompt has one, and the target alone says where an answer ends.
"""

from __future__ import annotations

from typing import Protocol

from engine.errors import DraftMismatch

MAX_SIZE_DIFFERENCE = 128


class Spelling(Protocol):
    """What is compared of a vocabulary."""

    n_vocab: int

    @property
    def vocab_type(self) -> int:
        """The kind of vocabulary."""

    @property
    def bos(self) -> int:
        """The token that begins a text, -1 if there is none."""

    @property
    def adds_bos(self) -> bool:
        """Whether prompts begin with `bos`."""

    def token_text(self, token: int) -> bytes:
        """The vocabulary's spelling of a token."""


def common_vocabulary(target: Spelling, draft: Spelling) -> int:
    """Return how many ids the two share. Raises DraftMismatch with the first difference found."""
    names = ("vocab_type", "adds_bos", *(("bos",) if target.adds_bos else ()))
    for name in names:
        wanted, found = getattr(target, name), getattr(draft, name)
        if wanted != found:
            raise DraftMismatch(f"its {name} is {found}, the target's {wanted}")
    if abs(target.n_vocab - draft.n_vocab) > MAX_SIZE_DIFFERENCE:
        raise DraftMismatch(f"it has {draft.n_vocab} tokens, the target {target.n_vocab}")
    n_common = min(target.n_vocab, draft.n_vocab)
    for token in range(n_common):
        wanted, found = target.token_text(token), draft.token_text(token)
        if wanted != found:
            raise DraftMismatch(f"its token {token} is {found!r}, the target's {wanted!r}")
    return n_common
