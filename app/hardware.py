"""What this machine has: processor, memory, graphics, disk. Detects, and judges nothing.

Reads files and the standard tools' output, loads no native code of ours and no GPU library. What
cannot be known that way is absent, never guessed. Linux files are read under a root passed in.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

MIB = 2**20
GIB = 2**30
CARD_BYTES = 2 * GIB

# The instruction sets that llama.cpp's kernels care about, under Linux's names and ours.
LINUX_FEATURES = {
    "avx": "avx",
    "avx2": "avx2",
    "avx512f": "avx512",
    "avx512_vnni": "avx512_vnni",
    "amx_int8": "amx_int8",
    "asimd": "neon",
    "neon": "neon",
    "asimddp": "dotprod",
    "i8mm": "i8mm",
    "sve": "sve",
}
APPLE_FEATURES = {
    "hw.optional.neon": "neon",
    "hw.optional.arm.FEAT_DotProd": "dotprod",
    "hw.optional.arm.FEAT_I8MM": "i8mm",
    "hw.optional.avx2_0": "avx2",
}
MEMORY_FILES = (
    ("memory.max", "memory.current", ""),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
)
"""A cgroup's limit and use, and what memory.stat puts before its keys: version 2, version 1."""


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processor: those of its cores that this process may use, the fast ones and others."""

    name: str
    physical_cores: int
    features: tuple[str, ...]
    slow_cores: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """Main memory, as far as this process may use it.

    huge_pages: to whom Linux grants them: "always" to all, "madvise" to who asks, "never"; "" on
    other systems. asks_for_pages: whether its C library can be told to ask.
    """

    total_bytes: int
    available_bytes: int
    huge_pages: str = ""
    asks_for_pages: bool = True


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics processor. backend: llama.cpp's for it; memory_bytes: None when unknown.

    shares_memory: its memory is main memory (Apple, Jetson).
    """

    name: str
    backend: str
    memory_bytes: int | None
    shares_memory: bool = False


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system that holds `path`."""

    path: Path
    total_bytes: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class Hardware:
    """All of it but the disks."""

    cpu: Cpu
    memory: Memory
    gpus: tuple[Gpu, ...]


def detect(root: Path = Path("/")) -> Hardware:
    """Look at this machine."""
    memory = detect_memory(root)
    return Hardware(detect_cpu(root), memory, detect_gpus(root, memory))


def detect_cpu(root: Path = Path("/")) -> Cpu:
    """Name the processor, count its cores, list the instruction sets that matter."""
    from engine import count_cores, default_threads

    cpuinfo = _read(root / "proc/cpuinfo")
    if cpuinfo:
        name, features = _linux_cpu(cpuinfo, root)
    elif platform.system() == "Darwin":
        name, features = _output("sysctl", "-n", "machdep.cpu.brand_string"), _apple_features()
    else:
        name, features = "", ()
    name = name or platform.processor() or platform.machine()
    return Cpu(name, default_threads(root), features, count_cores(root).slow)


def detect_memory(root: Path = Path("/")) -> Memory:
    """Measure main memory; a container's limit counts, not the host's memory."""
    from engine import cgroups

    memory = psutil.virtual_memory()
    granted = re.search(r"\[(\w+)\]", _read(root / "sys/kernel/mm/transparent_hugepage/enabled"))
    limits = [found for folder in cgroups(root, "memory") for found in _limit(folder)]
    limits = [(most, left) for most, left in limits if most < memory.total]
    total = min([memory.total, *(most for most, _ in limits)])
    left = min([memory.available, *(left for _, left in limits)])
    return Memory(total, max(0, left), granted[1] if granted else "", asks_for_pages())


def asks_for_pages() -> bool:
    """Whether the C library's malloc can be told to ask for huge pages: glibc's, since 2.35."""
    name, version = platform.libc_ver()
    return name == "glibc" and tuple(map(int, re.findall(r"\d+", version))) >= (2, 35)


def held_by(pid: int) -> int | None:
    """Return the bytes of main memory that a process holds, None if it has ended."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None


