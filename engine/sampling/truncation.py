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
from typing import Literal, NamedTuple

import numpy as np

from engine.arrays import Floats, Ids, Row
from engine.sampling.selection import at_least, largest, mass, reaching
from engine.settings import SamplingSettings

RULED_OUT = np.float32(-1e6)
"""A logit so far behind, such as -inf, weighs nothing, and can still be multiplied with."""
MOST_EXPONENT = 700.0
"""Of what still is a float when exponentiated."""
FIRST_GUESS = 128
"""Tokens that are looked at first where nobody knows how many hold enough."""
GROWTH = 8
"""How many times as many are looked at where those were too few."""


@dataclass(frozen=True, slots=True)
class Support:
    """The tokens that may be drawn, the likeliest first. ids, logits: [n], before temperature."""

    ids: Ids
    logits: Floats

    @staticmethod
    def only(token: int) -> Support:
        """One token, whatever its logit."""
        return Support(np.array([token]), np.zeros(1))


def truncates(settings: SamplingSettings, n_vocab: int) -> bool:
    """Whether these settings cut anything off a row of n_vocab logits."""
    return (
        0 < settings.top_k < n_vocab
        or settings.typical_p < 1.0
        or settings.top_p < 1.0
        or settings.min_p > 0.0
    )


class Order(NamedTuple):
    """Tokens as a cut by mass takes them.

    keys: [n], ascending; weights: [n]; held: [n + 1]. held[k]: mass of the first k tokens;
    held[-1]: mass of the whole row.
    """

    keys: Floats
    weights: Floats
    held: Floats

    @staticmethod
    def of(keys: Floats, weights: Floats, whole: float | None = None) -> Order:
        """whole: None where these are all."""
        held = np.empty(len(weights) + 1)
        held[0] = 0.0
        weights.cumsum(out=held[1:])
        if whole is not None:
            held[-1] = whole
        return Order(keys, weights, held)

    def until(
        self, p: float, n: int, side: Literal["left", "right"], loosened: float, moves: float = 1.0
    ) -> int:
        """Return how many of the first n tokens, renormalised, a cut at mass p keeps. A token stays
        if the tokens before it hold less than p (side "left"), or at most p ("right").

        loosened: the odds of p are multiplied by e^loosened. A loosened cut counts as before a
        token who surely is, and keeps at least as many; a tightened one whoever may be, and keeps
        at most as many. moves: how far two keys may move against each other where two logits may
        by 1.
        """
        if loosened == 0.0:
            held = self.held
            return 1 + int(held[1:n].searchsorted(p * held[n], side=side))
        if loosened > 0.0:
            before, whole = self._surely_before(n, moves * loosened)
        else:
            before, whole = self._perhaps_before(n, -moves * loosened)
        cut = (before >= _shifted(p, loosened) * whole).nonzero()[0]
        return min(n, int(cut[0])) if len(cut) else n

    def _surely_before(self, n: int, width: float) -> tuple[Floats, Floats]:
        """Return the mass of the tokens whose keys are smaller by more than `width`, for each of
        the first n: [n]; and the mass of these n.
        """
        keys, _, held = self
        return held[keys[:n].searchsorted(keys[:n] - width, side="left")], held[n]

    def _perhaps_before(self, n: int, width: float) -> tuple[Floats, Floats]:
        """Return the mass of the other tokens whose keys are larger by up to `width` at most, for
        each token; and the mass of the first n, or of more where more may be before it: both [all].
        """
        keys, weights, held = self
        ahead = keys.searchsorted(keys + width, side="right")  # and the token itself
        before = held[ahead] - weights
        return before, held[np.maximum(ahead, n)]


