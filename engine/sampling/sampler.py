"""From one row of logits to the processed distribution, and to one token of it.

The order is llama.cpp's default: logit bias, penalties, top-k, typical-p, top-p, min-p, temperature
last.

Every draw at absolute position t adds the noise g(seed, t, token) of noise.py to the log-
probabilities and takes the largest (Gumbel-max sampling): an exact draw, and a function of the row,
the settings, the seed and t alone. A drafter that draws with the same noise from its own row tends
to draw the target's token (Daliri, Musco, Suresh, arXiv 2408.07978). Temperature 0 is the case
without noise; ties go to the lowest id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from engine.arrays import Floats, Ids, Row
from engine.limits import check_sampling
from engine.sampling.gumbel_max import best_and_lead, best_of_all, noisy
from engine.sampling.noise import gumbel
from engine.sampling.penalties import Adjusting, furthest, undo
from engine.sampling.top_two import TopTwo
from engine.sampling.truncation import Candidates, Support, support, truncates
from engine.sampling.width_noise import NO_NOISE, REACHES, SAFETY, WidthNoise
from engine.settings import SamplingSettings

COLDEST = 1e-6
"""Temperatures below this are greedy: dividing by them says no more."""


class Draw(msgspec.Struct, frozen=True):
    """A drawn token; near_tie: kernels of another batch width might have drawn another."""

    token: int
    near_tie: bool = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """A processed distribution: probs[i] is the probability of ids[i], all others have none."""

    ids: Ids
    probs: Floats

    def prob(self, token: int) -> float:
        """Return the probability of a token."""
        at = np.flatnonzero(self.ids == token)
        return float(self.probs[at[0]]) if len(at) else 0.0


class Sampler:
    """Draws tokens by fixed settings.

    adjusts: whether logits are biased or penalised before anything else; takes_the_largest: whether
    the draw is the argmax of the row as it is; draws_together: whether `draw_all` can be used.
    tie_margin: how much the difference of two logits of a row may vary between batch widths; draws
    that this could have changed are near-ties. In an adjusted row it may be more.
    Raises SettingError for a setting out of its range.
    """

    def __init__(self, settings: SamplingSettings, noise: WidthNoise = NO_NOISE) -> None:
        check_sampling(settings)
        if settings.temperature < COLDEST:
            settings = settings.at(0.0)
        self.settings = settings
        self._adjusting = Adjusting(settings)
        self.adjusts = self._adjusting.is_any
        self._is_bare = not self.adjusts and settings.typical_p == 1.0
        self.takes_the_largest = self._is_bare and settings.temperature == 0.0
        self.draws_together = not self.adjusts and (
            self.takes_the_largest or settings.temperature > 0.0
        )
        self._behind = REACHES[0] * max(1.0, settings.temperature)
        self.allow_for(noise)

    def allow_for(self, noise: WidthNoise) -> None:
        """Have near-ties be what this noise could change."""
        self._noise = noise
        self.tie_margin = self._margin(self._behind)

    def window(self, context: Sequence[int]) -> list[int]:
        """Return the tokens at the end of `context` that penalties look back to."""
        return self._adjusting.window(context)

    def draw(self, row: Row, history: Sequence[int], position: int) -> Draw:
        """Draw the token at `position` from `row` [vocab]; history: at least the window before it.

        The row is changed for a while and given back as it was.
        """
        margin, moves = self.tie_margin, self.adjusts and bool(self._noise)
        top = float(row.max()) if moves else 0.0
        changes = self._adjusting.apply(row, history)
        try:
            if moves:
                margin = self._margin(furthest(row, changes, top, self._behind))
            return self._draw(row, position, margin)
        finally:
            undo(row, changes)

    def pick(self, row: Row, history: Sequence[int], position: int) -> int:
        """Draw the same token without asking whether it was a near-tie."""
        changes = self._adjusting.apply(row, history)
        try:
            return self._drawn(row, position)
        finally:
            undo(row, changes)

    def draw_all(
        self, rows: Row, position: int, wanted: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Draw the tokens at position, position + 1, … from `rows` [n, vocab], up to the first that
        is not `wanted` [n - 1], and that one: like `draw` row by row, where `draws_together`.

        Returns the tokens, and which of them are near-ties.
        """
        if self.settings.temperature == 0.0:
            return self._all_largest(rows, wanted)
        found: list[int] = []
        near_ties: list[int] = []
        for i in range(len(rows)):  # whoever iterates over an array's rows pays for an IndexError
            drawn = self._draw(rows[i], position + i, self.tie_margin)
            found.append(drawn.token)
            if drawn.near_tie:
                near_ties.append(i)
            if i < len(wanted) and drawn.token != wanted[i]:
                break
        return found, near_ties

    def pick_bent(self, draft: Support, factor: float, position: int) -> int:
        """Draw from draft ** factor with the noise that the target will have at `position`."""
        if len(draft.ids) == 1:
            return int(draft.ids[0])
        bent = draft.logits * (factor / self.settings.temperature)
        bent += gumbel(self.settings.seed, position, draft.ids)
        return int(draft.ids[bent.argmax()])

    def is_sparse(self, n_vocab: int) -> bool:
        """Whether the settings leave only some tokens of a row of n_vocab logits."""
        return self.settings.temperature == 0.0 or truncates(self.settings, n_vocab)

    def support_of(self, row: Row, history: Sequence[int], top: TopTwo | None = None) -> Support:
        """Return what the settings leave of `row`; one token at temperature 0.

        top: that of the row, where it is known and nothing adjusts the row.
        """
        changes = self._adjusting.apply(row, history)
        try:
            if self.settings.temperature == 0.0:
                return Support.only(self._best(row))
            alone = self._left_alone(row, top)
            return support(row, self.settings) if alone is None else Support.only(alone)
        finally:
            undo(row, changes)

    def distribution(self, row: Row, history: Sequence[int]) -> Distribution:
        """Return the processed distribution of `row`; all of it on one token at temperature 0."""
        return self.over(self.support_of(row, history))

    def over(self, kept: Support) -> Distribution:
        """Return the distribution over a support."""
        if len(kept.ids) == 1:
            return Distribution(kept.ids, np.ones(1))
        weights = np.exp((kept.logits - kept.logits[0]) / self.settings.temperature)
        return Distribution(kept.ids, weights / weights.sum())

    def at_rim(self, row: Row, history: Sequence[int], token: int) -> bool:
        """Whether logits that differ by the margin could take `token` into the support or out."""
        if self.tie_margin == 0.0 or not truncates(self.settings, len(row)):
            return False
        changes = self._adjusting.apply(row, history)
        try:
            wide = support(row, self.settings, self.tie_margin).ids
            sure = support(row, self.settings, -self.tie_margin).ids
        finally:
            undo(row, changes)
        return (token in wide) != (token in sure)

    def leaves_only(self, top: TopTwo) -> bool:
        """Whether the draw from a row with these two is its largest logit, whatever the noise."""
        return self.takes_the_largest or (self._is_bare and top.is_alone(self.settings.min_p))

    def _left_alone(self, row: Row, top: TopTwo | None) -> int | None:
        """Return the one token that min-p surely leaves: then there is nothing to draw."""
        settings = self.settings
        if settings.min_p <= 0.0 or settings.typical_p < 1.0:
            return None
        top = top or TopTwo.of(row)
        return top.best if top.is_alone(settings.min_p) else None

    def _drawn(self, row: Row, position: int) -> int:
        settings = self.settings
        if settings.temperature == 0.0:
            return self._best(row)
        if not truncates(settings, len(row)):
            return best_of_all(row, settings, position)[0]
        alone = self._left_alone(row, None)
        if alone is not None:
            return alone
        kept = support(row, settings)
        at, _ = best_and_lead(kept.ids, noisy(kept, settings, position), len(kept.ids))
        return int(kept.ids[at])

    def _best(self, row: Row) -> int:
        """Return the likeliest token. Only typical-p can remove the row's largest."""
        if self.settings.typical_p < 1.0:
            return int(support(row, self.settings).ids[0])
        return int(row.argmax())

    def _margin(self, reach: float) -> float:
        """Return the margin where tokens so far behind the likeliest may be drawn."""
        return SAFETY * self._adjusting.stretch * self._noise.within(reach)

    def _all_largest(self, rows: Row, wanted: Sequence[int]) -> tuple[list[int], list[int]]:
        """Draw together at temperature 0."""
        found: list[int] = []
        near_ties: list[int] = []
        margin = self.tie_margin
        for i in range(len(rows)):
            top = TopTwo.of(rows[i])
            found.append(top.best)
            if margin > 0.0 and top.is_close(margin):
                near_ties.append(i)
            if i < len(wanted) and top.best != wanted[i]:
                break
        return found, near_ties

    def _draw(self, row: Row, position: int, margin: float) -> Draw:
        """Draw from an adjusted row, and tell whether logits that differ by the margin could lead
        to another token: one that is close behind, or one at the rim of the support.
        """
        settings = self.settings
        if margin == 0.0:
            return Draw(self._drawn(row, position))
        if settings.typical_p < 1.0:
            token = self._drawn(row, position)
            return Draw(token, self._is_near_tie(row, token, position, margin))
        if settings.temperature == 0.0:
            top = TopTwo.of(row)
            return Draw(top.best, top.is_close(margin))
        if not truncates(settings, len(row)):
            token, ahead = best_of_all(row, settings, position, margin)
            return Draw(token, ahead < margin)
        top = TopTwo.of(row)
        if top.is_alone(settings.min_p, margin):
            return Draw(top.best)
        found = Candidates(row, settings, margin)
        n, needed = found.n(), margin / settings.temperature
        ids, scores = found.ids, noisy(found, settings, position)
        at, lead = best_and_lead(ids, scores, n)
        if lead < needed:  # perhaps the rival is out of reach; the best stays the best
            n_wide = max(n, found.n(margin))  # a top-p next to nothing rounds to none when loosened
            _, lead = best_and_lead(ids[:n_wide], scores[:n_wide], n)
        leads_the_row = at == 0 and not top.is_close(margin)  # then it surely stays in
        is_near_tie = lead < needed or not (leads_the_row or at < found.n(-margin))
        return Draw(int(ids[at]), is_near_tie)

    def _is_near_tie(self, row: Row, token: int, position: int, margin: float) -> bool:
        """Whether the draw is a near-tie when typical-p is on."""
        settings = self.settings
        wide = support(row, settings, margin)
        if token not in wide.ids:  # a wider typical-p may raise the bar of the cuts behind it
            return True
        scores = noisy(wide, settings, position)
        is_token = wide.ids == token
        ahead = float(scores[is_token][0]) - float(scores[~is_token].max(initial=-np.inf))
        if ahead * (settings.temperature or 1.0) < margin:
            return True
        return token not in support(row, settings, -margin).ids
