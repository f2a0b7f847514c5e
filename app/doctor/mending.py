"""The exact lines that mend an installation, for `doctor` and for whoever reports a crash."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, requires

from app.doctor.facts import Facts
from app.models.catalog import EMBEDDED

ROCM = "hip"
"""As llama.cpp's build calls it; of an AMD card the system tells no more than Vulkan."""
GPU_NEEDS = {
    "cuda": "With the CUDA toolkit installed: ",
    "metal": "",
    "vulkan": "With the Vulkan SDK installed: ",
    ROCM: "With ROCm installed: ",
}
# Without these, GCC before 13 compiles llama.cpp's AMX kernels into a crash.
AMX_CURE = "-fno-tree-dse -fno-dse -fno-tree-sra"


def rebuild(facts: Facts) -> str:
    """Return the line that builds llama.cpp anew for what this machine has."""
    gpus, has_amx = facts.hardware.gpus, "amx_int8" in facts.hardware.cpu.features
    built_for = _backend_of(facts.device)
    backend = gpus[0].backend if gpus and built_for != ROCM else built_for
    cure = AMX_CURE if has_amx else ""
    return GPU_NEEDS.get(backend, "") + rebuild_line(facts.versions.llama, backend, cure)


def rebuild_line(version: str, backend: str = "native", cxxflags: str = "") -> str:
    """Return the line that builds llama.cpp anew into the environment we run in.

    version: of llama-cpp-python, "" for one that we can use. backend: "cuda", "metal", "vulkan",
    "hip", or "native" for the processor alone.
    """
    same_sums = " -DGGML_LLAMAFILE=OFF" if cxxflags == AMX_CURE else ""  # as packaging/run does
    same_sums += " -DGGML_BLAS=OFF" if sys.platform == "darwin" else ""
    flags = f'CMAKE_ARGS="-DGGML_{backend.upper()}=ON -DMTMD_VIDEO=OFF{same_sums}" '
    flags += f'CXXFLAGS="{cxxflags}" ' if cxxflags else ""
    wanted = f"llama-cpp-python=={version}" if version else _usable()
    return (
        f'{flags}"{sys.executable}" -m pip install --force-reinstall --no-deps --no-cache-dir'
        f" --no-binary llama-cpp-python {wanted}"
    )


def _backend_of(device: str) -> str:
    """Return what llama.cpp was built with for a device that the system does not tell of."""
    called = device.lower().replace("rocm", "hip")
    return next((name for name in GPU_NEEDS if called.startswith(name)), "native")


def _usable() -> str:
    """Return which versions of llama-cpp-python we can use, as pip wants it in a shell."""
    try:
        needed = requires("slipstream") or []
    except PackageNotFoundError:
        needed = []
    found = next((one for one in needed if one.startswith("llama-cpp-python")), "llama-cpp-python")
    return f'"{found}"'


def restoring_demo() -> str:
    """Return what brings the embedded pair back: a line where git has it, else what to do."""
    root = EMBEDDED.parent.parent
    if (root / ".git").exists():
        return f'git -C "{root}" checkout -- app/demo'
    return f"Get {EMBEDDED} of this version again, from where Slipstream came from."