def detect_gpus(root: Path, memory: Memory) -> tuple[Gpu, ...]:
    """List the graphics processors that llama.cpp could use."""
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        chip = _output("sysctl", "-n", "machdep.cpu.brand_string") or "Apple GPU"
        return (Gpu(chip, "metal", memory.total_bytes, shares_memory=True),)
    board = _read(root / "proc/device-tree/model").strip("\0\n ")
    if re.search("jetson|tegra", board, re.IGNORECASE):
        return (Gpu(board, "cuda", memory.total_bytes, shares_memory=True),)
    return (*(_nvidia_by_tool() or _nvidia_by_driver(root)), *_amd(root))


def disk_at(path: Path) -> Disk:
    """Measure the file system that holds `path`, or will once it is created."""
    there = next(folder for folder in (path, *path.parents) if os.path.exists(folder))
    usage = shutil.disk_usage(there)
    return Disk(path, usage.total, usage.free)


def _linux_cpu(cpuinfo: str, root: Path) -> tuple[str, tuple[str, ...]]:
    fields = dict(re.findall(r"^([^\t\n:]+?)\s*:\s*(.*)$", cpuinfo, re.MULTILINE))
    name = fields.get("model name") or fields.get("Model", "")
    board = _read(root / "proc/device-tree/model").strip("\0\n ")
    listed = fields.get("flags") or fields.get("Features", "")
    found = {LINUX_FEATURES[flag] for flag in listed.split() if flag in LINUX_FEATURES}
    return name or board, tuple(sorted(found))


def _apple_features() -> tuple[str, ...]:
    found = {name for key, name in APPLE_FEATURES.items() if _output("sysctl", "-n", key) == "1"}
    return tuple(sorted(found))


def _limit(cgroup: Path) -> list[tuple[int, int]]:
    """Return a cgroup's most bytes of memory and those left, nothing if it has no limit: what the
    kernel keeps of files it gives back when asked, so that it counts as left.
    """
    stat = dict(re.findall(r"^(\w+) (\d+)$", _read(cgroup / "memory.stat"), re.MULTILINE))
    for most, used, prefix in MEMORY_FILES:
        limit, held = (_read(cgroup / name).strip() for name in (most, used))
        if limit.isdigit():
            kept = sum(int(stat.get(f"{prefix}{kind}_file", 0)) for kind in ("active", "inactive"))
            held_bytes = int(held) if held.isdigit() else 0
            return [(int(limit), int(limit) - max(0, held_bytes - kept))]
    return []


def _nvidia_by_tool() -> list[Gpu]:
    """Ask the driver's tool, which knows the memory."""
    query = ("--query-gpu=name,memory.total", "--format=csv,noheader,nounits")
    rows = [line.rsplit(",", 1) for line in _output("nvidia-smi", *query).splitlines()]
    return [
        Gpu(row[0].strip(), "cuda", int(row[1]) * MIB if row[1].strip().isdigit() else None)
        for row in rows
        if len(row) == 2
    ]


def _nvidia_by_driver(root: Path) -> list[Gpu]:
    """Read what the loaded driver says, where its tool is missing."""
    texts = [_read(file) for file in sorted(root.glob("proc/driver/nvidia/gpus/*/information"))]
    names = [found[1].strip() for text in texts if (found := re.search(r"Model:(.*)", text))]
    return [Gpu(name, "cuda", None) for name in names]


def _amd(root: Path) -> list[Gpu]:
    """Find AMD cards by their kernel driver; a processor's own graphics has next to no memory."""
    files = sorted(root.glob("sys/class/drm/card*/device/mem_info_vram_total"))
    sizes = [int(text) for file in files if (text := _read(file).strip()).isdigit()]
    return [Gpu("AMD GPU", "vulkan", size) for size in sizes if size >= CARD_BYTES]


def _read(path: Path) -> str:
    """Return a file's text, "" if it cannot be read."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _output(*command: str) -> str:
    """Return what a command prints, "" if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
