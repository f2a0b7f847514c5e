"""The processed distribution written as one reads its definition: slow, dense, no shortcuts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from engine.settings import SamplingSettings


def processed(row: np.ndarray, settings: SamplingSettings, history: Sequence[int]) -> np.ndarray:
    """Return the probabilities [vocab] that a token is to be drawn with."""
    logits = adjusted([float(x) for x in row], settings, history)
    kept = sorted(range(len(logits)), key=lambda v: (-logits[v], v))
    if settings.top_k:
        kept = kept[: settings.top_k]
    if settings.typical_p < 1.0:
        kept = typical(kept, logits, settings.typical_p)
    if settings.top_p < 1.0:
        kept = until(kept, softmax(kept, logits), lambda held: held >= settings.top_p)
    if settings.min_p > 0.0:
        probs = softmax(kept, logits)
        least = settings.min_p * max(probs.values())
        kept = [v for v in kept if probs[v] >= least]
    result = np.zeros(len(logits))
    if settings.temperature == 0.0:
        result[kept[0]] = 1.0
        return result
    best = max(logits[v] for v in kept)
    for v in kept:
        result[v] = math.exp((logits[v] - best) / settings.temperature)
    return result / result.sum()


def adjusted(
    logits: list[float], settings: SamplingSettings, history: Sequence[int]
) -> list[float]:
    """Add the bias and subtract the penalties."""
    for token, bias in settings.logit_bias.items():
        logits[token] += bias
    n = settings.repeat_last_n
    recent = history if n < 0 else history[len(history) - n :] if n < len(history) else history
    for token, count in Counter(recent if n else ()).items():
        logits[token] = (
            logits[token] / settings.repeat_penalty
            if logits[token] > 0
            else logits[token] * settings.repeat_penalty
        )
        logits[token] -= count * settings.frequency_penalty + settings.presence_penalty
    return logits


def typical(kept: list[int], logits: list[float], p: float) -> list[int]:
    """Keep the tokens whose surprise is nearest the entropy, until they hold more than p."""
    probs = softmax(kept, logits)
    entropy = -sum(q * math.log(q) for q in probs.values())
    by_typicality = sorted(kept, key=lambda v: abs(-math.log(probs[v]) - entropy))
    chosen = set(until(by_typicality, probs, lambda held: held > p))
    return [v for v in kept if v in chosen]


def until(order: list[int], probs: dict[int, float], enough) -> list[int]:  # type: ignore[no-untyped-def]
    """Return the first tokens of `order` up to the one with which they hold enough."""
    held = 0.0
    for n, v in enumerate(order, 1):
        held += probs[v]
        if enough(held):
            return order[:n]
    return order


def softmax(kept: list[int], logits: list[float]) -> dict[int, float]:
    best = max(logits[v] for v in kept)
    weights = {v: math.exp(logits[v] - best) for v in kept}
    total = sum(weights.values())
    return {v: w / total for v, w in weights.items()}
