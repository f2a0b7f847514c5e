"""What costs and width noise are kept for: this build of llama.cpp on this device."""

from __future__ import annotations

import math
from importlib.metadata import version
from pathlib import Path

import pytest

from engine.costs import calibration
from engine.llama import devices
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


@pytest.mark.parametrize(("said", "has"), [(" LLAMAFILE = 1 |", True), ("", False)])
def test_whether_llamafile_multiplies_is_said_by_the_build(
    said: str, has: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "system_info", lambda: f"CPU : AVX2 = 1 |{said} REPACK = 1 |")
    assert devices.has_llamafile() == has


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        ((devices.INTEGRATED_GPU, devices.GPU, devices.PROCESSOR), "device 1"),
        ((devices.INTEGRATED_GPU, devices.PROCESSOR), "device 0"),
        ((devices.PROCESSOR,), "CPU"),
    ],
)
def test_layers_go_to_an_integrated_gpu_only_where_there_is_no_other(
    kinds: tuple[int, ...], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {
        "ggml_backend_dev_count": lambda: len(kinds),
        "ggml_backend_dev_get": lambda i: i,
        "ggml_backend_dev_type": lambda device: kinds[device],
    }
    monkeypatch.setattr(devices, "function", lambda name, *_: known[name])
    monkeypatch.setattr(devices, "_text", lambda _, device: f"device {device}")
    assert devices.device_name(None) == named
