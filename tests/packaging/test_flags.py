"""Which flags llama.cpp is built with, on machines we do not have."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.doctor.mending import rebuild_line

SAPPHIRE_RAPIDS = "flags\t\t: fpu avx2 avx512f amx_bf16 amx_tile amx_int8\n"
HASWELL = "flags\t\t: fpu avx avx2 fma\n"
CORTEX = "Features\t: fp asimd asimddp\n"
CURE = "-fno-tree-dse -fno-dse -fno-tree-sra"

MakeMachine = Callable[..., Any]


@pytest.fixture
def module() -> Any:
    return importlib.import_module("setup_machine")


@pytest.fixture
def machine(module: Any) -> MakeMachine:
    """A PC with GCC 14 and no GPU, but for what a test changes."""

    def make(gcc: int | None = 14, cpu: tuple[str, ...] = ("avx2",), **changes: Any) -> Any:
        compiler = module.Compiler("c++", f"c++ {gcc}", gcc)
        facts = {"system": "Linux", "arch": "x86_64", "nvcc": None, "nvidia_driver": False}
        return module.Machine(compiler=compiler, cpu=cpu, **(facts | changes))

    return make


def gcc(version: str) -> str:
    return f'case $1 in --version) echo "g++ (Distro) {version}";; *) echo {version};; esac'


@pytest.mark.parametrize(
    ("version", "cpuinfo", "flags"),
    [
        ("12", SAPPHIRE_RAPIDS, CURE),
        ("11.4.0", SAPPHIRE_RAPIDS, CURE),
        ("13", SAPPHIRE_RAPIDS, ""),
        ("12", HASWELL, ""),
        ("12", CORTEX, ""),
    ],
)
def test_an_old_gcc_gets_the_cure_where_there_is_amx(
    module: Any,
    machine_env: Mapping[str, str],
    tool: Callable[[str, str], Path],
    version: str,
    cpuinfo: str,
    flags: str,
) -> None:
    tool("g++", gcc(version))
    Path(machine_env["SLIPSTREAM_CPUINFO"]).write_text(cpuinfo)
    assert module.plan(module.look(machine_env), machine_env, "1.0").cxxflags == flags


def test_the_compiler_named_by_cxx_is_the_one_looked_at(
    module: Any, machine_env: Mapping[str, str], tool: Callable[[str, str], Path]
) -> None:
    tool("g++", gcc("14"))
    tool("g++-12", gcc("12"))
    assert module.look({**machine_env, "CXX": "g++-12"}).compiler.gcc_major == 12


def test_clang_is_not_taken_for_gcc(
    module: Any, machine_env: Mapping[str, str], tool: Callable[[str, str], Path]
) -> None:
    tool("c++", 'case $1 in --version) echo "Debian clang version 11.0";; *) echo 11;; esac')
    assert module.look(machine_env).compiler.gcc_major is None


def test_a_compiler_that_does_not_run_is_no_compiler(
    module: Any, machine_env: Mapping[str, str], tool: Callable[[str, str], Path]
) -> None:
    tool("c++", "exit 1")
    with pytest.raises(module.SetupError, match="No C\\+\\+ compiler"):
        module.look(machine_env)


def test_given_flags_are_kept_behind_ours(module: Any, machine: MakeMachine) -> None:
    env = {"CXXFLAGS": "-g", "CMAKE_ARGS": "-DGGML_BLAS=ON"}
    plan = module.plan(machine(gcc=12, cpu=("amx_int8",)), env, "1.0")
    assert plan.cxxflags == f"{CURE} -g"
    assert plan.cmake_args.endswith(" -DGGML_BLAS=ON")


@pytest.mark.parametrize(
    ("changes", "backend", "flag", "note"),
    [
        ({}, "cpu", "-DGGML_NATIVE=ON", None),
        ({"nvcc": "/cuda/nvcc", "nvidia_driver": True}, "cuda", "-DGGML_CUDA=ON", None),
        ({"nvcc": "/cuda/nvcc"}, "cpu", "-DGGML_NATIVE=ON", "no NVIDIA driver"),
        ({"nvidia_driver": True}, "cpu", "-DGGML_NATIVE=ON", "no CUDA toolkit"),
        ({"system": "Darwin", "arch": "arm64"}, "metal", "-DGGML_METAL=ON", None),
        ({"system": "Darwin"}, "cpu", "-DGGML_METAL=OFF", None),
        ({"other_gpus": ("AMD",)}, "cpu", "-DGGML_NATIVE=ON", "or rocm (with ROCm)."),
        ({"other_gpus": ("Intel",)}, "cpu", "-DGGML_NATIVE=ON", "SLIPSTREAM_BACKEND=vulkan ("),
        (
            {"nvcc": "/nvcc", "nvidia_driver": True, "other_gpus": ("Intel",)},
            "cuda",
            "-DGGML_CUDA=ON",
            None,
        ),
    ],
)
def test_the_backend_follows_the_hardware(
    module: Any,
    machine: MakeMachine,
    changes: dict[str, Any],
    backend: str,
    flag: str,
    note: str | None,
) -> None:
    plan = module.plan(machine(**changes), {}, "1.0")
    assert plan.backend == backend
    assert flag in plan.cmake_args.split()
    assert [note in line for line in plan.notes] == ([True] if note else [])


@pytest.mark.parametrize("system", ["Darwin", "Linux"])
def test_on_a_mac_wide_batches_are_computed_as_narrow_ones(
    module: Any, machine: MakeMachine, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = module.plan(machine(system=system), {}, "1.0").cmake_args.split()
    monkeypatch.setattr(sys, "platform", system.lower())
    for built in (flags, rebuild_line("1.0", "metal").split('"')[1].split()):
        assert ("-DGGML_BLAS=OFF" in built) == (system == "Darwin")


def test_a_toolkit_is_found_outside_the_path(
    module: Any, machine_env: Mapping[str, str], tool: Callable[[str, str], Path], tmp_path: Path
) -> None:
    tool("g++", gcc("14"))
    nvcc = tmp_path / "cuda" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    tool("nvcc", "true").rename(nvcc)
    assert module.look({**machine_env, "CUDA_HOME": str(tmp_path / "cuda")}).nvcc == str(nvcc)


@pytest.mark.parametrize("loaded", [True, False])
def test_a_driver_is_known_by_its_device(
    module: Any,
    machine_env: Mapping[str, str],
    tool: Callable[[str, str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    loaded: bool,
) -> None:
    tool("g++", gcc("14"))
    device = tmp_path / "nvidia"
    if loaded:
        device.touch()
    monkeypatch.setattr(module, "NVIDIA_DRIVERS", (str(device),))
    assert module.look(machine_env).nvidia_driver is loaded


@pytest.mark.parametrize(
    ("there", "nvidia"),
    [("/dev/dxg", False), ("/usr/lib/wsl/lib/libcuda.so.1", True), ("/dev/nvgpu/igpu0", True)],
)
def test_in_wsl_only_the_driver_s_library_tells_an_nvidia_gpu(
    module: Any,
    machine_env: Mapping[str, str],
    tool: Callable[[str, str], Path],
    monkeypatch: pytest.MonkeyPatch,
    there: str,
    nvidia: bool,
) -> None:
    tool("g++", gcc("14"))
    monkeypatch.setattr(module.Path, "exists", lambda path: str(path) == there)
    assert module.look(machine_env).nvidia_driver is nvidia


def test_every_gpu_that_is_left_idle_is_named(module: Any, machine: MakeMachine) -> None:
    found = module.plan(machine(nvcc="/nvcc", other_gpus=("AMD", "Intel")), {}, "1.0")
    assert found.backend == "cpu"
    for note, said in zip(found.notes, ("no NVIDIA driver", "an AMD", "an Intel"), strict=True):
        assert said in note


def test_a_gpu_of_another_maker_is_known_by_its_vendor(module: Any, tmp_path: Path) -> None:
    assert module._other_gpus(tmp_path / "none") == ()
    for card, vendor in (("card0", "0x1a03"), ("card1", "0x8086"), ("card2", "0x1002")):
        (tmp_path / card / "device").mkdir(parents=True)
        (tmp_path / card / "device" / "vendor").write_text(vendor + "\n")
    (tmp_path / "card3" / "device" / "vendor").mkdir(parents=True)
    assert module._other_gpus(tmp_path) == ("AMD", "Intel")


@pytest.mark.parametrize("name", ["rocm", "hip", "ROCm"])
def test_amds_own_backend_has_its_two_names(module: Any, machine: MakeMachine, name: str) -> None:
    wanted = module.plan(machine(other_gpus=("AMD",)), {"SLIPSTREAM_BACKEND": name}, "1.0")
    assert (wanted.backend, wanted.notes) == ("rocm", ())
    assert "-DGGML_HIP=ON" in wanted.cmake_args.split()


def test_the_person_overrides_the_backend(module: Any, machine: MakeMachine) -> None:
    cuda = machine(nvcc="/cuda/nvcc", nvidia_driver=True)
    assert module.plan(cuda, {"SLIPSTREAM_BACKEND": "cpu"}, "1.0").backend == "cpu"
    assert module.plan(machine(), {"SLIPSTREAM_BACKEND": "Vulkan"}, "1.0").backend == "vulkan"


@pytest.mark.parametrize(
    ("wanted", "message"), [("gpu", "can be one of"), ("cuda", "nvcc.*BACKEND=cpu")]
)
def test_an_impossible_backend_is_refused(
    module: Any, machine: MakeMachine, wanted: str, message: str
) -> None:
    with pytest.raises(module.SetupError, match=message):
        module.plan(machine(), {"SLIPSTREAM_BACKEND": wanted}, "1.0")


def test_builds_share_a_key_only_when_they_are_equal(module: Any, machine: MakeMachine) -> None:
    def key(env: Mapping[str, str] | None = None, version: str = "1.0", **changes: Any) -> str:
        return str(module.plan(machine(**changes), env or {}, version).key)

    others = [
        key(gcc=13),
        key(cpu=("avx2", "avx512f")),
        key(arch="aarch64"),
        key(version="1.1"),
        key({"CXXFLAGS": "-O0"}),
        key({"CMAKE_ARGS": "-DGGML_BLAS=ON"}),
        key({"SLIPSTREAM_BACKEND": "vulkan"}),
    ]
    assert key() == key()
    assert len({key(), *others}) == 1 + len(others)


@pytest.mark.parametrize("more", ["i8mm", "bf16", "asimdhp", "fphp", "sve"])
def test_an_arm_processor_that_can_do_more_shares_no_build(
    more: str,
    module: Any,
    machine_env: Mapping[str, str],
    tool: Callable[[str, str], Path],
) -> None:
    tool("g++", gcc("14"))
    found = []
    for features in ("fp asimd asimddp", f"fp asimd asimddp {more}"):
        Path(machine_env["SLIPSTREAM_CPUINFO"]).write_text(f"Features\t: {features}\n")
        found.append(module.look(machine_env).cpu)
    assert found[0] != found[1]


def test_where_there_is_amx_batches_of_every_width_sum_alike(
    module: Any, machine: MakeMachine
) -> None:
    with_amx = module.plan(machine(gcc=13, cpu=("amx_int8", "avx2")), {}, "1.0")
    without = module.plan(machine(gcc=13, cpu=("avx2",)), {}, "1.0")
    assert "-DGGML_LLAMAFILE=OFF" in with_amx.cmake_args
    assert "LLAMAFILE" not in without.cmake_args


def test_models_that_see_are_built_for_and_films_are_not(module: Any, machine: MakeMachine) -> None:
    flags = module.plan(machine(), {}, "1.0").cmake_args.split()
    for built in (flags, rebuild_line("1.0").split('"')[1].split()):
        assert "-DMTMD_VIDEO=OFF" in built
        assert not [flag for flag in built if "LLAVA_BUILD" in flag]
