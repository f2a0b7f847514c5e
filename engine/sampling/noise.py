"""The keyed noise: standard Gumbel numbers that are a function of (seed, position, token id) alone.

A counter-based hash, SplitMix64 (Steele, Lea, Flood 2014) started at a key of seed and position,
gives uniform numbers; ids may be asked for in any order and any number, on any platform.

The Gumbel numbers are made top-down (Maddison, Tarlow, Minka, "A* Sampling", 2014, section 3). Ids
fall into BUCKETS of SLOTS; the largest number of a bucket and the slot that has it are drawn first,
the others below it. They are independent standard Gumbel numbers all the same, but a bucket's
largest is known without looking into it, so the winner among a whole vocabulary is found by
looking into few buckets. With exponentials E = -log(uniform) the whole of it is

    g(id) = -log(E(bucket) / SLOTS + (0 if id's slot has the bucket's largest else E(id)))
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.arrays import Floats, Ids

BUCKETS = 2048
SLOTS = 512
MOST_IDS = BUCKETS * SLOTS
"""Ids below this (about a million) are covered: id = slot * BUCKETS + bucket."""

_U64 = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1, _MIX_2 = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_BUCKET_KEY = 0xD1B54A32D192ED03
_SHIFTS = np.array([30, 27, 31, 12], dtype=np.uint64)
_FACTORS = np.array([_GOLDEN, _MIX_1, _MIX_2], dtype=np.uint64)
_SLOT_MASK = np.uint64(SLOTS - 1)
_ALL_BUCKETS = np.arange(BUCKETS, dtype=np.uint64) * _FACTORS[0]


def position_key(seed: int, position: int) -> int:
    """Return the 64-bit key of a position's noise."""
    return _mix(_mix(seed) ^ (position * _GOLDEN & _U64))


def gumbel(seed: int, position: int, ids: Ids) -> Floats:
    """Return g(seed, position, id) for each id: [len(ids)]."""
    key, n = position_key(seed, position), len(ids)
    counters = np.empty(2 * n, dtype=np.uint64)
    counters[:n] = ids
    counters[n:] = ids & (BUCKETS - 1)
    counters *= _FACTORS[0]
    counters[:n] += np.uint64(key)
    counters[n:] += np.uint64(key ^ _BUCKET_KEY)
    bits = _hashed(counters)
    exponential = -np.log(_uniform(bits))
    is_largest = (bits[n:] & _SLOT_MASK).astype(np.int64) == ids // BUCKETS
    sums = exponential[:n]
    sums[is_largest] = 0.0
    sums += exponential[n:] / SLOTS
    gumbels: Floats = -np.log(sums)
    return gumbels


def bucket_bounds(seed: int, position: int) -> Floats:
    """Return the largest g of each bucket, over all of its slots: [BUCKETS]."""
    key = position_key(seed, position) ^ _BUCKET_KEY
    bits = _hashed(_ALL_BUCKETS + np.uint64(key))
    largest: Floats = -np.log(-np.log(_uniform(bits)) / SLOTS)
    return largest


def _hashed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """SplitMix64's finaliser, in place."""
    x ^= x >> _SHIFTS[0]
    x *= _FACTORS[1]
    x ^= x >> _SHIFTS[1]
    x *= _FACTORS[2]
    x ^= x >> _SHIFTS[2]
    return x


def _uniform(bits: npt.NDArray[np.uint64]) -> Floats:
    """Return numbers inside (0, 1) from the upper 52 bits; the lower 12 stay free for a slot."""
    uniform: Floats = (bits >> _SHIFTS[3]).astype(np.float64)
    uniform += 0.5
    uniform *= 2.0**-52
    return uniform


def _mix(x: int) -> int:
    """One step of SplitMix64 on one number."""
    x = (x + _GOLDEN) & _U64
    x = ((x ^ (x >> 30)) * _MIX_1) & _U64
    x = ((x ^ (x >> 27)) * _MIX_2) & _U64
    return x ^ (x >> 31)
