"""fit.py, placing.py, needs.py: laws of the arithmetic; the estimate beside llama.cpp's log."""

from __future__ import annotations

import asyncio
import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.hardware import GIB, MIB, Memory
from app.models import placing
from app.models.catalog import Catalog, ModelSpec, PairSpec, load_catalog
from app.models.figures import Figures, of_file, of_spec
from app.models.fit import RANKS, Alternative, Fit, fit, fit_pair, usual_context
from app.models.machine import Device, Machine
from app.models.needs import needs
from app.models.projector import sight_bytes
from tests.app.models.machines import MACHINES, gpu, machine, shared
from tests.lab.fit import measure
from tests.pair import DRAFT, TARGET

CATALOG = load_catalog()
MODELS = {name: of_spec(spec) for name, spec in CATALOG.models.items()}
TARGET_8B, DRAFT_1B = MODELS["llama-3.1-8b"], MODELS["llama-3.2-1b"]
KNOWN = [figures for figures in MODELS.values() if not figures.missing]
PAIRS = [
    name
    for name, pair in CATALOG.pairs.items()
    if not any(of_spec(spec).missing for spec in CATALOG.members(pair))
]
PYTHONS_APART = 24 * MIB  # what the process holds more on one Python than on another
models = st.sampled_from(KNOWN)
drafts = st.one_of(st.none(), models)
contexts = st.integers(1, 40_000)
cache_types = st.sampled_from(["f16", "q8_0"])
sizes = st.floats(0, 40)


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    total = draw(st.floats(1, 64))
    memory = Memory(int(total * GIB), int(draw(st.floats(0, total)) * GIB))
    is_integrated, n = draw(st.booleans()), draw(st.integers(0, 2))
    devices = tuple(
        Device(f"D{i}", int(draw(sizes) * GIB), 40 * GIB, is_integrated) for i in range(n)
    )
    return Machine(memory, devices, 0, has_amx=draw(st.booleans()))


@pytest.mark.parametrize("cache_type", ["f16", "q8_0"])
@pytest.mark.parametrize(("n_ctx", "use_extra_bufts"), [(300, True), (2048, True), (2048, False)])
def test_the_estimate_is_within_a_tenth_of_llama_cpps_log(
    n_ctx: int, use_extra_bufts: bool, cache_type: str
) -> None:
    found = asyncio.run(measure(TARGET, DRAFT, n_ctx, cache_type, use_extra_bufts))
    guess = needs(of_file(TARGET), of_file(DRAFT), n_ctx, cache_type, found.place)
    assert guess is not None
    assert guess.weights_bytes == pytest.approx(found.weights, rel=0.1)
    assert guess.kv_bytes == pytest.approx(found.kv, rel=0.02)
    assert guess.compute_bytes == pytest.approx(found.compute, rel=0.1)
    assert guess.total == pytest.approx(found.total, rel=0.1, abs=PYTHONS_APART)


@pytest.mark.parametrize("machine", [machine(32, 27, gpu(23.3, 24)), machine(32, 27)])
def test_a_draft_model_has_no_longer_context_than_it_was_made_for(machine: Machine) -> None:
    long, short = DRAFT_1B, dataclasses.replace(DRAFT_1B, context=2048)
    alone = needs(TARGET_8B, None, 32_768, "f16")
    beside = {n: needs(TARGET_8B, short, n, "f16") for n in (2048, 32_768)}
    assert alone is not None and None not in beside.values()
    only_target = needs(TARGET_8B, None, 2048, "f16")
    assert only_target is not None
    of_draft = beside[2048].kv_bytes - only_target.kv_bytes  # type: ignore[union-attr]
    assert beside[32_768].kv_bytes - alone.kv_bytes == of_draft  # type: ignore[union-attr]
    placed = [placing.place(TARGET_8B, draft, 32_768, "f16", machine) for draft in (long, short)]
    assert placed[0] is not None and placed[1] is not None
    assert placed[0].needs.kv_bytes - placed[1].needs.kv_bytes == 16 * of_draft - of_draft


@given(models, drafts, contexts, contexts, cache_types, st.sampled_from(["CPU", "AMX", "GPU"]))
def test_more_context_never_needs_less(
    target: Figures, draft: Figures | None, one: int, other: int, cache_type: str, place: str
) -> None:
    less, more = (
        needs(target, draft, n, cache_type, place)  # type: ignore[arg-type]
        for n in sorted((one, other))
    )
    assert less is not None
    assert more is not None
    for field in dataclasses.fields(less):
        assert getattr(less, field.name) <= getattr(more, field.name), field.name


