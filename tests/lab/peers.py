"""llama.cpp's own programs, built as llama-cpp-python is built: `python -m tests.lab.peers`.

Contract: source archive, CMake options and compiler flags are those of the bindings that the engine
runs on, so that a comparison measures the programs and not the kernels. The programs are kept in
the user's cache folder; SLIPSTREAM_PEERS names a folder that has them already. Nothing is run.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
PACKAGE = "llama-cpp-python"
PROGRAMS = ("llama-server", "llama-speculative-simple", "llama-bench")
OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",  # the finished folder is moved
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_BUILD_UI=OFF",
)


@dataclass(frozen=True, slots=True)
class Peers:
    """The programs' paths."""

    server: Path
    speculative: Path
    bench: Path


@dataclass(frozen=True, slots=True)
class Work:
    """A build in progress: its plan (packaging/setup_machine.py), environment, folder and log."""

    plan: Any
    env: Mapping[str, str]
    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def build(self) -> Path:
        return self.folder / "build"

    def run(self, doing: str, *command: str | Path) -> None:
        """Run a command, its output in the log. Raises SetupError, in which `doing` is named."""
        _module("setup_command").run(command, self.log, self.env, doing)


def peers(env: Mapping[str, str] = os.environ) -> Peers:
    """Return the programs, building them (minutes) if neither `env` nor the cache has them.

    Raises SetupError when a command fails, FileNotFoundError when SLIPSTREAM_PEERS lacks a program.
    """
    if given := env.get("SLIPSTREAM_PEERS"):
        return _in_folder(Path(given), "SLIPSTREAM_PEERS must name a folder that has it")
    machine = _module("setup_machine")
    plan = machine.plan(machine.look(env), env, version(PACKAGE))
    kept = user_cache_path("slipstream") / "lab" / f"peers-{plan.key}"
    kept.parent.mkdir(parents=True, exist_ok=True)
    locked = _module("setup_locks").locked
    with locked(_beside(kept, "lock"), "Another run is building the peers; waiting …"):
        if not kept.is_dir():
            work = start(plan, env, _beside(kept, "building"))
            configure(work, fetch(work))
            compile_programs(work)
            (work.build / "bin").rename(kept)
            shutil.rmtree(work.folder)
    return _in_folder(kept, f"Remove {kept} and start again")


def start(plan: Any, env: Mapping[str, str], folder: Path) -> Work:
    """Return a fresh build of this plan in `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return Work(plan, {**env, "CXXFLAGS": plan.cxxflags}, folder)


def fetch(work: Work) -> Path:
    """Download the source archive of llama-cpp-python and return llama.cpp's folder in it."""
    fetched, unpacked = work.folder / "fetched", work.folder / "unpacked"
    pip = _module("setup_wheel").Pip(Path(sys.executable), work.log, work.env)
    options = ("--no-deps", "--no-binary", PACKAGE, "--dest", fetched)
    pip("Fetching llama.cpp", "download", *options, f"{PACKAGE}=={work.plan.version}")
    shutil.unpack_archive(next(fetched.glob("*.tar.gz")), unpacked)
    return next(unpacked.iterdir()) / "vendor" / "llama.cpp"


def configure(work: Work, source: Path) -> None:
    """Let CMake set up the build."""
    generator = ("-G", "Ninja") if shutil.which("ninja", path=work.env.get("PATH")) else ()
    given = shlex.split(work.plan.cmake_args)
    folders = ("-S", source, "-B", work.build)
    work.run("Configuring the peers", "cmake", *generator, *folders, *OPTIONS, *given)


def compile_programs(work: Work) -> None:
    """Compile the programs and what they need."""
    jobs = str(os.cpu_count() or 1)
    command = ("cmake", "--build", work.build, "--parallel", jobs, "--target", *PROGRAMS)
    work.run("Building the peers", *command)


def _in_folder(folder: Path, cure: str) -> Peers:
    paths = [folder / name for name in PROGRAMS]
    for path in paths:
        if not os.access(path, os.X_OK):
            raise FileNotFoundError(f"There is no program {path}. {cure}.")
    return Peers(*paths)


def _beside(folder: Path, ending: str) -> Path:
    return folder.with_name(f"{folder.name}.{ending}")


def _module(name: str) -> Any:
    """Import one of packaging/setup_*.py, which find one another on the path."""
    if str(PACKAGING) not in sys.path:
        sys.path.append(str(PACKAGING))
    return import_module(name)


def main() -> None:
    """Make the programs and say where they are."""
    argparse.ArgumentParser(prog="peers", description=__doc__).parse_args()
    try:
        made = peers()
    except (FileNotFoundError, _module("setup_machine").SetupError) as error:
        sys.exit(str(error))
    for path in astuple(made):
        print(path)


if __name__ == "__main__":
    main()
