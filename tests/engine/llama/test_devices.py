"""What costs and width noise are kept for: this build of llama.cpp on this device."""

from __future__ import annotations

import math
import os
from importlib.metadata import version
from pathlib import Path

import llama_cpp
import pytest

from engine.costs import calibration
from engine.llama import devices, model
from engine.settings import PairSettings
from tests import tiny
from tests.engine.in_process import loaded


def test_a_build_is_told_by_its_version_and_what_it_computes_with() -> None:
    assert devices.build().startswith(f"llama-cpp-python {version('llama-cpp-python')}: ")
    assert devices.device_name(0) == "CPU"
    assert devices.device_description(0)


@pytest.mark.parametrize("changed", ["build", "device_description"])
def test_another_build_or_device_is_measured_anew(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration, "QUIET", math.inf)  # however busy the machine is
    path = str(tiny.write("llama", tmp_path / "model.gguf"))
    settings = PairSettings(target=path, threads=1, costs=str(tmp_path / "costs"))

    def kept() -> int:
        with loaded(settings):
            return len(list((tmp_path / "costs").iterdir()))

    assert kept() == kept() == 1
    monkeypatch.setattr(calibration, changed, lambda *_: "another")
    assert kept() == 2


def test_whether_weights_are_rearranged_is_known_without_asking_for_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which on a GPU takes some."""
    honest, asked = devices.function, []

    def listening(name: str, *types: object) -> object:
        asked.append(name)
        return honest(name, *types)  # type: ignore[arg-type]

    monkeypatch.setattr(devices, "function", listening)
    found = devices.rearranges_weights(0)
    assert asked and "ggml_backend_dev_memory" not in asked
    packing = next(device.packing for device in devices.list_devices() if device.kind == "cpu")
    assert found == ("AMX" in packing)


PLAIN_BUILD = "CPU : AVX2 = 1 | OPENMP = 1 | REPACK = 1 |"
WITH_LLAMAFILE = "CPU : AVX2 = 1 | LLAMAFILE = 1 | OPENMP = 1 | REPACK = 1 |"


@pytest.mark.parametrize(
    ("info", "device", "has_amx", "expected"),
    [
        (PLAIN_BUILD, "CPU", False, True),
        (WITH_LLAMAFILE, "CPU", False, False),
        (PLAIN_BUILD, "CPU", True, False),
        (PLAIN_BUILD, "CUDA0", False, False),
    ],
)
def test_sums_are_alike_where_a_processors_build_leaves_llamafile_out(
    info: str, device: str, has_amx: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "system_info", lambda: info)
    monkeypatch.setattr(devices, "device_name", lambda _: device)
    monkeypatch.setattr(devices, "rearranges_weights", lambda _: has_amx)
    assert devices.sums_alike(None) is expected


@pytest.mark.parametrize("alike", [True, False])
def test_where_sums_shall_be_alike_no_weights_are_rearranged_and_no_tiles_used(
    alike: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, off = model.NO_TILES
    monkeypatch.setenv(name, "1")
    monkeypatch.delenv(name)  # and as it was behind the test
    monkeypatch.setattr(model, "sums_alike", lambda _: alike)
    load, given = llama_cpp.llama_model_load_from_file, []

    def listening(path: bytes, params: llama_cpp.llama_model_params) -> object:
        given.append(bool(params.use_extra_bufts))
        return load(path, params)

    monkeypatch.setattr(llama_cpp, "llama_model_load_from_file", listening)
    model.Model(str(tiny.write("llama", tmp_path / "model.gguf"))).free()
    assert given == [not alike]
    assert os.environ.get(name) == (off if alike else None)