@given(models, models, contexts)
def test_a_quantised_cache_and_no_draft_need_less(
    target: Figures, draft: Figures, n_ctx: int
) -> None:
    full = needs(target, draft, n_ctx, "f16")
    small = needs(target, draft, n_ctx, "q8_0")
    alone = needs(target, None, n_ctx, "f16")
    assert full and small and alone
    assert small.kv_bytes == pytest.approx(full.kv_bytes * 34 / 64, abs=2)
    assert small.total < full.total > alone.total


@given(models, drafts, contexts, cache_types, machines(), st.data())
def test_fewer_free_bytes_never_give_a_better_verdict(
    target: Figures,
    draft: Figures | None,
    n_ctx: int,
    cache_type: str,
    more: Machine,
    data: st.DataObject,
) -> None:
    left = st.floats(0, 1)
    memory = Memory(
        more.memory.total_bytes, int(more.memory.available_bytes * data.draw(left, "memory left"))
    )
    devices = tuple(
        dataclasses.replace(device, free_bytes=int(device.free_bytes * data.draw(left, "left")))
        for device in more.devices
    )
    less = dataclasses.replace(more, memory=memory, devices=devices)
    with_more = fit(target, draft, n_ctx, cache_type, more)
    with_less = fit(target, draft, n_ctx, cache_type, less)
    assert RANKS[with_less.verdict] <= RANKS[with_more.verdict]


@given(models, drafts, contexts, cache_types, machines())
def test_what_is_placed_has_its_room(
    target: Figures, draft: Figures | None, n_ctx: int, cache_type: str, there: Machine
) -> None:
    found = placing.place(target, draft, n_ctx, cache_type, there)
    if found is None:
        return
    on_gpu = sum(device.free_bytes for device in there.devices)
    used = found.gpu_layers + found.draft_gpu_layers > 0
    margin = placing.GPU_MARGIN_BYTES if used else 0
    assert found.gpu_bytes + margin <= (on_gpu if used else 0) + 1
    in_memory = found.memory_bytes + (found.gpu_bytes if there.is_unified else 0)
    assert in_memory < there.memory.available_bytes
    assert found.needs.total == found.gpu_bytes + found.memory_bytes


@pytest.mark.parametrize("free", [2.0, 3.0, 5.0, 6.0])
def test_one_more_layer_would_not_have_room(free: float) -> None:
    there = machine(32, 27, gpu(free, 8))
    found = fit(TARGET_8B, None, 8192, "f16", there)
    assert found.verdict == "partly on GPU"
    assert found.gpu_layers
    layer = 4920739232 // 33 + 131072 * 8192 // 32
    placed = placing.place(TARGET_8B, None, 8192, "f16", there)
    assert placed is not None
    assert placed.gpu_bytes + layer > free * GIB - placing.GPU_MARGIN_BYTES
    assert f"{found.gpu_layers} of 33 layers" in found.line


def test_unified_memory_counts_once() -> None:
    plain = needs(TARGET_8B, DRAFT_1B, 8192, "f16", "GPU")
    assert plain is not None
    room = plain.total / GIB + 1.0
    pool, apart = shared(room, room, "MTL0"), gpu(room, room)
    assert fit(TARGET_8B, DRAFT_1B, 8192, "f16", machine(room, room, pool)).verdict == "GPU"
    short = machine(room, plain.total / GIB - 0.5, pool)
    assert not fit(TARGET_8B, DRAFT_1B, 8192, "f16", short).fits
    beside = machine(room, plain.total / GIB - 0.5, apart)
    assert fit(TARGET_8B, DRAFT_1B, 8192, "f16", beside).verdict == "GPU"


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("place", MACHINES)
def test_alternatives_really_fit_and_better(place: str, name: str) -> None:
    found = fit_pair(name, CATALOG, MACHINES[place])
    for offer in found.alternatives:
        again = _asked_again(offer, name, MACHINES[place])
        assert RANKS[again.verdict] > RANKS[found.verdict], offer.line
        assert again.verdict == offer.verdict
        assert again.needs is not None
        assert f"{again.needs.total / GIB:.1f} GB" in offer.line


