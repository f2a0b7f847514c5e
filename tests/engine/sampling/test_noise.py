"""The noise is uniform under the hood, independent, the same everywhere, and made top-down."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.sampling.noise import BUCKETS, SLOTS, _hashed, bucket_bounds, gumbel, position_key

VECTORS = {
    (0, 0): {
        0: 1.037202332392534,
        1: -0.6822375092425086,
        2_047: 1.439955736360669,
        2_048: -0.481004677817191,
        151_935: -0.19887822514012563,
    },
    (7, 42): {
        0: 0.7139184524901527,
        1: 1.5619295777493423,
        2_047: 2.151261298208245,
        2_048: -0.6503862986309982,
        151_935: 1.27657033191995,
    },
    (2**64 - 1, 10**6): {
        0: -0.1618589527296307,
        1: 3.133358016393523,
        2_047: -1.4214532193710596,
        2_048: 0.8292003427137862,
        151_935: -0.9387894932684782,
    },
}
KEYS = {
    (0, 0): 0xA706DD2F4D197E6F,
    (7, 42): 0xA17A71496657D12A,
    (2**64 - 1, 10**6): 0x135DE5ED95628397,
}
IDS = np.arange(16 * BUCKETS)


def uniform(seed: int, position: int, ids: np.ndarray = IDS) -> np.ndarray:
    """The noise as uniform numbers: exp(-exp(-g)) is uniform if g is standard Gumbel."""
    return np.exp(-np.exp(-gumbel(seed, position, ids)))


def surprise(counts: np.ndarray) -> float:
    """How many standard deviations a chi-square statistic of equal cells lies above its mean."""
    expected = counts.sum() / counts.size
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    degrees = counts.size - 1
    return (chi2 - degrees) / math.sqrt(2 * degrees)


@pytest.mark.parametrize("key", VECTORS, ids=str)
def test_noise_is_the_same_on_every_platform(key: tuple[int, int]) -> None:
    ids, wanted = zip(*VECTORS[key].items(), strict=True)
    assert gumbel(*key, np.array(ids)) == pytest.approx(wanted, abs=1e-12)
    assert position_key(*key) == KEYS[key]


def test_noise_of_an_id_depends_on_no_other_id() -> None:
    every = gumbel(3, 9, IDS)
    some = np.array([9999, 5, 500, 5])
    assert (gumbel(3, 9, some) == every[some]).all()


def test_it_is_uniform_under_the_hood() -> None:
    values = np.concatenate([uniform(seed, t) for seed in (1, 2) for t in range(20)])
    assert abs(surprise(np.histogram(values, 1000, (0, 1))[0])) < 4
    low = np.histogram(values[values < 0.001], 50, (0, 0.001))[0]
    high = np.histogram(values[values > 0.999], 50, (0.999, 1))[0]
    assert abs(surprise(low)) < 4 and abs(surprise(high)) < 4


@pytest.mark.parametrize(
    "other",
    [
        lambda t: uniform(1, t + 1),
        lambda t: uniform(1, t + 256),
        lambda t: uniform(2, t),
        lambda t: uniform(1 << 40, t),
        lambda t: uniform(1, t, IDS + 1),
        lambda t: uniform(1, t, IDS + BUCKETS),
    ],
    ids=["position", "far position", "seed", "far seed", "id", "same bucket"],
)
def test_it_is_independent_across(other) -> None:  # type: ignore[no-untyped-def]
    pairs = [(uniform(1, t), other(t)) for t in range(0, 40, 2)]
    a, b = (np.concatenate(side) for side in zip(*pairs, strict=True))
    counts, _, _ = np.histogram2d(a, b, bins=32, range=((0, 1), (0, 1)))
    assert abs(surprise(counts)) < 4
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / math.sqrt(len(a))


def test_every_bit_of_seed_and_position_matters() -> None:
    base = uniform(12345, 678)
    for bit in range(64):
        assert abs(np.corrcoef(base, uniform(12345 ^ (1 << bit), 678))[0, 1]) < 0.03
    for bit in range(20):
        assert abs(np.corrcoef(base, uniform(12345, 678 ^ (1 << bit)))[0, 1]) < 0.03


def test_the_place_of_the_largest_is_uniform() -> None:
    ids = np.arange(8)
    winners = [int(gumbel(5, t, ids).argmax()) for t in range(40_000)]
    assert abs(surprise(np.bincount(winners, minlength=8))) < 4


def test_all_orders_of_three_are_equally_likely() -> None:
    ids = np.array([3, 3 + BUCKETS, 4])  # two of one bucket, one of another
    orders = {order: 0 for order in itertools.permutations(range(3))}
    for t in range(30_000):
        orders[tuple(np.argsort(gumbel(6, t, ids)))] += 1
    assert abs(surprise(np.array(list(orders.values())))) < 4


def test_a_buckets_bound_is_its_largest() -> None:
    every = gumbel(5, 7, np.arange(BUCKETS * SLOTS)).reshape(SLOTS, BUCKETS)
    assert (every.max(axis=0) == bucket_bounds(5, 7)).all()


def test_it_is_always_finite() -> None:
    for t in range(50):
        assert np.isfinite(gumbel(0, t, IDS)).all() and np.isfinite(bucket_bounds(0, t)).all()


def test_the_hash_is_splitmix64() -> None:
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]  # its stream of seed 0
    counters = np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert _hashed(counters).tolist() == published