class Candidates:
    """The likeliest tokens of a row, best first: all that cuts may leave that are loosened by no
    more than `loosened`. Without typical-p every cut leaves the first n of them.

    ids, logits: [n].
    """

    __slots__ = ("_order", "_settings", "_top_k", "_whole", "ids", "logits")

    def __init__(self, row: Row, settings: SamplingSettings, loosened: float) -> None:
        """settings: with typical-p 1."""
        self._settings = settings
        self._top_k = settings.top_k if 0 < settings.top_k < len(row) else 0
        self._whole = mass(row) if settings.top_p < 1.0 and not self._top_k else None
        found = self._likely(row, abs(loosened))  # tightening asks who is close behind, too
        self.ids, self.logits = found.ids, found.logits
        weights = np.exp(found.logits - found.logits[:1])
        self._order = Order.of(-found.logits, weights, self._whole)

    def _likely(self, row: Row, loosened: float) -> Support:
        settings = self._settings
        if self._top_k:
            return _best_first(row, at_least(row, self._top_k + 1, loosened))
        if settings.min_p > 0.0:
            least = largest(row) + math.log(settings.min_p) - loosened
            return _best_first(row, reaching(row, least))
        if self._whole is not None:
            return _nucleus(row, self._whole * _shifted(settings.top_p, loosened))
        return _best_first(row, np.arange(len(row)))

    def n(self, loosened: float = 0.0) -> int:
        """Return how many of them the cuts leave when they are loosened so far."""
        n = self._n_top_k(loosened) if self._top_k else len(self.ids)
        return _later_cuts(self._order, n, self._settings, loosened)

    def _n_top_k(self, loosened: float) -> int:
        """The k best; when loosened also those close behind the last, when tightened only those
        that are well ahead of the first one left out.
        """
        if loosened == 0.0:
            return self._top_k
        last, left_out = self.logits[self._top_k - 1 : self._top_k + 1]
        rim = last if loosened > 0.0 else np.nextafter(left_out, np.inf)
        return int(self._order.keys.searchsorted(loosened - rim, side="right"))


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
    order = Order.of(-left.logits, np.exp(left.logits - left.logits[:1]))
    n = _later_cuts(order, len(left.ids), settings, loosened)
    return Support(left.ids[:n], left.logits[:n])


def _later_cuts(best_first: Order, n: int, settings: SamplingSettings, loosened: float) -> int:
    """Return how many of the n likeliest top-p and min-p leave."""
    keys = best_first.keys
    if settings.top_p < 1.0 and n:
        n = best_first.until(settings.top_p, n, "left", loosened)
    if settings.min_p > 0.0 and n:
        most = keys.item(0) - math.log(settings.min_p) + loosened
        n = min(n, int(keys.searchsorted(most, side="right")))
    return n


def _nucleus(row: Row, enough: float) -> Support:
    """The best tokens, as many as weigh enough and perhaps more."""
    n = FIRST_GUESS
    while n < len(row):
        found = _best_first(row, at_least(row, n))
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
    near = _nearest(np.negative(keys, out=keys), weights, total * _shifted(p, max(loosened, 0.0)))
    order = Order.of(-keys[near], weights[near], total)
    kept = near[: order.until(p, len(near), "right", loosened, 2.0)]
    best_first = kept[np.lexsort((ids[kept], -logits[kept]))]
    return Support(ids[best_first], logits[best_first].astype(np.float64))


def _nearest(closeness: Row | Floats, weights: Row | Floats, enough: float) -> Ids:
    """Return the indices of the largest in order, enough of them to weigh more."""
    n = FIRST_GUESS
    found = np.arange(len(closeness))
    while n < len(closeness):
        likely = at_least(closeness, n)
        if weights[likely].sum() > enough:
            found = likely
            break
        n *= GROWTH
    nearest: Ids = found[np.argsort(-closeness[found], kind="stable")]
    return nearest


def _shifted(p: float, loosened: float) -> float:
    """Return the share that p may become when every logit moves by up to half of `loosened`."""
    return p if p >= 1.0 else 1.0 / (1.0 + (1.0 - p) / p * math.exp(min(-loosened, MOST_EXPONENT)))


def _best_first(row: Row, ids: Ids) -> Support:
    """Sort these tokens; `ids` must ascend."""
    logits = row[ids].astype(np.float64)
    order = (-logits).argsort(kind="stable")
    return Support(ids[order], logits[order])
