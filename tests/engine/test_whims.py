"""Lookup and draft model together under a policy of whims: whatever it asks of them in turn, the
text is the target's, caches hold what they say, and every draft is the model's own for its place.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from engine.cache.rollback import Drop, Kind, Replay
from engine.cache.tokens import TokenCache
from engine.drafters.auto import Cascade
from engine.drafters.draft_model import DraftModel
from engine.drafters.lookup import Lookup
from engine.policy.fixed_length import FixedAllowance, FixedLength
from engine.session import Session
from engine.speculate import speculate
from engine.types import Allowance, Draft
from engine.verifiers.coupled import Coupled
from tests.engine.fakes import VOCAB, ScriptedReader, TableDecoder, sampler
from tests.engine.running import one_by_one

N = 150


class Whim(FixedAllowance):
    """Takes as much from whom, and keeps as much of it, as it pleases."""

    def __init__(self, limit: int, rng: random.Random) -> None:
        super().__init__(rng.randint(0, limit))
        self.hindsight = rng.choice((0, 3, 16))
        self._rng = rng

    def value(self, drafter: str, confidences: Sequence[float]) -> tuple[int, float]:
        most, _ = super().value(drafter, confidences)
        n = self._rng.randint(0, most)
        return n, self._rng.random() if n else 0.0

    def outlook(self, drafter: str, lag: int) -> float:
        return self._rng.choice((0.0, self._rng.random()))

    def keep(self, proposed: Draft) -> int:
        return self._rng.randint(0, len(proposed.tokens))


class Whims(FixedLength):
    """Another whim at each step."""

    def __init__(self, seed: int) -> None:
        super().__init__(12)
        self._rng = random.Random(seed)

    def allow(self, room: int, depth: int) -> FixedAllowance:
        return Whim(super().allow(room, depth).limit, self._rng)


class Checked(Cascade):
    """Looks over every draft: the model's tokens are those of one that begins anew each time."""

    def __init__(self, decoder: TableDecoder, rollback: Kind, verifier: Coupled) -> None:
        self.cache = TokenCache(decoder, rollback)
        super().__init__([Lookup(), DraftModel(self.cache, VOCAB)])
        self._decoder, self._verifier = decoder, verifier
        self.checked = 0

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        draft = super().propose(context, allowance)
        assert self.cache.tokens == self._decoder.held
        for i, origin in enumerate(draft.origins):
            if origin == "draft_model":
                before = [*context, *draft.tokens[:i]]
                row = self._decoder.row(before).astype("float32")
                history = [*self._verifier.window(context), *draft.tokens[:i]]
                assert self._verifier.pick(row, history, len(before)).token == draft.tokens[i]
                self.checked += 1
        return draft


@pytest.mark.parametrize("rollback", [Drop, Replay])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_whatever_is_asked_in_turn_the_text_is_the_targets(
    penalty: float, temperature: float, rollback: Kind
) -> None:
    own = sampler(temperature, repeat_penalty=penalty, repeat_last_n=4)
    checked, origins = 0, set()
    for seed in range(12):
        asked = [random.Random(seed).randrange(1, VOCAB) for _ in range(6)]
        prompt = [*asked, *one_by_one(own, N, asked)[:-1], *asked]  # something to be looked up
        decoder = TableDecoder(key=1, closeness=0.8, can_drop=rollback is Drop)
        verifier = Coupled(own)
        drafter = Checked(decoder, rollback, verifier)
        session, reader = Session(TableDecoder()), ScriptedReader(N)
        session.begin(prompt)
        assert session.prefill(lambda: False)
        drafter.begin(session.tokens, verifier)
        for step in speculate(session, drafter, verifier, Whims(seed), reader):
            origins |= set(step.proposed.origins)
        assert reader.tokens == one_by_one(own, N, prompt)
        checked += drafter.checked
    assert checked > 200 and origins == {"lookup", "draft_model"}
