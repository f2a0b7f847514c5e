"""From one row of logits to one token: penalties, top-k, top-p, min-p, temperature, keyed noise.

The order is llama.cpp's default, temperature last. Every draw at absolute position t adds Gumbel
noise g(seed, t, token) to the log-probabilities and takes the largest (Gumbel-max sampling): an
exact draw, and a function of the row, the settings, the seed and t alone. A drafter that draws with
the same noise from its own row therefore tends to draw the target's token (Daliri, Musco, Suresh,
arXiv 2408.07978). Temperature 0 is the case without noise; ties go to the lowest id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.errors import SettingError
from engine.messages import SamplingSettings

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Row = npt.NDArray[np.float32]

_U64 = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB


@dataclass(frozen=True, slots=True)
class Draw:
    """A drawn token.

    margin: how far, in logits, the runner-up was behind; inf if there was none.
    """

    token: int
    margin: float


class Sampler:
    """Draws tokens by fixed settings. Raises SettingError for one out of its range."""

    def __init__(self, settings: SamplingSettings) -> None:
        _check(settings)
        self.settings = settings

    def draw(self, row: Row, history: Sequence[int], position: int) -> Draw:
        """Draw the token at `position` from `row` [vocab]; history: all tokens before it."""
        row = self._penalised(row, history)
        if self.settings.temperature == 0:
            best = int(row.argmax())
            return Draw(best, _margin(row, best))
        ids, scores = self._noisy(row, position)
        best = _best(scores, ids)
        return Draw(int(ids[best]), _margin(scores, best) * self.settings.temperature)

    def pick(self, row: Row, history: Sequence[int], position: int) -> int:
        """Draw the same token without its margin, which drafting has no use for."""
        row = self._penalised(row, history)
        if self.settings.temperature == 0:
            return int(row.argmax())
        ids, scores = self._noisy(row, position)
        return int(ids[_best(scores, ids)])

    def confidence(self, row: Row, token: int) -> float:
        """Return the softmax probability of `token` in `row`, before any truncation."""
        return float(1.0 / np.exp(row - row[token]).sum())

    def _penalised(self, row: Row, history: Sequence[int]) -> Row:
        """Scale down the scores of recent tokens (Keskar et al., arXiv 1909.05858, section 4.1)."""
        penalty, window = self.settings.repeat_penalty, self.settings.repeat_last_n
        if penalty == 1.0 or window == 0 or not history:
            return row
        recent = history[-window:]
        ids = np.unique(np.asarray(recent, dtype=np.int64))
        ids = ids[ids < len(row)]
        row = row.copy()
        scores = row[ids]
        row[ids] = np.where(scores > 0, scores / penalty, scores * penalty)
        return row

    def _noisy(self, row: Row, position: int) -> tuple[Ids, Floats]:
        """Return the candidates and their noisy log-probabilities, up to a constant: [n], [n]."""
        ids = self._support(row)
        noise = gumbel(self.settings.seed, position, ids)
        return ids, row[ids].astype(np.float64) / self.settings.temperature + noise

    def _support(self, row: Row) -> Ids:
        """Return the ids that top-k, top-p and min-p leave."""
        settings = self.settings
        ids: Ids = np.arange(len(row))
        if 0 < settings.top_k < len(row):
            ids = np.argpartition(row, len(row) - settings.top_k)[len(row) - settings.top_k :]
        if settings.top_p >= 1.0 and settings.min_p <= 0.0:
            return ids
        scores = row[ids].astype(np.float64)
        probs = np.exp(scores - scores.max())
        probs /= probs.sum()
        order = np.lexsort((ids, -probs))
        ids, probs = ids[order], probs[order]
        if settings.top_p < 1.0:
            n = int(np.searchsorted(np.cumsum(probs), settings.top_p)) + 1
            ids, probs = ids[:n], probs[:n]
        kept: Ids = ids[probs >= settings.min_p * probs[0]]
        return kept


def gumbel(seed: int, position: int, ids: Ids) -> Floats:
    """Return the noise g(seed, position, id) for each id: [len(ids)], standard Gumbel.

    A counter-based hash (the finaliser of SplitMix64, Steele et al. 2014, twice over a mixed key),
    so any subset of ids gets the same values, in any order, on any platform.
    """
    key = _mix(_mix(seed & _U64) ^ (position * _GOLDEN & _U64))
    x = ids.astype(np.uint64) * np.uint64(_GOLDEN) + np.uint64(key)
    for _ in range(2):
        x ^= x >> np.uint64(30)
        x *= np.uint64(_MIX_1)
        x ^= x >> np.uint64(27)
        x *= np.uint64(_MIX_2)
        x ^= x >> np.uint64(31)
    uniform = ((x >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return -np.log(-np.log(uniform))


def _mix(x: int) -> int:
    """SplitMix64's finaliser on one number."""
    x = (x + _GOLDEN) & _U64
    x = ((x ^ (x >> 30)) * _MIX_1) & _U64
    x = ((x ^ (x >> 27)) * _MIX_2) & _U64
    return x ^ (x >> 31)


def _margin(scores: Row | Floats, best: int) -> float:
    """How far the runner-up is behind `best`; the scores are lent and given back unchanged."""
    if len(scores) == 1:
        return np.inf
    top = scores[best]
    scores[best] = -np.inf
    margin = float(top - scores.max())
    scores[best] = top
    return margin


def _best(scores: Floats, ids: Ids) -> int:
    """Return the index of the largest score, the one with the lowest id among equals."""
    equal = np.flatnonzero(scores == scores.max())
    return int(equal[0] if len(equal) == 1 else equal[ids[equal].argmin()])


def _check(settings: SamplingSettings) -> None:
    ranges = {
        "temperature": (settings.temperature >= 0, "0 or more"),
        "top_k": (settings.top_k >= 0, "0 (all) or more"),
        "top_p": (0 < settings.top_p <= 1, "above 0 and at most 1"),
        "min_p": (0 <= settings.min_p <= 1, "from 0 to 1"),
        "repeat_penalty": (settings.repeat_penalty > 0, "above 0 (1 is none)"),
        "repeat_last_n": (settings.repeat_last_n >= 0, "0 (off) or more"),
        "seed": (0 <= settings.seed <= _U64, "from 0 to 2^64 - 1"),
    }
    for name, (holds, wanted) in ranges.items():
        if not holds:
            found = getattr(settings, name)
            raise SettingError(f"{name} must be {wanted}, found {found}.")
