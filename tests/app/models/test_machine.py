"""machine.py: llama.cpp is asked for its devices; if it fails, what the system knows stands in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from app import hardware
from app.hardware import GIB, Gpu
from app.models import machine
from app.models.machine import (
    Device,
    is_built_for_gpus,
    look,
    may_rearrange_weights,
    usable,
)

CPU = {"name": "CPU", "description": "x", "kind": "cpu", "total_bytes": 9, "free_bytes": 9}
CARD = {"name": "CUDA0", "description": "RTX", "kind": "gpu", "total_bytes": 8, "free_bytes": 7}
BOARD = {**CARD, "name": "Vulkan0", "kind": "integrated"}


def saying(text: str, code: int = 0) -> tuple[str, ...]:
    """A program that prints this and ends with this code."""
    return (sys.executable, "-c", f"print({text!r}); raise SystemExit({code})")


@pytest.fixture
def one_card(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system knows one card."""
    known = (Gpu("RTX", "cuda", 8 * GIB), Gpu("other", "vulkan", None))
    monkeypatch.setattr(machine, "detect_gpus", lambda root, memory: known)


def test_this_machine_is_measured(tmp_path: Path) -> None:
    found = look(tmp_path / "not" / "there" / "yet")
    assert found.note == ""
    assert 0 < found.memory.available_bytes <= found.memory.total_bytes
    assert found.disk_free_bytes > 0


def test_devices_are_those_of_llama_cpp(tmp_path: Path) -> None:
    found = look(tmp_path, saying(json.dumps([CPU, CARD])))
    assert found.devices == (Device("CUDA0", 7, 8, False, "RTX"),)
    assert not found.is_unified
    assert not found.has_amx


def test_rearranging_kernels_are_noticed(tmp_path: Path) -> None:
    assert look(tmp_path, saying(json.dumps([{**CPU, "packing": ["AMX", "CPU_REPACK"]}]))).has_amx


@pytest.mark.parametrize("kernels", [b"", b"\0AMX_INT8\0", b"typeE\0AMX\0AMX is not ready"])
@pytest.mark.parametrize("flags", ["avx512_vnni amx_tile", "avx512_vnni amx_tile amx_int8"])
def test_weights_are_rearranged_where_both_library_and_processor_can(
    kernels: bytes, flags: str, tmp_path: Path
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text(f"model name\t: Xeon\nflags\t\t: {flags}\n")
    (tmp_path / "libggml-cpu.so.0").write_bytes(b"\x7fELF" + kernels)
    (tmp_path / "libggml-base.so.0").write_bytes(b"\0AMX\0")
    can = b"\0AMX\0" in kernels and flags.endswith("amx_int8")
    assert may_rearrange_weights(tmp_path, tmp_path) == can


def test_no_library_is_read_where_the_processor_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("model name\t: Xeon\nflags\t\t: avx2\n")
    read: list[Path] = []
    monkeypatch.setattr(machine, "_libraries", lambda: read.append(tmp_path))
    assert not may_rearrange_weights(tmp_path) and read == []


def test_what_the_files_tell_of_rearranging_is_what_llama_cpp_says(tmp_path: Path) -> None:
    assert may_rearrange_weights() == look(tmp_path).has_amx
    assert not may_rearrange_weights(libraries=tmp_path / "nothing")


@pytest.mark.parametrize("backend", ["vulkan", "cuda", "hip", "sycl", "metal", "opencl"])
@pytest.mark.parametrize("name", ["libggml-{}.so", "libggml-{}.so.0.25.3", "libggml-{}.dylib"])
def test_a_build_for_gpus_is_known_by_its_library(backend: str, name: str, tmp_path: Path) -> None:
    for other in ("base", "cpu", "cpu-haswell", "blas", "rpc"):
        (tmp_path / name.format(other)).touch()
    for other in ("libggml.so", "libllama.so", "libmtmd.so"):
        (tmp_path / other).touch()
    assert not is_built_for_gpus(tmp_path)
    (tmp_path / name.format(backend)).touch()
    assert is_built_for_gpus(tmp_path)


def test_integrated_devices_count_where_there_are_no_others(tmp_path: Path) -> None:
    assert look(tmp_path, saying(json.dumps([CPU, BOARD]))).is_unified
    beside = look(tmp_path, saying(json.dumps([CPU, BOARD, CARD])))
    assert [device.name for device in beside.devices] == ["CUDA0"]
    assert not beside.is_unified


def test_a_device_without_memory_is_none(tmp_path: Path) -> None:
    assert look(tmp_path, saying(json.dumps([CPU, {**CARD, "total_bytes": 0}]))).devices == ()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (saying("[]", code=3), "code 3"),
        (saying("a driver's chatter"), "cannot be read"),
        (saying('[{"name": 1}]'), "cannot be read"),
        (("/no/such/program",), "No such file"),
        ((sys.executable, "-c", "import os, signal; os.kill(os.getpid(), 9)"), "code -9"),
    ],
)
@pytest.mark.usefixtures("one_card")
def test_where_llama_cpp_fails_the_system_is_asked(
    command: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    found = look(tmp_path, command)
    assert found.devices == (Device("cuda", 8 * GIB, 8 * GIB, False, "RTX"),)
    assert words in found.note


@pytest.mark.usefixtures("one_card")
def test_a_program_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "TIMEOUT_S", 0.2)
    found = look(tmp_path, (sys.executable, "-c", "import time; time.sleep(60)"))
    assert "within 0.2 seconds" in found.note
    assert len(found.devices) == 1


def test_memory_that_is_shared_has_what_main_memory_has_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = (Gpu("Jetson", "cuda", 8 * GIB, shares_memory=True),)
    memory = hardware.Memory(8 * GIB, 5 * GIB)
    monkeypatch.setattr(machine, "detect_gpus", lambda root, memory: board)
    monkeypatch.setattr(machine, "detect_memory", lambda root: memory)
    found = look(tmp_path, ("/no/such/program",))
    assert found.is_unified
    assert found.devices[0].free_bytes == 5 * GIB


def test_two_cards_are_both_used() -> None:
    cards = (Device("CUDA0", 1, 2), Device("CUDA1", 1, 2))
    assert usable(cards) == cards
