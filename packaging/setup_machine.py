"""Decides how llama.cpp is built on this machine: backend, flags, and a key that names the build.

Looks at the machine and the environment, changes nothing. A build uses the processor's own
instructions, so the key holds whatever the binary depends on; two builds with one key are equal.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# What a person calls them, and what llama.cpp does.
BACKENDS = {"cpu": "CPU", "cuda": "CUDA", "metal": "METAL", "rocm": "HIP", "vulkan": "VULKAN"}
ALIASES = {"hip": "rocm"}

# GCC before 13 drops the stores that configure AMX tiles as dead: SIGSEGV at ldtilecfg.
AMX_CURE = "-fno-tree-dse -fno-dse -fno-tree-sra"
# llamafile's kernels sum wide batches in another order than narrow ones, so a draft's length can
# tip a near-tie. Where AMX multiplies the weights they gain little, and without them it cannot.
SAME_SUMS = "-DGGML_LLAMAFILE=OFF"
AMX_SAFE_GCC = 13
# The library that lets models see pictures would start ffmpeg for a film, which nobody asks of it.
NO_VIDEO = "-DMTMD_VIDEO=OFF"

# One of these exists where an NVIDIA driver is loaded: PCs, Jetson, WSL (whose /dev/dxg is there
# for every GPU).
NVIDIA_DRIVERS = (
    "/proc/driver/nvidia/version",
    "/dev/nvhost-gpu",
    "/dev/nvgpu/igpu0",
    "/usr/lib/wsl/lib/libcuda.so.1",
)
# Who made a GPU, by the vendor's number on the PCI bus; and what to build with to try it.
CARDS = "/sys/class/drm"
VENDORS = {"0x1002": "AMD", "0x8086": "Intel"}
TO_TRY = {
    "AMD": "vulkan (with the Vulkan SDK installed) or rocm (with ROCm)",
    "Intel": "vulkan (with the Vulkan SDK installed)",
}


class SetupError(Exception):
    """Setting up cannot go on: one line for the person, which says what to do."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """The C++ compiler that CMake will take. gcc_major: None when it is not GCC."""

    path: str
    version: str
    gcc_major: int | None


@dataclass(frozen=True, slots=True)
class Machine:
    """What the build depends on. cpu: instruction sets, or the model's name where unlisted;
    other_gpus: those of VENDORS, by who made them.
    """

    system: str
    arch: str
    cpu: tuple[str, ...]
    compiler: Compiler
    nvcc: str | None
    nvidia_driver: bool
    other_gpus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """How to build: `cmake_args` and `cxxflags` as their environment variables want them.

    notes: what the person should know about the choice, one line each.
    """

    version: str
    backend: str
    cmake_args: str
    cxxflags: str
    key: str
    notes: tuple[str, ...]


def look(env: Mapping[str, str]) -> Machine:
    """Look at this machine. Raises SetupError without a C++ compiler."""
    return Machine(
        system=platform.system(),
        arch=platform.machine(),
        cpu=_cpu(Path(env.get("SLIPSTREAM_CPUINFO", "/proc/cpuinfo"))),
        compiler=_compiler(env),
        nvcc=_nvcc(env),
        nvidia_driver=any(Path(path).exists() for path in NVIDIA_DRIVERS),
        other_gpus=_other_gpus(Path(CARDS)),
    )


def plan(machine: Machine, env: Mapping[str, str], version: str) -> Plan:
    """Choose backend and flags to build this version of llama-cpp-python with."""
    backend, notes = _backend(machine, env.get("SLIPSTREAM_BACKEND", ""))
    cmake_args = ["-DGGML_NATIVE=ON", NO_VIDEO]
    if _has_amx(machine):
        cmake_args.append(SAME_SUMS)
    if backend != "cpu":
        cmake_args.append(f"-DGGML_{BACKENDS[backend]}=ON")
    if backend == "cuda" and machine.nvcc:
        cmake_args.append(f"-DCMAKE_CUDA_COMPILER={machine.nvcc}")
    if machine.system == "Darwin":
        cmake_args.append("-DGGML_BLAS=OFF")  # it computes 32 rows otherwise than fewer
    if machine.system == "Darwin" and backend == "cpu":
        cmake_args.append("-DGGML_METAL=OFF")
    cure = [AMX_CURE] if _needs_amx_cure(machine) else []
    chosen = (
        backend,
        " ".join([*map(shlex.quote, cmake_args), *_given(env, "CMAKE_ARGS")]),
        " ".join([*cure, *_given(env, "CXXFLAGS")]),
    )
    return Plan(version, *chosen, key=_key(machine, version, chosen), notes=notes)


def _backend(machine: Machine, wanted: str) -> tuple[str, tuple[str, ...]]:
    if wanted:
        name = wanted.lower()
        return _wanted_backend(machine, ALIASES.get(name, name)), ()
    if machine.system == "Darwin" and machine.arch == "arm64":
        return "metal", ()
    if machine.nvcc and machine.nvidia_driver:
        return "cuda", ()
    if machine.nvcc:
        return "cpu", (
            "There is a CUDA toolkit but no NVIDIA driver, so this build is for the CPU"
            " (SLIPSTREAM_BACKEND=cuda overrides).",
            *_untried(machine),
        )
    if machine.nvidia_driver:
        return "cpu", (
            "There is an NVIDIA GPU but no CUDA toolkit (nvcc), so this build is for the CPU."
            " To use the GPU, install the toolkit, remove .venv and start again.",
        )
    return "cpu", _untried(machine)


def _untried(machine: Machine) -> tuple[str, ...]:
    """Say which GPUs a build for the CPU leaves idle, and how to try them."""
    return tuple(
        f"There is an {maker} GPU, and this build is for the CPU. To try the GPU, start again with"
        f" SLIPSTREAM_BACKEND={TO_TRY[maker]}."
        for maker in machine.other_gpus
    )


def _wanted_backend(machine: Machine, wanted: str) -> str:
    if wanted not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise SetupError(f"SLIPSTREAM_BACKEND is {wanted!r}; it can be one of: {known}.")
    if wanted == "cuda" and not machine.nvcc:
        raise SetupError(
            "SLIPSTREAM_BACKEND=cuda needs the CUDA toolkit, but nvcc is not found. Install it, or"
            " set SLIPSTREAM_BACKEND=cpu, and start again."
        )
    return wanted


def _needs_amx_cure(machine: Machine) -> bool:
    gcc = machine.compiler.gcc_major
    return gcc is not None and gcc < AMX_SAFE_GCC and _has_amx(machine)


def _has_amx(machine: Machine) -> bool:
    return not {"amx_tile", "amx_int8"}.isdisjoint(machine.cpu)


def _given(env: Mapping[str, str], name: str) -> list[str]:
    return [env[name]] if env.get(name) else []


def _key(machine: Machine, version: str, chosen: tuple[str, ...]) -> str:
    facts = (
        *chosen,
        machine.system,
        machine.arch,
        *machine.cpu,
        machine.compiler.version,
        *platform.libc_ver(),
    )
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{python}-{chosen[0]}-{digest}"


def _cpu(cpuinfo: Path) -> tuple[str, ...]:
    """Return the instruction sets that Linux lists, else the processor's name."""
    if not cpuinfo.is_file():
        return (_output("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor(),)
    listed = re.search(r"^(?:flags|Features)\s*:(.*)$", cpuinfo.read_text(), re.MULTILINE)
    names = listed[1].split() if listed else []
    told = re.compile(r"avx|amx|fma|f16c|asimd|fphp|sve|i8mm|bf16")
    return tuple(sorted(filter(told.match, names)))


def _compiler(env: Mapping[str, str]) -> Compiler:
    for name in [env["CXX"]] if env.get("CXX") else ["c++", "g++", "clang++"]:
        banner = _output(*shlex.split(name), "--version")
        if banner:
            is_gcc = "clang" not in banner.lower()
            number = re.match(r"\d+", _output(*shlex.split(name), "-dumpversion"))
            gcc_major = int(number[0]) if is_gcc and number else None
            return Compiler(name, banner.splitlines()[0], gcc_major)
    raise SetupError(
        "No C++ compiler found. Install one (Debian, Ubuntu: sudo apt install g++;"
        " macOS: xcode-select --install) and start again."
    )


def _nvcc(env: Mapping[str, str]) -> str | None:
    """Return the CUDA compiler; its usual folder is often not on the PATH."""
    home = env.get("CUDA_HOME") or "/usr/local/cuda"
    return shutil.which("nvcc", path=env.get("PATH")) or shutil.which("nvcc", path=f"{home}/bin")


def _other_gpus(cards: Path) -> tuple[str, ...]:
    """Return who made the GPUs that the system has a driver for, as far as that is known here."""
    found = set()
    for file in cards.glob("card*/device/vendor"):
        try:
            found.add(VENDORS.get(file.read_text().strip(), ""))
        except OSError:
            continue
    return tuple(sorted(found - {""}))


def _output(*command: str) -> str:
    """Return what a command prints, "" if it cannot be run or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
