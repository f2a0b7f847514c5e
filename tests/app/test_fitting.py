"""Before a load: what cannot fit is refused with what would, layers go where there is room, and
what we cannot read is left to the engine.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.errors import FitError
from app.fitting import LONGEST, fitted, machine_now, must_fit
from app.hardware import GIB, Gpu, Memory
from app.models.catalog import load_catalog
from app.models.figures import Figures, of_file
from app.models.fit import Alternative, Fit, fit, fit_pair
from app.models.machine import Device, Machine
from app.settings.config import EVERY_LAYER, ChatSettings, settings_from
from app.settings.flags import add_model_arguments
from tests.app.holding import write_gguf
from tests.app.models.machines import MACHINES, gpu, machine, shared
from tests.pair import DRAFT, TARGET

LAYERS = 6
MIB = 2**20


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Make settings of these flags, fitted to a machine."""

    def make(there: Machine, *flags: str) -> ChatSettings:
        parser = argparse.ArgumentParser()
        parser.add_argument("--pair")
        add_model_arguments(parser)
        monkeypatch.setattr("app.fitting.machine_now", lambda folder: there)
        return fitted(settings_from(parser.parse_args(flags)))

    return make


def small(free_mib: int, *devices: Device) -> Machine:
    return Machine(Memory(4 * GIB, free_mib * MIB), devices, 0)


def layers(found: ChatSettings) -> tuple[int | None, int | None]:
    return found.pair.gpu_layers, found.pair.draft_gpu_layers


def test_what_fits_nowhere_is_refused_and_the_way_out_is_named(settings) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FitError) as refused:
        settings(small(900), "--ctx-size", "100000")
    line = str(refused.value)
    way_out = "(a start with --force tries it all the same)"
    assert line.startswith(f"Slipstream demo does not fit {way_out}: needs ")
    assert "Would fit: with a context of" in line and "--ctx-size" in line


def test_a_projector_that_does_not_fit_is_refused_and_can_be_left_out(settings, tmp_path) -> None:  # type: ignore[no-untyped-def]
    eyes = tmp_path / "mmproj.gguf"
    with eyes.open("wb") as file:
        file.truncate(GIB)
    assert settings(small(900)).pair.mmproj is None
    with pytest.raises(FitError, match=r"pictures 1\.5; .*no pictures \(--mmproj none\)"):
        settings(small(900), "--mmproj", str(eyes))
    folder = settings(small(900), "--mmproj", str(tmp_path))
    assert folder.pair.mmproj, "the engine says what is wrong with it"


