"""What can hold a pair on this machine: main memory, GPU memory, disk. Measures, judges nothing.

llama.cpp itself is asked for its devices, by a program of its own: what it could not use does not
count, and a driver that crashes takes nothing down. That takes a second; whether weights are
rearranged the files tell at once. Tests make a `Machine` of their own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import msgspec

from app.hardware import Gpu, Memory, detect_cpu, detect_gpus, detect_memory, disk_at

LIST_DEVICES = (sys.executable, "-P", "-m", "engine.process.list_devices")
TIMEOUT_S = 20
ROOT = Path("/")
AMX = "AMX"
AMX_FEATURE, AMX_LAYOUT = "amx_int8", b"\0AMX\0"
"""How the system and a library of llama.cpp's that has the kernels for it name it."""
GPU_LIBRARY = re.compile(r"ggml-(?!base|cpu|blas|rpc)\w")
"""What the libraries of llama.cpp's that compute on GPUs are called."""


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU. is_integrated: its memory is main memory; description: the maker's name for it."""

    name: str
    free_bytes: int
    total_bytes: int
    is_integrated: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a pair could go. devices: the GPUs that llama.cpp would use, none in a CPU build.

    has_amx: the processor's kernels rearrange weights into AMX tiles, which take more room than
    the file's. note: why the devices may be others than llama.cpp's, "" if they are its own.
    """

    memory: Memory
    devices: tuple[Device, ...]
    disk_free_bytes: int
    has_amx: bool = False
    note: str = ""

    @property
    def is_unified(self) -> bool:
        """Whether GPU and processor share one memory, which counts once."""
        return any(device.is_integrated for device in self.devices)


class _Listed(msgspec.Struct, frozen=True):
    """An entry of engine.process.list_devices."""

    name: str
    description: str
    kind: str
    total_bytes: int
    free_bytes: int
    packing: list[str] = []


def look(folder: Path, command: Sequence[str] = LIST_DEVICES) -> Machine:
    """Measure this machine and the disk that holds `folder`; asks llama.cpp, up to 20 seconds."""
    memory, disk = detect_memory(ROOT), disk_at(folder).free_bytes
    listed, fault = _ask(command)
    if listed is None:
        devices = _found(detect_gpus(ROOT, memory), memory)
        return Machine(memory, usable(devices), disk, may_rearrange_weights(), note=fault)
    devices = tuple(
        Device(
            entry.name,
            entry.free_bytes,
            entry.total_bytes,
            entry.kind == "integrated",
            entry.description,
        )
        for entry in listed
        if entry.kind != "cpu" and entry.total_bytes
    )
    has_amx = any(AMX in entry.packing for entry in listed)
    return Machine(memory, usable(devices), disk, has_amx)


def may_rearrange_weights(root: Path = ROOT, libraries: Path | None = None) -> bool:
    """Return whether llama.cpp's processor kernels rearrange weights into AMX tiles here, as far
    as the processor's flags and its library tell; loads neither.

    libraries: the folder of llama.cpp's libraries, None for the one that is installed.
    """
    if AMX_FEATURE not in detect_cpu(root).features:
        return False  # few have it, and libraries are long to read
    folder = libraries or _libraries()
    return folder is not None and any(map(_has_amx_kernels, folder.glob("*ggml-cpu*")))


def is_built_for_gpus(libraries: Path | None = None) -> bool:
    """Return whether llama.cpp has a library for GPUs, among them some that the system does not
    tell of; loads none. libraries: as above.
    """
    folder = libraries or _libraries()
    return folder is not None and any(
        GPU_LIBRARY.search(file.name) for file in folder.glob("*ggml-*")
    )


def _libraries() -> Path | None:
    spec = find_spec("llama_cpp")
    return Path(spec.origin).parent / "lib" if spec is not None and spec.origin else None


def _has_amx_kernels(library: Path) -> bool:
    try:
        return AMX_LAYOUT in library.read_bytes()
    except OSError:
        return False


def usable(devices: Sequence[Device]) -> tuple[Device, ...]:
    """Return those that llama.cpp takes: integrated ones only where there are no others."""
    discrete = tuple(device for device in devices if not device.is_integrated)
    return discrete or tuple(devices)


def _ask(command: Sequence[str]) -> tuple[list[_Listed] | None, str]:
    """Return llama.cpp's list, or None and why there is none."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, f"llama.cpp did not list its devices within {TIMEOUT_S} seconds"
    except OSError as error:
        return None, f"llama.cpp's devices cannot be listed: {error}"
    if done.returncode != 0:
        return None, f"llama.cpp ended with code {done.returncode} when asked for its devices"
    try:
        return msgspec.json.decode(done.stdout, type=list[_Listed]), ""
    except msgspec.MsgspecError as error:
        return None, f"llama.cpp's list of devices cannot be read: {error}"


def _found(gpus: Sequence[Gpu], memory: Memory) -> tuple[Device, ...]:
    """Return the GPUs that the system knows. What is free is not known: all of it, or, where it
    is main memory, what is free there.
    """
    return tuple(
        Device(
            gpu.backend,
            memory.available_bytes if gpu.shares_memory else gpu.memory_bytes,
            gpu.memory_bytes,
            gpu.shares_memory,
            gpu.name,
        )
        for gpu in gpus
        if gpu.memory_bytes is not None
    )
