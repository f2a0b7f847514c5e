"""Coupled verification: the target draws every token itself, with noise keyed by position.

Row by row, the target's token is drawn and compared with the draft's; the first difference ends the
step. What is emitted is a function of target, prompt, settings and seed alone, so no drafter can
change one token of it (Daliri, Musco, Suresh, arXiv 2408.07978).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.sampling import Sampler
from engine.types import Draft, Logits, Verdict


class CoupledVerifier:
    """Verifies by drawing with `sampler`.

    tie_margin: draws closer than this, in logits, are counted as near-ties: kernels of another
    batch width might have decided them differently.
    """

    def __init__(self, sampler: Sampler, tie_margin: float) -> None:
        self._sampler = sampler
        self._tie_margin = tie_margin

    def verify(self, context: Sequence[int], draft: Draft, logits: Logits) -> Verdict:
        """Return the accepted draft tokens and one more: corrected, or the bonus token.

        context: all committed tokens; logits: [len(draft.tokens) + 1, vocab].
        """
        tail = self._sampler.settings.repeat_last_n
        history = list(context[-tail:]) if tail else []
        emitted: list[int] = []
        near_ties: list[int] = []
        for i, row in enumerate(logits):
            drawn = self._sampler.draw(row, history, len(context) + i)
            emitted.append(drawn.token)
            history.append(drawn.token)
            if drawn.margin < self._tie_margin:
                near_ties.append(i)
            if i == len(draft.tokens) or drawn.token != draft.tokens[i]:
                break
        return Verdict(tuple(emitted), len(emitted) - 1, tuple(near_ties))