def test_force_loads_it_all_the_same(settings, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    flags = ("--ctx-size", "100000")
    assert settings(small(900), *flags, "--force").pair.n_ctx == 100_000
    monkeypatch.setenv("SLIPSTREAM_FORCE", "1")
    assert settings(small(900), *flags).force


@pytest.mark.parametrize("n_ctx", ["100000", "50000", "20000"])
def test_every_way_out_that_is_named_leads_out(settings, n_ctx: str) -> None:  # type: ignore[no-untyped-def]
    n_tried = 0
    for free_mib in range(450, 1500, 50):
        there = small(free_mib)
        try:
            settings(there, "--ctx-size", n_ctx)
        except FitError as refused:
            for ways in re.findall(r"with [^:;]*\((--[^:;]*)\)(?=:)", str(refused)):
                words = re.findall(r"--[a-z-]+ \w+", ways)
                flags = {
                    word.split()[0]: word.split()[1] for word in ["--ctx-size " + n_ctx, *words]
                }
                settings(there, *(part for pair in flags.items() for part in pair))
                n_tried += 1
    assert n_tried


def test_a_draft_model_that_is_not_loaded_does_not_count(settings) -> None:  # type: ignore[no-untyped-def]
    with_draft, without = [], []
    for free_mib in range(300, 900, 10):
        for found, drafter in ((with_draft, "auto"), (without, "lookup")):
            try:
                settings(small(free_mib), "--drafter", drafter, "--ctx-size", "2048")
            except FitError:
                found.append(free_mib)
    assert len(without) < len(with_draft)


def test_a_draft_models_own_type_of_cache_counts(  # type: ignore[no-untyped-def]
    settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made_for_more(path: Path) -> Figures:
        return replace(of_file(path), context=100_000)

    monkeypatch.setattr("app.fitting.of_file", made_for_more)

    def caches_mib(*flags: str) -> int:
        with pytest.raises(FitError) as refused:
            settings(small(10), "--ctx-size", "100000", "--cache-type", "q8_0", *flags)
        found = re.search(r"caches (\d+)", str(refused.value))
        assert found is not None
        return int(found[1])

    assert caches_mib("--cache-type-draft", "q8_0") == caches_mib()
    assert caches_mib("--cache-type-draft", "f16") > caches_mib()
    target, draft = made_for_more(TARGET), made_for_more(DRAFT)
    own = replace(draft, cache_type="f16")
    needs = [fit(target, beside, 100_000, "q8_0", small(4000)).needs for beside in (draft, own)]
    assert needs[0] is not None and needs[1] is not None
    assert needs[1].compute_bytes > needs[0].compute_bytes, "f16 keeps scores on a processor"


def test_without_a_gpu_nothing_is_changed(settings) -> None:  # type: ignore[no-untyped-def]
    assert layers(settings(machine(16, 12))) == (None, None)


@pytest.mark.parametrize(
    "there",
    [MACHINES["a GPU with 8 GB"], MACHINES["two GPUs"], machine(16, 10, shared(9, 16, "MTL0"))],
)
def test_what_fits_the_gpu_goes_there_whole(settings, there: Machine) -> None:  # type: ignore[no-untyped-def]
    assert layers(settings(there)) == (None, None)


def test_where_the_gpu_is_short_some_layers_go_there(settings) -> None:  # type: ignore[no-untyped-def]
    seen = set()
    for free_mib in range(500, 700, 5):
        there = machine(16, 12, Device("CUDA0", free_mib * MIB, 8 * GIB))
        n_layers, n_draft = layers(settings(there))
        seen.add(n_layers)
        if n_layers is None:
            assert n_draft in (None, 0)
        else:
            assert 0 <= n_layers <= LAYERS + 1 and n_draft is not None
    assert 0 in seen and None in seen


def test_layers_that_were_asked_for_are_left_alone(settings) -> None:  # type: ignore[no-untyped-def]
    there = machine(16, 12, Device("CUDA0", 10 * MIB, 8 * GIB))
    assert layers(settings(there)) == (0, 0)
    assert settings(there, "--gpu-layers", "5").pair.gpu_layers == 5
    assert layers(settings(there, "--gpu-layers-draft", "2")) == (0, 2)
    assert layers(settings(there, "--gpu-layers", "3", "--gpu-layers-draft", "auto")) == (
        3,
        EVERY_LAYER,
    )


def test_files_that_are_no_models_are_the_engines_to_refuse(settings, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    letter = tmp_path / "letter.gguf"
    letter.write_text("Dear reader")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(TARGET.read_bytes()[:5000])
    there = small(300)
    for path in (letter, cut, tmp_path / "missing.gguf", tmp_path):
        assert settings(there, "--model", str(path)).pair.target == str(path)
        beside = settings(there, "--model", str(TARGET), "--model-draft", str(path))
        assert beside.pair.draft == str(path)


def test_a_file_of_ones_own_is_judged_like_a_pair(settings, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write_gguf(tmp_path / "own.gguf")
    assert settings(machine(16, 12), "--model", str(path)).pair.target == str(path)
    with pytest.raises(FitError, match=r"^own does not fit"):
        settings(small(10), "--model", str(path))
    with pytest.raises(FitError, match=r"^target does not fit"):
        settings(small(10), "--model", str(TARGET), "--model-draft", str(DRAFT))


@pytest.mark.parametrize("place", MACHINES)
def test_a_refusal_is_never_cut_and_always_names_force(place: str) -> None:
    catalog = load_catalog()
    for name, pair in catalog.pairs.items():
        judged = fit_pair(name, catalog, MACHINES[place])
        if judged.verdict == "does not fit":
            with pytest.raises(FitError, match="--force") as refused:
                must_fit(pair.title, judged, force=False)
            assert len(str(refused.value)) <= LONGEST
            must_fit(pair.title, judged, force=True)
        else:
            must_fit(pair.title, judged, force=False)


def test_a_long_name_leaves_room_for_what_matters() -> None:
    other = Alternative("with less", "CPU", 512, "f16", True)
    judged = Fit("does not fit", None, 0, 0, "needs much", alternatives=(other,) * 50)
    with pytest.raises(FitError, match=r"--force.*needs much.*with less; with less") as refused:
        must_fit("\x1b[2Jname " * 500, judged, force=False)
    assert len(str(refused.value)) <= LONGEST


@pytest.mark.parametrize("has_amx", [False, True])
def test_rearranged_weights_count_where_llama_cpp_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_amx: bool
) -> None:
    monkeypatch.setattr("app.fitting.detect_gpus", lambda root, memory: [])
    monkeypatch.setattr("app.fitting.is_built_for_gpus", lambda: False)
    monkeypatch.setattr("app.fitting.may_rearrange_weights", lambda: has_amx)
    q8_0 = of_file(TARGET)
    assert q8_0.packed_bytes != q8_0.weights_bytes
    judged = fit(q8_0, None, 512, "f16", machine_now(tmp_path))
    counted = judged.needs.weights_bytes if judged.needs else None
    assert counted == (q8_0.packed_bytes if has_amx else q8_0.weights_bytes)


def test_llama_cpp_is_asked_only_where_there_may_be_a_gpu(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there = machine(16, 12, gpu(7, 8))
    monkeypatch.setattr("app.fitting.look", lambda folder: there)
    monkeypatch.setattr("app.fitting.detect_gpus", lambda root, memory: [])
    monkeypatch.setattr("app.fitting.is_built_for_gpus", lambda: True)
    assert machine_now(tmp_path) is there, "one that the system does not tell of"
    monkeypatch.setattr("app.fitting.is_built_for_gpus", lambda: False)
    assert machine_now(tmp_path).devices == ()
    card = Gpu("a card", "CUDA0", 8 * GIB)
    monkeypatch.setattr("app.fitting.detect_gpus", lambda root, memory: [card])
    assert machine_now(tmp_path) is there