def test_alternatives_are_of_every_kind() -> None:
    there = MACHINES["a GPU with 12 GB"]
    lines = [offer.line for offer in fit_pair("qwen3-14b", CATALOG, there).alternatives]
    assert [re.search(r"--[\w-]+ \w+", line)[0] for line in lines] == [  # type: ignore[index]
        "--ctx-size 4096",
        "--cache-type q8_0",
        "--drafter lookup",
    ]
    too_large = fit_pair("qwen3-32b", CATALOG, MACHINES["a Mac with 16 GB"])
    assert too_large.verdict == "does not fit"
    assert [offer.pair for offer in too_large.alternatives] == ["qwen3-8b"]


@pytest.mark.parametrize("n_ctx", [8192, 5000])
def test_the_context_offered_is_the_largest_power_of_two(n_ctx: int) -> None:
    there = machine(8, 5.8)
    found = fit(TARGET_8B, None, n_ctx, "f16", there)
    offered = next(a.n_ctx for a in found.alternatives if a.n_ctx != n_ctx)
    assert not found.fits
    assert offered & (offered - 1) == 0
    assert fit(TARGET_8B, None, offered, "f16", there).fits
    assert offered * 2 >= n_ctx or not fit(TARGET_8B, None, offered * 2, "f16", there).fits


def test_programs_to_close_are_named_where_that_would_do() -> None:
    words = "close other programs"
    assert words in fit(TARGET_8B, None, 4096, "f16", machine(16, 3)).line
    assert words not in fit(TARGET_8B, None, 4096, "f16", machine(4, 3)).line
    assert words not in fit(TARGET_8B, None, 4096, "f16", machine(16, 12)).line


def test_unknown_figures_give_no_guess() -> None:
    found = fit_pair("mistral-small-24b", CATALOG, machine(512, 500, gpu(80, 80)))
    assert (found.verdict, found.needs, found.tps) == ("unknown", None, None)
    assert "the draft model's size, layers, heads, cache bytes per token" in found.line
    assert [offer.with_draft for offer in found.alternatives if not offer.pair] == [False]
    for gap in ("weights_bytes", "layers", "heads", "kv_bytes_per_token", "vocabulary"):
        holed = dataclasses.replace(TARGET_8B, **{gap: None})
        assert fit(holed, None, 512, "f16", machine(512, 500)).verdict == "unknown", gap


def test_weights_beyond_all_memory_fit_nowhere_whatever_else_is_unknown() -> None:
    card = gpu(10, 12)
    for weights, there, verdict in (
        (17, machine(16, 16), "does not fit"),
        (15, machine(16, 1), "unknown"),
        (27, machine(16, 16, card), "unknown"),
        (29, machine(16, 16, card), "does not fit"),
        (41, machine(16, 16, card, gpu(1, 12, "CUDA1")), "does not fit"),
        (17, machine(16, 16, shared(16, 16, "MTL0")), "does not fit"),
    ):
        holed = Figures(weights_bytes=weights * GIB)
        found = fit(holed, None, 512, "f16", there)
        assert (found.verdict, found.needs, found.fits) == (verdict, None, False), weights
        assert f"{weights}.0 GB for weights alone" in found.line or verdict == "unknown"
    halves = Figures(weights_bytes=9 * GIB)
    assert fit(halves, halves, 512, "f16", machine(16, 16)).verdict == "does not fit"
    assert fit(Figures(), halves, 512, "f16", machine(16, 16)).verdict == "unknown"
    assert fit(TARGET_8B, Figures(weights_bytes=90 * GIB), 512, "f16", machine(16, 12)).alternatives


def test_the_line_has_the_numbers() -> None:
    there = machine(32, 27, gpu(11.3, 12))
    found = fit(TARGET_8B, DRAFT_1B, 8192, "f16", there)
    assert found.line == (
        "needs 7.0 GB: weights 5.3, caches 1.2, buffers 0.4; "
        "free: 11.3 GB on CUDA0, 27.0 GB of memory"
    )


def test_settings_put_the_layers_where_they_were_placed() -> None:
    def layers(there: Machine) -> tuple[int | None, int | None]:
        found = fit(TARGET_8B, DRAFT_1B, 16384, "f16", there)
        return found.gpu_layers, found.draft_gpu_layers

    assert layers(machine(64, 60, gpu(24, 24))) == (None, None)
    assert layers(machine(64, 60)) == (0, 0)
    target_layers, draft_layers = layers(machine(64, 60, gpu(6, 8)))
    assert target_layers and 0 < target_layers < 33
    assert draft_layers == 17


