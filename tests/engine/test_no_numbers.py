"""A target that computes no numbers behind some token of a draft: the text is plain decoding's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.arrays import Logits
from engine.cache.rollback import Drop, Kind, Replay
from engine.errors import DecodeError
from engine.policy.fixed_length import FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.types import Drafter
from engine.verifiers.coupled import Coupled
from engine.verifiers.rejection import Rejection
from tests.engine.fakes import VOCAB, CallableDrafter, ScriptedReader, TableDecoder, sampler
from tests.engine.running import PROMPT, one_by_one, run

POISON = VOCAB
"""A token that is never said."""
SAID = one_by_one(sampler(0.0))


class Overflowing(TableDecoder):
    """Computes no numbers behind POISON, nor from some position on; one such cell spoils all that
    is computed later, though it be masked out.
    """

    def __init__(self, most: int = 512) -> None:
        super().__init__()
        self.most, self.is_spoilt, self.n_spoilt = most, False, 0

    def decode(self, tokens: Sequence[int], start: int, n_rows: int) -> Logits:
        rows = super().decode(tokens, start, n_rows).copy()
        for i in range(len(tokens)):
            if self.is_spoilt or tokens[i] == POISON or start + i >= self.most:
                self.n_spoilt += not self.is_spoilt
                self.is_spoilt = True
                rows[max(0, i - len(tokens) + n_rows) :] = np.nan
        return rows

    def clear(self) -> None:
        super().clear()
        self.is_spoilt = False


def right_then_poison(context: Sequence[int], limit: int) -> list[int]:
    """Draft what greedy decoding says, but now and then a token that it does not."""
    n = len(context) - len(PROMPT)
    draft = SAID[n : n + limit]
    if n % 4 == 1:
        draft[n % 3 :] = [POISON] * (len(draft) - n % 3)
    return draft


def always_poison(context: Sequence[int], limit: int) -> list[int]:
    return [POISON] * limit


@pytest.mark.parametrize("draft", [right_then_poison, always_poison])
@pytest.mark.parametrize("rollback", [Drop, Replay])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_wrong_draft_that_computes_no_numbers_changes_no_text(
    draft: object, rollback: Kind, temperature: float
) -> None:
    drawn, target = sampler(temperature), Overflowing()
    drafter = CallableDrafter(draft)  # type: ignore[arg-type]
    reader, steps = run(drafter, drawn, target=target, session=Session(target, rollback))
    assert reader.tokens == one_by_one(drawn)
    assert steps and target.n_spoilt > 0


def until_it_fails(drafter: Drafter, most: int) -> tuple[list[int], str]:
    """Return what is said before the target fails, and how it fails."""
    target, drawn, reader = Overflowing(most), sampler(0.0), ScriptedReader(80)
    session, verifier = Session(target), Coupled(drawn)
    session.begin(PROMPT)
    drafter.begin(session.tokens, verifier)
    with pytest.raises(DecodeError, match="NaN") as failed:
        list(speculate(session, drafter, verifier, FixedLength(5), reader))
    return reader.tokens, str(failed.value)


@pytest.mark.parametrize("most", range(12, 24))
def test_an_answer_that_comes_to_no_numbers_ends_where_it_would_have_anyhow(most: int) -> None:
    plain = until_it_fails(CallableDrafter(lambda context, limit: []), most)
    assert len(plain[0]) > 1
    assert until_it_fails(CallableDrafter(right_then_poison), most) == plain


def test_rejection_sampling_goes_on_behind_such_a_draft_too() -> None:
    drawn, target = sampler(0.8), Overflowing()
    drafter, verifier = CallableDrafter(always_poison), Rejection(drawn)
    reader, steps = run(drafter, drawn, target=target, verifier=verifier)
    assert len(reader.tokens) > 10 and POISON not in reader.tokens
    assert not any(step.draft.tokens for step in steps)
