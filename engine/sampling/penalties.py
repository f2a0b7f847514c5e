"""Logit bias and penalties: what is done to a row before anything is cut off or drawn.

Penalties look back over the latest tokens (Keskar et al., arXiv 1909.05858, section 4.1, with
llama.cpp's rule for negative logits), so along a draft they advance with it. A row is changed where
it stands, and given back as it was: copying a vocabulary costs more than drawing from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.arrays import Ids, Row
from engine.settings import SamplingSettings

NEWEST = 64
"""Tokens at the end of a context that may be a draft's, and no more there at the next row."""

Changes = list[tuple[Ids, Row]]
"""Tokens and their logits before."""


class Adjusting:
    """What the settings do to rows. is_any: whether they do anything; stretch: by how much they may
    move two logits apart that were close.
    """

    def __init__(self, settings: SamplingSettings) -> None:
        self._settings = settings
        self._bias_ids = np.array(list(settings.logit_bias), dtype=np.int64)
        self._bias = np.array(list(settings.logit_bias.values()), dtype=np.float32)
        self._penalises = settings.repeat_last_n != 0 and (
            settings.repeat_penalty,
            settings.presence_penalty,
            settings.frequency_penalty,
        ) != (1.0, 0.0, 0.0)
        self.is_any = self._penalises or len(self._bias_ids) > 0
        repeat = settings.repeat_penalty if self._penalises else 1.0
        self.stretch = max(repeat, 1.0 / repeat)
        self._counted: list[int] = []  # the beginning of a whole context that is looked back to
        self._counts: Counter[int] = Counter()

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the tokens at the end of `context` that penalties look back to."""
        n = self._settings.repeat_last_n
        return list(context if n < 0 else context[-n:]) if self._penalises else []

    def apply(self, row: Row, history: Sequence[int]) -> Changes:
        """Bias and penalise the row; return what it takes to undo that. Ids below 0: pictures."""
        changes = []
        if len(self._bias_ids):
            known = self._bias_ids < len(row)
            changes.append((self._bias_ids[known], row[self._bias_ids[known]]))
            row[self._bias_ids[known]] += self._bias[known]
        if self._penalises and history:
            found = self._count(self.window(history))
            ids, counts = (np.fromiter(side, np.int64) for side in (found, found.values()))
            known = (ids >= 0) & (ids < len(row))
            ids, counts = ids[known], counts[known]
            changes.append((ids, row[ids]))
            row[ids] = self._penalised(row[ids], counts)
        return changes

    def _count(self, window: list[int]) -> Counter[int]:
        """Count the tokens. Those of a whole context are not all counted again for every row."""
        if self._settings.repeat_last_n >= 0:
            return Counter(window)
        if window[: len(self._counted)] != self._counted:
            self._counted, self._counts = [], Counter()
        if len(window) - len(self._counted) > 2 * NEWEST:
            settled = window[:-NEWEST]
            self._counts.update(settled[len(self._counted) :])
            self._counted = settled
        found = self._counts.copy()
        found.update(window[len(self._counted) :])
        return found

    def _penalised(self, logits: Row, counts: Ids) -> Row:
        settings = self._settings
        repeat = np.float32(settings.repeat_penalty)
        logits = np.where(logits > 0, logits / repeat, logits * repeat)
        logits -= counts.astype(np.float32) * np.float32(settings.frequency_penalty)
        return logits - np.float32(settings.presence_penalty)


def undo(row: Row, changes: Changes) -> None:
    """Give the row back as it was."""
    for ids, before in reversed(changes):
        row[ids] = before


def furthest(row: Row, changes: Changes, top: float, behind: float) -> float:
    """Return how far below `top`, the largest logit before the row was changed, those tokens were
    at most that are now within `behind` of the largest.
    """
    least = float(row.max()) - behind
    found = top - least
    for ids, before in changes:
        found = max(found, top - float(before[row[ids] >= least].min(initial=least)))
    return found
