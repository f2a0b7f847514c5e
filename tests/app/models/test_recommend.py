"""recommend.py: what is recommended fits, is quick enough, and is the largest of its kind."""

from __future__ import annotations

import dataclasses
import re

import pytest

from app.models.catalog import DEFAULT_PAIR, load_catalog
from app.models.fit import fit_pair
from app.models.machine import Machine
from app.models.recommend import AT_MOST, LEAST_TPS, SPARE_DISK_BYTES, recommend
from app.sizes import size
from tests.app.models.machines import MACHINES, gpu, machine

CATALOG = load_catalog()
EVERYWHERE = pytest.mark.parametrize("place", MACHINES)


def names(there: Machine, *installed: str) -> list[str]:
    return [found.name for found in recommend(CATALOG, there, set(installed))]


@EVERYWHERE
def test_a_recommended_pair_fits_and_is_quick_enough(place: str) -> None:
    found = recommend(CATALOG, MACHINES[place], set())
    assert 1 <= len(found) <= AT_MOST
    for one in found:
        if one.name != DEFAULT_PAIR:
            assert one.fit.fits
            assert one.fit.tps is not None and one.fit.tps >= LEAST_TPS
            assert one.fit == fit_pair(one.name, CATALOG, MACHINES[place])


@EVERYWHERE
def test_the_first_has_the_largest_target_that_fits_and_is_quick(place: str) -> None:
    there = MACHINES[place]
    first = names(there)[0]
    size = CATALOG.models[CATALOG.pairs[first].target].size
    assert size is not None
    for name, pair in CATALOG.pairs.items():
        judged = fit_pair(name, CATALOG, there)
        is_quick = judged.tps is not None and judged.tps >= LEAST_TPS
        is_candidate = name != DEFAULT_PAIR and judged.fits and is_quick
        if is_candidate and "code" not in pair.for_whom:
            assert (CATALOG.models[pair.target].size or 0) <= size, name


@EVERYWHERE
def test_general_pairs_come_before_code_and_no_target_twice(place: str) -> None:
    pairs = [CATALOG.pairs[name] for name in names(MACHINES[place])]
    for_code = ["code" in pair.for_whom for pair in pairs]
    assert for_code == sorted(for_code)
    assert sum(for_code) <= 1
    assert len({pair.target for pair in pairs}) == len(pairs)


@EVERYWHERE
def test_the_demo_is_for_where_nothing_else_fits(place: str) -> None:
    found = names(MACHINES[place])
    assert (DEFAULT_PAIR in found) == (place == "a board with 1 GB")
    assert DEFAULT_PAIR not in found or found == [DEFAULT_PAIR]


def test_more_hardware_is_recommended_more() -> None:
    assert names(machine(3.8, 2.6))[0] == "llama-3.2-1b"
    assert names(machine(15.6, 11))[0] == "qwen3-4b"
    assert names(MACHINES["a Mac with 16 GB"])[0] == "qwen3-8b"
    assert names(MACHINES["a GPU with 24 GB"])[0] == "qwen3-32b"


def test_what_does_not_fit_the_disk_must_be_installed() -> None:
    full = dataclasses.replace(MACHINES["a GPU with 24 GB"], disk_free_bytes=10**9)
    assert all(
        sum(spec.size or 0 for spec in CATALOG.members(CATALOG.pairs[name])) < 10**9
        for name in names(full)
    )
    assert names(full, "qwen3-14b")[0] == "qwen3-14b"


def test_where_the_disk_alone_is_full_that_is_the_reason() -> None:
    full = dataclasses.replace(MACHINES["a GPU with 24 GB"], disk_free_bytes=5 * 10**8)
    (demo,) = recommend(CATALOG, full, set())
    assert demo.name == DEFAULT_PAIR
    told = re.fullmatch(
        r"The disk lacks room for a larger pair: (\S+), the smallest, needs (\S+ MB) free, and "
        r"500 MB are.",
        demo.why,
    )
    assert told is not None, demo.why
    files = CATALOG.files(CATALOG.pairs[told[1]])
    assert told[2] == size(sum(spec.size or 0 for spec in files) + SPARE_DISK_BYTES)
    roomy = dataclasses.replace(full, disk_free_bytes=int(told[2][:-3]) * 10**6 + 10**6)
    assert names(roomy) == [told[1]]


def test_what_is_installed_wins_among_equals() -> None:
    there = machine(32, 27, gpu(23, 24))
    small = dataclasses.replace(there, devices=(gpu(7.4, 8),))
    for name in ("qwen3-4b", "qwen3-4b-lookup"):
        lone = load_catalog().model_copy(
            update={"pairs": {key: CATALOG.pairs[key] for key in ("qwen3-4b", "qwen3-4b-lookup")}}
        )
        assert [one.name for one in recommend(lone, small, {name})] == [name]


def test_unknown_figures_are_not_recommended() -> None:
    for place in MACHINES.values():
        assert "mistral-small-24b" not in names(place, "mistral-small-24b")


@EVERYWHERE
def test_the_reason_has_its_numbers(place: str) -> None:
    for one in recommend(CATALOG, MACHINES[place], set()):
        if one.name != DEFAULT_PAIR:
            assert one.fit.needs is not None and one.fit.tps is not None
            assert f"{one.fit.needs.total / 2**30:.1f} GB" in one.why
            assert f"{one.fit.tps:.0f} tokens/s" in one.why
        assert one.why.endswith(".")
        assert one.why.count(". ") == 0
