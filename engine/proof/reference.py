"""The processed distribution of a whole row, written as one reads its definition.

Dense, sorted, slow, and independent of the code that it is there to check, which is
sampling/sampler.py and sampling/truncation.py: logit bias, penalties, top-k, typical-p, top-p,
min-p, temperature.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats, Ids, Row
from engine.sampling.noise import gumbel
from engine.settings import SamplingSettings


def noisy_scores(
    row: Row, settings: SamplingSettings, history: Sequence[int], position: int
) -> Floats:
    """Return log-probabilities plus noise, -inf outside the support; the draw is the largest."""
    with np.errstate(divide="ignore"):
        scores: Floats = np.log(processed(row, settings, history))
    if settings.temperature > 0.0:
        scores += gumbel(settings.seed, position, np.arange(len(row)))
    return scores


def processed(row: Row, settings: SamplingSettings, history: Sequence[int]) -> Floats:
    """Return the probabilities [vocab] that the token after `history` is to be drawn with."""
    logits = _adjusted(row, settings, history)
    kept = np.argsort(-logits, kind="stable")
    if settings.top_k:
        kept = kept[: settings.top_k]
    if settings.typical_p < 1.0:
        kept = _typical(logits, kept, settings.typical_p)
    if settings.top_p < 1.0:
        held = np.cumsum(_softmax(logits[kept]))
        kept = kept[: 1 + int((held[:-1] < settings.top_p).sum())]
    if settings.min_p > 0.0:
        probs = _softmax(logits[kept])
        kept = kept[probs >= settings.min_p * probs.max()]
    result = np.zeros(len(row))
    if settings.temperature == 0.0:
        result[kept[0]] = 1.0
    else:
        result[kept] = _softmax(logits[kept] / settings.temperature)
    return result


def _adjusted(row: Row, settings: SamplingSettings, history: Sequence[int]) -> Floats:
    """Add the bias and subtract the penalties."""
    logits = row.astype(np.float64)
    for token, bias in settings.logit_bias.items():
        logits[token] += bias
    window = settings.repeat_last_n
    recent = list(history) if window < 0 else list(history)[len(history) - window :]
    if window > len(history):
        recent = list(history)
    for token, count in Counter(recent if window else []).items():
        penalty = settings.repeat_penalty
        logits[token] = logits[token] / penalty if logits[token] > 0 else logits[token] * penalty
        logits[token] -= count * settings.frequency_penalty + settings.presence_penalty
    return logits


def _typical(logits: Floats, kept: Ids, p: float) -> Ids:
    """Keep the tokens whose surprise is nearest the entropy, until they hold more than p."""
    probs = _softmax(logits[kept])
    surprise = -np.log(np.maximum(probs, np.finfo(np.float64).tiny))
    order = np.argsort(np.abs(surprise - (probs * surprise).sum()), kind="stable")
    held = np.cumsum(probs[order])
    return kept[np.sort(order[: 1 + int((held[:-1] <= p).sum())])]


def _softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    probs: Floats = weights / weights.sum()
    return probs