def test_the_draft_goes_to_the_gpu_first_where_that_pays() -> None:
    huge = dataclasses.replace(DRAFT_1B, kv_bytes_per_token=400_000, weights_bytes=50_000_000)
    there = machine(64, 60, gpu(7, 8))
    small = fit(TARGET_8B, DRAFT_1B, 8192, "f16", there)
    large = fit(TARGET_8B, huge, 8192, "f16", there)
    assert small.draft_gpu_layers == 17
    assert (large.gpu_layers, large.draft_gpu_layers) == (None, 0)


def test_several_gpus_are_filled_in_proportion() -> None:
    one = fit(MODELS["qwen3-32b"], None, 8192, "f16", machine(64, 60, gpu(14, 16)))
    both = machine(64, 60, gpu(14, 16), gpu(14, 16, "CUDA1"))
    two = fit(MODELS["qwen3-32b"], None, 8192, "f16", both)
    assert (one.verdict, two.verdict) == ("partly on GPU", "GPU")


def test_the_numbers_of_a_small_pair_are_in_a_unit_that_shows_them() -> None:
    line = fit_pair("demo", CATALOG, machine(4, 3)).line
    found = re.match(r"needs (\d+) MB: weights (\d+), caches (\d+), buffers (\d+); free: ", line)
    assert found, line
    total, *parts = map(int, found.groups())
    assert min(parts) > 0 and abs(total - sum(parts)) <= len(parts)


def test_the_demo_fits_a_board_with_a_gigabyte() -> None:
    assert fit_pair("demo", CATALOG, machine(0.9, 0.5)).verdict == "CPU"


def test_a_smaller_pair_is_of_a_smaller_tier() -> None:
    order = ["any", "4 GB", "8 GB", "12 GB", "16 GB", "24 GB"]
    for name in PAIRS:
        for offer in fit_pair(name, CATALOG, MACHINES["a laptop with 4 GB"]).alternatives:
            if offer.pair:
                tiers = (CATALOG.pairs[offer.pair].tier, CATALOG.pairs[name].tier)
                assert order.index(tiers[0]) < order.index(tiers[1])


def test_a_pair_of_no_tier_is_offered_what_is_smaller() -> None:
    big = CATALOG.models[CATALOG.pairs[max(PAIRS, key=_weights)].target]
    mine = PairSpec(title="Mine", for_whom="Me.", target="mine")
    catalog = Catalog(models={**CATALOG.models, "mine": big}, pairs={**CATALOG.pairs, "mine": mine})
    offered = [each.pair for each in fit_pair("mine", catalog, machine(8, 4)).alternatives]
    named = fit(of_spec(big), None, 8192, "f16", machine(8, 4), "a/b:c.gguf", CATALOG)
    assert offered[-1] and offered[-1] == named.alternatives[-1].pair
    unknown = Figures(), None, 4096, "f16", machine(16, 12), "mine", catalog
    assert not fit(*unknown).alternatives


def test_nothing_is_smaller_than_a_file_of_unknown_size() -> None:
    unknown = fit(Figures(), None, 4096, "f16", machine(16, 12), "a/b:c.gguf", CATALOG)
    assert not unknown.alternatives


def test_files_of_ones_own_are_judged_without_a_catalogue() -> None:
    assert fit(of_file(TARGET), of_file(DRAFT), 2048, "f16", machine(8, 4)).verdict == "CPU"
    assert Catalog(models={"a": ModelSpec(path="a.gguf")}).pairs == {}


def _weights(name: str) -> int:
    return CATALOG.models[CATALOG.pairs[name].target].size or 0


def _asked_again(offer: Alternative, name: str, there: Machine) -> Fit:
    pair = CATALOG.pairs[offer.pair or name]
    target, *draft = (of_spec(spec) for spec in CATALOG.members(pair))
    beside = draft[0] if draft and offer.with_draft else None
    eyes = CATALOG.projector(pair) if offer.with_sight else None
    target = dataclasses.replace(target, sight_bytes=sight_bytes(eyes.size if eyes else 0))
    assert not offer.pair or offer.n_ctx == usual_context(pair.ctx_size, target)
    return fit(target, beside, offer.n_ctx, offer.cache_type, there)
