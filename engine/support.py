"""Which tokens may be drawn: top-k, typical-p, top-p, min-p over one row of logits, in this order,
which is llama.cpp's default.

Sparse: no row is sorted, and of a long one only the likeliest are looked at one by one. Every cut
keeps a prefix of an order, by probability or, for typical-p, by typicality (Meister et al., arXiv
2202.00666); among equals the lowest id comes first.

A cut can be loosened by some logits, or tightened by a negative number: what a tightened support
holds stays, however the kernels round, and what a loosened one lacks stays out. Only behind
typical-p that is not certain: a likelier token that comes in raises the bar of the later cuts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.settings import SamplingSettings

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Row = npt.NDArray[np.float32]

COLUMNS = 2048
RULED_OUT = np.float32(-1e6)
"""A logit so far behind, such as -inf, weighs nothing, and can still be multiplied with."""
SAFE = 60.0
"""Logits of this size can be exponentiated in float32 as they are."""
FIRST_GUESS, GROWTH = 128, 8


@dataclass(frozen=True, slots=True)
class Support:
    """The tokens that may be drawn, the likeliest first. ids, logits: [n], before temperature."""

    ids: Ids
    logits: Floats


def truncates(settings: SamplingSettings, n_vocab: int) -> bool:
    """Whether these settings cut anything off a row of n_vocab logits."""
    return (
        0 < settings.top_k < n_vocab
        or settings.typical_p < 1.0
        or settings.top_p < 1.0
        or settings.min_p > 0.0
    )


class Candidates:
    """The likeliest tokens of a row, best first: all that cuts may leave that are loosened by no
    more than `loosened`. Without typical-p every cut leaves the first n of them.

    ids, logits: [n].
    """

    __slots__ = ("_keys", "_settings", "_top_k", "_weights", "_whole", "ids", "logits")

    def __init__(self, row: Row, settings: SamplingSettings, loosened: float) -> None:
        """settings: with typical-p 1."""
        self._settings = settings
        self._top_k = settings.top_k if 0 < settings.top_k < len(row) else 0
        self._whole = mass(row) if settings.top_p < 1.0 and not self._top_k else None
        found = self._likely(row, max(loosened, 0.0))
        self.ids, self.logits, self._keys = found.ids, found.logits, -found.logits
        self._weights = np.exp(found.logits - found.logits[:1])

    def _likely(self, row: Row, loosened: float) -> Support:
        settings = self._settings
        if self._top_k:
            return _best_first(row, _at_least(row, self._top_k + 1, loosened))
        if settings.min_p > 0.0:
            least = float(row.max()) + np.log(settings.min_p) - loosened
            return _best_first(row, _reaching(row, least))
        if self._whole is not None:
            return _nucleus(row, self._whole * _shifted(settings.top_p, loosened))
        return _best_first(row, np.arange(len(row)))

    def n(self, loosened: float = 0.0) -> int:
        """Return how many of them the cuts leave when they are loosened so far."""
        settings, logits, keys = self._settings, self.logits, self._keys
        n = len(logits)
        if self._top_k:
            n = self._n_top_k(loosened)
        return _later_cuts(logits[:n], keys[:n], self._weights[:n], self._whole, settings, loosened)

    def _n_top_k(self, loosened: float) -> int:
        """The k best; when loosened also those close behind the last, when tightened only those
        that are well ahead of the first one left out.
        """
        if loosened == 0.0:
            return self._top_k
        last, left_out = self.logits[self._top_k - 1 : self._top_k + 1]
        rim = last if loosened > 0.0 else np.nextafter(left_out, np.inf)
        return int(np.searchsorted(self._keys, loosened - rim, side="right"))


def support(row: Row, settings: SamplingSettings, loosened: float = 0.0) -> Support:
    """Return what the settings leave of `row` [vocab].

    loosened: by how many logits a token may miss a cut and stay; see the module's docstring.
    """
    if settings.typical_p < 1.0:
        return _with_typical_p(row, settings, loosened)
    found = Candidates(row, settings, loosened)
    n = found.n(loosened)
    return Support(found.ids[:n], found.logits[:n])


def _with_typical_p(row: Row, settings: SamplingSettings, loosened: float) -> Support:
    """Apply top-k, typical-p, and the rest to what those leave; that need not be the likeliest."""
    ids: Ids = np.arange(len(row))
    logits: Row | Floats = row
    if 0 < settings.top_k < len(row):
        first = support(row, SamplingSettings(top_k=settings.top_k, top_p=1.0, min_p=0.0), loosened)
        ids, logits = first.ids, first.logits
    if not len(ids):
        return Support(ids, logits.astype(np.float64))
    left = _typical(ids, logits, settings.typical_p, loosened)
    weights = np.exp(left.logits - left.logits[:1])
    n = _later_cuts(left.logits, -left.logits, weights, None, settings, loosened)
    return Support(left.ids[:n], left.logits[:n])


def _later_cuts(
    logits: Floats,
    keys: Floats,
    weights: Floats,
    whole: float | None,
    settings: SamplingSettings,
    loosened: float,
) -> int:
    """Return how many of these tokens, best first, top-p and min-p leave.

    keys: their negative logits; weights: their chances, up to a factor; whole: the sum of all
    weights, those of tokens that are not among these included; None: these are all.
    """
    n = len(logits)
    if settings.top_p < 1.0 and n:
        probs = weights / (weights.sum() if whole is None else whole)
        n = _prefix(keys, probs, settings.top_p, "left", loosened, loosened)
    if settings.min_p > 0.0 and n:
        least = logits[0] + np.log(settings.min_p) - loosened
        n = min(n, int(np.searchsorted(keys, -least, side="right")))
    return n


def mass(row: Row) -> float:
    """Return the sum of exp(row - its largest)."""
    top = float(row.max())
    if abs(top) < SAFE:
        return float(np.exp(row).sum()) * math.exp(-top)
    return float(np.exp(row - top).sum())


def column_maxima(row: Row | Floats) -> Row | Floats:
    """Wrap the row into COLUMNS columns and return the largest logit of each: [COLUMNS].

    Columns that the row does not reach have -inf.
    """
    n_whole = len(row) // COLUMNS * COLUMNS
    if n_whole:
        maxima: Row = row[:n_whole].reshape(-1, COLUMNS).max(axis=0)
    else:
        maxima = np.full(COLUMNS, -np.inf, dtype=np.float32)
    rest = row[n_whole:]
    np.maximum(maxima[: len(rest)], rest, out=maxima[: len(rest)])
    return maxima


def in_columns(columns: Ids, n_vocab: int) -> Ids:
    """Return the ids that lie in these columns, both ascending."""
    n_rows = -(-n_vocab // COLUMNS)
    ids: Ids = (np.arange(n_rows)[:, None] * COLUMNS + columns).ravel()
    return ids if ids[-1] < n_vocab else ids[ids < n_vocab]


def _nucleus(row: Row, enough: float) -> Support:
    """The best tokens, as many as weigh enough and perhaps more."""
    n = FIRST_GUESS
    while n < len(row):
        found = _best_first(row, _at_least(row, n))
        if np.exp(found.logits - found.logits[0]).sum() >= enough:
            return found
        n *= GROWTH
    return _best_first(row, np.arange(len(row)))


def _typical(ids: Ids, logits: Row | Floats, p: float, loosened: float) -> Support:
    """The tokens whose surprise is nearest to the expected one, until they hold more than p."""
    scaled = np.maximum(logits - logits.max(), RULED_OUT)
    weights = np.exp(scaled)
    total = float(weights.sum())
    expected = -float(weights @ scaled) / total  # the entropy, less log(total), which cancels out
    keys = np.abs(np.add(scaled, expected, out=scaled), out=scaled)
    order = _nearest(np.negative(keys, out=keys), weights, total * _shifted(p, max(loosened, 0.0)))
    probs = weights[order] / total
    n = _prefix(-keys[order], probs, p, "right", loosened, 2 * loosened)
    kept = order[:n]
    best_first = kept[np.lexsort((ids[kept], -logits[kept]))]
    return Support(ids[best_first], logits[best_first].astype(np.float64))


def _nearest(closeness: Row | Floats, weights: Row | Floats, enough: float) -> Ids:
    """Return the indices of the largest in order, enough of them to weigh more."""
    n = FIRST_GUESS
    found = np.arange(len(closeness))
    while n < len(closeness):
        likely = _at_least(closeness, n)
        if weights[likely].sum() > enough:
            found = likely
            break
        n *= GROWTH
    return found[np.argsort(-closeness[found], kind="stable")]


def _prefix(keys: Floats, probs: Floats, p: float, side: str, loosened: float, width: float) -> int:
    """Return how many tokens, in order of keys, come before the mass p is reached.

    A token stays if those before it hold less than p ("left"), or at most p ("right"). Loosened,
    only those that are before it by more than `width` count, and p is moved in its odds; tightened,
    those that are behind it by less than that count as well.
    """
    held = np.concatenate(([0.0], np.cumsum(probs)))
    if loosened == 0.0:
        return 1 + int(np.searchsorted(held[1:-1], p, side=side))  # type: ignore[call-overload]
    before = held[np.searchsorted(keys, keys - width, side="left" if loosened > 0.0 else "right")]
    if loosened < 0.0:
        before = before - probs
    return int(np.count_nonzero(before < _shifted(p, loosened)))


def _shifted(p: float, loosened: float) -> float:
    """Return the share that p may become when every logit moves by up to half of `loosened`."""
    return p if p >= 1.0 else 1.0 / (1.0 + (1.0 - p) / p * float(np.exp(-loosened)))


def _at_least(row: Row | Floats, n: int, loosened: float = 0.0) -> Ids:
    """Return ascending ids: of all logits that are less than `loosened` under the n-th largest or
    over it, and rarely of many more.

    The n-th largest of the columns' maxima is a logit that at least n others reach.
    """
    if 2 * n > COLUMNS or len(row) <= COLUMNS:
        nth = np.partition(row, len(row) - n)[len(row) - n]
        return np.flatnonzero(row >= (np.float64(nth) - loosened if loosened else nth))
    maxima = column_maxima(row)
    nth = np.partition(maxima, COLUMNS - n)[COLUMNS - n]
    return _reaching(row, np.float64(nth) - loosened if loosened else nth, maxima)


def _reaching(row: Row | Floats, least: float, maxima: Row | Floats | None = None) -> Ids:
    """Return the ascending ids of all logits of at least `least`."""
    if len(row) <= COLUMNS:
        return np.flatnonzero(row >= least)
    columns = np.flatnonzero((column_maxima(row) if maxima is None else maxima) >= least)
    if len(columns) > COLUMNS // 8:  # so many that looking at the whole row is quicker
        return np.flatnonzero(row >= least)
    ids = in_columns(columns, len(row))
    return ids[row[ids] >= least]


def _best_first(row: Row, ids: Ids) -> Support:
    """Sort these tokens; `ids` must ascend."""
    logits = row[ids].astype(np.float64)
    order = np.argsort(-logits, kind="stable")
    return Support(ids[order], logits[order])
