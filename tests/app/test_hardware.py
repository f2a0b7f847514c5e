"""What hardware.py reads off machines that we do not have: their files, under another root."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from app import hardware
from app.hardware import GIB, Gpu, Memory, detect_cpu, detect_gpus, detect_memory, disk_at

XEON = """\
processor\t: 0
model name\t: Intel(R) Xeon(R) Platinum
flags\t\t: fpu sse avx avx2 avx512f avx512_vnni amx_int8 amx_tile

processor\t: 1
model name\t: Intel(R) Xeon(R) Platinum
flags\t\t: fpu sse avx avx2 avx512f avx512_vnni amx_int8 amx_tile
"""
RASPBERRY_PI = """\
processor\t: 0
Features\t: fp asimd evtstrm aes asimddp

Model\t\t: Raspberry Pi 5 Model B Rev 1.0
"""
JETSON = "processor\t: 0\nFeatures\t: fp asimd asimddp\n"
MEMORY = Memory(16 * GIB, 8 * GIB)


@pytest.fixture(autouse=True)
def linux_without_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Be on Linux, with nothing to run."""
    monkeypatch.setattr(hardware.platform, "system", lambda: "Linux")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    ("cpuinfo", "name", "features"),
    [
        (XEON, "Intel(R) Xeon(R) Platinum", ("amx_int8", "avx", "avx2", "avx512", "avx512_vnni")),
        (RASPBERRY_PI, "Raspberry Pi 5 Model B Rev 1.0", ("dotprod", "neon")),
    ],
)
def test_a_processor_is_known_by_name_and_by_what_kernels_it_can_run(
    tmp_path: Path, cpuinfo: str, name: str, features: tuple[str, ...]
) -> None:
    write(tmp_path, "proc/cpuinfo", cpuinfo)
    cpu = detect_cpu(tmp_path)
    assert (cpu.name, cpu.features) == (name, features)
    assert cpu.physical_cores >= 1


def test_an_unreadable_machine_has_a_name_all_the_same(tmp_path: Path) -> None:
    cpu = detect_cpu(tmp_path)
    assert cpu.name
    assert cpu.features == ()


@pytest.mark.parametrize(
    ("limit", "used", "expected"),
    [
        ("max", "", MEMORY),
        (str(32 * GIB), "0", MEMORY),
        (str(4 * GIB), str(1 * GIB), Memory(4 * GIB, 3 * GIB)),
        (str(4 * GIB), str(5 * GIB), Memory(4 * GIB, 0)),
    ],
)
def test_memory_is_what_the_container_grants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, used: str, expected: Memory
) -> None:
    host = SimpleNamespace(total=MEMORY.total_bytes, available=MEMORY.available_bytes)
    monkeypatch.setattr(hardware.psutil, "virtual_memory", lambda: host)
    monkeypatch.setattr(hardware.platform, "libc_ver", lambda: ("glibc", "2.35"))
    write(tmp_path, "sys/fs/cgroup/memory.max", f"{limit}\n")
    write(tmp_path, "sys/fs/cgroup/memory.current", f"{used}\n")
    assert detect_memory(tmp_path) == expected


V2 = ("memory.max", "memory.current", "")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")


@pytest.mark.parametrize("version", [V2, V1], ids=["v2", "v1"])
@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ({"": (4, 4, 3)}, (4, 3)),
        ({"": (12, 12, 11)}, (12, 8)),  # no more than the machine has left
        ({"": (99, 0, 0), "a": (6, 5, 1), "a/b": (99, 1, 0)}, (6, 2)),
        ({"a": (6, 1, 0), "a/b": (4, 2, 1)}, (4, 3)),
        ({"other": (1, 1, 0)}, (16, 8)),
    ],
)
def test_files_that_the_kernel_keeps_of_a_container_count_as_free(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: tuple[str, str, str],
    folders: dict[str, tuple[int, int, int]],
    expected: tuple[int, int],
) -> None:
    host = SimpleNamespace(total=MEMORY.total_bytes, available=MEMORY.available_bytes)
    monkeypatch.setattr(hardware.psutil, "virtual_memory", lambda: host)
    most, held, prefix = version
    mount, kinds = ("sys/fs/cgroup", "") if version is V2 else ("sys/fs/cgroup/memory", "memory")
    write(tmp_path, "proc/self/cgroup", f"3:cpu:/other\n1:{kinds}:/a/b\n")
    for folder, (limit, used, files) in folders.items():
        write(tmp_path, f"{mount}/{folder}/{most}", f"{limit * GIB}\n")
        write(tmp_path, f"{mount}/{folder}/{held}", f"{used * GIB}\n")
        kept = f"{prefix}inactive_file {files * GIB - 1}\n{prefix}active_file 1\n" * bool(files)
        write(tmp_path, f"{mount}/{folder}/memory.stat", f"inactive_filed 7\n{kept}anon 9\n")
    found = detect_memory(tmp_path)
    assert (found.total_bytes, found.available_bytes) == tuple(n * GIB for n in expected)


