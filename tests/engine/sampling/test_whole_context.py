"""Penalties that look back over the whole context: the same counts, without counting all of it for
every row.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest

from engine.sampling import penalties
from engine.sampling.penalties import NEWEST, Adjusting, undo
from engine.settings import SamplingSettings

VOCAB = 50
SETTINGS = SamplingSettings(frequency_penalty=0.25, repeat_last_n=-1)


def counts(adjusting: Adjusting, history: list[int]) -> list[float]:
    """How often each token was counted."""
    row = np.zeros(VOCAB, dtype=np.float32)
    changes = adjusting.apply(row, history)
    found = (row / -0.25).tolist()
    undo(row, changes)
    assert not row.any()
    return found


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_added_dropped_or_begun_anew_is_counted(seed: int) -> None:
    rng = random.Random(seed)
    adjusting, history = Adjusting(SETTINGS), [1, 2, 3]
    for _ in range(300):
        history = history[: len(history) - rng.choice((0, 0, 1, 5, 31))] or [4]
        history += [rng.randrange(VOCAB) for _ in range(rng.choice((1, 1, 8, 32, 400)))]
        if rng.random() < 0.02:
            history = [rng.randrange(-2, VOCAB) for _ in range(rng.randrange(1, 3 * NEWEST))]
        found = Counter(token for token in history if token >= 0)
        assert counts(adjusting, history) == [found[token] for token in range(VOCAB)]


def test_a_long_context_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    class Counting(Counter[int]):
        """Knows how many tokens were counted in all."""

        def update(self, tokens: Iterable[int] | None = None, /) -> None:  # type: ignore[override]
            nonlocal seen
            if isinstance(tokens, list):
                seen += len(tokens)
            super().update(tokens)

    monkeypatch.setattr(penalties, "Counter", Counting)
    adjusting, history = Adjusting(SETTINGS), [n % VOCAB for n in range(10_000)]
    for n in range(200):
        history.append(n % VOCAB)
        counts(adjusting, history)
    assert len(history) <= seen < len(history) + 200 * 3 * NEWEST
