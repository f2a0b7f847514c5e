"""What a freshly loaded model can do, found by trying: roll back, and how exactly rows agree.

Rows of one batch and one-row batches run on different kernels, so their logits differ in the last
bits, and a draw that is closer than that may fall either way. The probe measures this width noise;
verification counts draws within it as near-ties.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import RollbackRefused
from engine.types import Decoder

SAFETY = 4.0
WIDTH = 8


@dataclass(frozen=True, slots=True)
class Probe:
    """What was found.

    can_drop: whether the cache forgets a suffix when told to.
    tie_margin: draws closer than this, in logits, may depend on the batch width.
    plain_steps_s: [WIDTH], the times that one-token decodes took.
    """

    can_drop: bool
    tie_margin: float
    plain_steps_s: tuple[float, ...]


def can_drop(decoder: Decoder) -> bool:
    """Whether the cache forgets a suffix. Leaves it empty."""
    decoder.decode([0, 0], 0, 1)
    try:
        decoder.drop(1)
        return True
    except RollbackRefused:
        return False
    finally:
        decoder.drop(0)


def probe(decoder: Decoder, tokens: Sequence[int]) -> Probe:
    """Decode the last WIDTH of `tokens` (more than that) in one batch, roll back, and decode them
    again one by one, all behind the same prefix. Leaves the cache empty.
    """
    prefix, drafted = tokens[:-WIDTH], tokens[-WIDTH:]
    decoder.decode(prefix, 0, 1)
    rows = decoder.decode(drafted, len(prefix), WIDTH).copy()
    droppable = True
    try:
        decoder.drop(len(prefix))
    except RollbackRefused:
        decoder.drop(0)
        decoder.decode(prefix, 0, 1)
        droppable = False
    noise, times = 0.0, []
    for i, token in enumerate(drafted):
        began = time.perf_counter()
        row = decoder.decode([token], len(prefix) + i, 1)[0]
        times.append(time.perf_counter() - began)
        noise = max(noise, float(np.abs(row - rows[i]).max()))
    decoder.drop(0)
    return Probe(droppable, SAFETY * noise, tuple(times))