def test_a_container_s_quota_of_cores_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(hardware.psutil, "cpu_count", lambda logical: 4)
    assert detect_cpu(tmp_path).physical_cores == 4
    write(tmp_path, "sys/fs/cgroup/cpu.max", "150000 100000\n")
    assert detect_cpu(tmp_path).physical_cores == 1


@pytest.mark.parametrize("granted", ["always", "madvise", "never"])
def test_who_gets_huge_pages_is_read_off_linux(tmp_path: Path, granted: str) -> None:
    choices = "always madvise never".replace(granted, f"[{granted}]")
    write(tmp_path, "sys/kernel/mm/transparent_hugepage/enabled", f"{choices}\n")
    assert detect_memory(tmp_path).huge_pages == granted


@pytest.mark.parametrize(
    ("libc", "asks"),
    [
        (("glibc", "2.35"), True),
        (("glibc", "2.100"), True),
        (("glibc", "3.0"), True),
        (("glibc", "2.31"), False),
        (("glibc", "2.4"), False),
        (("", ""), False),
    ],
)
def test_huge_pages_are_asked_for_where_the_c_library_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, libc: tuple[str, str], asks: bool
) -> None:
    monkeypatch.setattr(hardware.platform, "libc_ver", lambda: libc)
    assert detect_memory(tmp_path).asks_for_pages is asks


def test_without_a_gpu_there_is_none(tmp_path: Path) -> None:
    assert detect_gpus(tmp_path, MEMORY) == ()


def test_a_jetson_shares_its_memory_with_its_gpu(tmp_path: Path) -> None:
    write(tmp_path, "proc/cpuinfo", JETSON)
    write(tmp_path, "proc/device-tree/model", "NVIDIA Jetson Orin Nano Developer Kit\0")
    name = "NVIDIA Jetson Orin Nano Developer Kit"
    assert detect_cpu(tmp_path).name == name
    assert detect_gpus(tmp_path, MEMORY) == (Gpu(name, "cuda", 16 * GIB, shares_memory=True),)


def test_an_nvidia_card_is_known_by_its_driver_alone(tmp_path: Path) -> None:
    information = "Model: \t\t NVIDIA GeForce RTX 4070\nIRQ: 1\n"
    write(tmp_path, "proc/driver/nvidia/gpus/0000:01:00.0/information", information)
    assert detect_gpus(tmp_path, MEMORY) == (Gpu("NVIDIA GeForce RTX 4070", "cuda", None),)


def test_the_driver_s_tool_knows_the_memory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "bin/nvidia-smi", "#!/bin/sh\necho 'NVIDIA GB10, [N/A]'\necho 'A, B, 8192'\n")
    os.chmod(tmp_path / "bin/nvidia-smi", 0o755)
    assert detect_gpus(tmp_path, MEMORY) == (
        Gpu("NVIDIA GB10", "cuda", None),
        Gpu("A, B", "cuda", 8 * GIB),
    )


def test_a_processor_s_own_graphics_is_no_card(tmp_path: Path) -> None:
    write(tmp_path, "sys/class/drm/card0/device/mem_info_vram_total", f"{GIB // 2}\n")
    write(tmp_path, "sys/class/drm/card1/device/mem_info_vram_total", f"{16 * GIB}\n")
    assert detect_gpus(tmp_path, MEMORY) == (Gpu("AMD GPU", "vulkan", 16 * GIB),)


def test_apple_silicon_has_metal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(hardware.platform, "machine", lambda: "arm64")
    [gpu] = detect_gpus(tmp_path, MEMORY)
    assert (gpu.backend, gpu.shares_memory) == ("metal", True)


def test_a_disk_is_measured_before_the_folder_exists(tmp_path: Path) -> None:
    disk = disk_at(tmp_path / "not" / "yet")
    assert disk.path == tmp_path / "not" / "yet"
    assert 0 < disk.free_bytes <= disk.total_bytes


def test_this_machine_is_detected() -> None:
    found = hardware.detect()
    assert found.cpu.name
    assert 0 < found.memory.available_bytes <= found.memory.total_bytes
