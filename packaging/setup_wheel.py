"""Builds llama-cpp-python as a wheel and keeps it in the user's cache folder.

The next checkout, or a remade environment, has it in seconds. pip's own cache will not do: it knows
the version but not the flags, and would hand out a build for another machine. A build that was cut
short is continued where it stopped; a finished one appears in the cache whole or not at all.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setup_command import run, say
from setup_jobs import compilers
from setup_locks import locked
from setup_machine import Plan, SetupError

PACKAGE = "llama-cpp-python"
CPU_BUILD_CORE_MINUTES = 8  # measured

# llama.cpp's helpers for its own programs are two fifths of the build, and nothing here needs them.
WITHOUT_COMMON = "set(LLAMA_BUILD_COMMON OFF)\n"

# Settings of pip for other environments: with these it would put nothing, or not all, into ours.
FOR_OTHERS = frozenset(
    f"PIP_{name}"
    for name in ("TARGET", "PREFIX", "ROOT", "PYTHON", "DRY_RUN", "NO_DEPS", "NO_BUILD_ISOLATION")
)


@dataclass(frozen=True, slots=True)
class Pip:
    """The environment's pip, its output in a log."""

    python: Path
    log: Path
    env: Mapping[str, str]

    def __call__(self, doing: str, *args: str | Path, **extra_env: str) -> None:
        """Run pip; `doing` names it in the SetupError that is raised when it fails."""
        quiet = ("--no-input", "--disable-pip-version-check")
        command = (self.python, "-P", "-m", "pip", *args, *quiet)
        env = {name: value for name, value in self.env.items() if name not in FOR_OTHERS}
        run(command, self.log, {**env, **extra_env}, doing)


def cache_folder(env: Mapping[str, str]) -> Path:
    """Return the folder that keeps finished builds. Raises SetupError without a home folder."""
    given = Path(env.get("XDG_CACHE_HOME", ""))
    base = given if given.is_absolute() else _home(env) / ".cache"
    return base / "slipstream" / "wheels"


def _home(env: Mapping[str, str]) -> Path:
    """Return the home folder: the system's, where HOME is no whole path."""
    given = Path(env.get("HOME", ""))
    if given.is_absolute():
        return given
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise SetupError("There is no home folder: set HOME to a folder of yours.") from None


def make_cache(cache: Path) -> None:
    """Make that folder, for its owner alone. Raises SetupError where none can be made."""
    try:
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # the app's own folder too
        cache.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"Cannot make {cache}, where builds of llama.cpp are kept: {error.strerror}."
            " Set XDG_CACHE_HOME to a folder where you may write and start again."
        ) from error


def pinned_version(pyproject: Mapping[str, Any]) -> str:
    """Return the version to build: the oldest that pyproject.toml allows, the one tested."""
    for requirement in pyproject["project"]["dependencies"]:
        if found := re.match(rf"{PACKAGE}\s*>=\s*([\d.]+)", requirement):
            return found[1]
    raise SetupError(f"pyproject.toml names no lowest version of {PACKAGE}.")


def wheel_for(plan: Plan, pip: Pip, cache: Path) -> Path:
    """Return the wheel of this plan, building it if it is not in the cache."""
    make_cache(cache)
    with locked(cache / f"{plan.key}.lock", "Another start is building llama.cpp; waiting …"):
        scratch = cache / f"{plan.key}.building"
        wheel = _kept_wheel(cache / plan.key) or _build(plan, pip, cache / plan.key, scratch)
        shutil.rmtree(scratch, ignore_errors=True)
        return wheel


def is_kept(plan: Plan, cache: Path) -> bool:
    """Whether this plan's wheel is there, so that nothing is to be built."""
    return _kept_wheel(cache / plan.key) is not None


def _kept_wheel(folder: Path) -> Path | None:
    """Return the wheel in this folder if it is whole: a power cut can truncate it."""
    return next((wheel for wheel in folder.glob("*.whl") if zipfile.is_zipfile(wheel)), None)


def _build(plan: Plan, pip: Pip, folder: Path, scratch: Path) -> Path:
    """Build in `scratch`, go on from what is there, and move the wheel to `folder`."""
    _announce(plan, pip.env)
    goes_on = (scratch / "source").is_dir()
    try:
        source = _source(plan, pip, scratch)
        made = scratch / "made"
        shutil.rmtree(made, ignore_errors=True)
        _compile(plan, pip, source, made)
    except SetupError:
        if goes_on:  # what was there may be at fault
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)
    wheel = _kept_wheel(folder)
    if wheel is None:
        raise SetupError(f"Building llama.cpp made no wheel. Log: {pip.log}")
    return wheel


def _compile(plan: Plan, pip: Pip, source: Path, made: Path) -> None:
    """Build the wheel into `made`. However the tools of a GPU fail, there is one way out."""
    options = ("--no-deps", "--no-cache-dir", "--verbose", "--wheel-dir", made)
    env = _build_env(plan, pip.env, source.parent)
    try:
        pip("Building llama.cpp", "wheel", *options, source, **env)
    except SetupError as error:
        if plan.backend == "cpu":
            raise
        way_out = f"(If {plan.backend} is at fault, SLIPSTREAM_BACKEND=cpu builds without it.)"
        raise SetupError(f"{error} {way_out}") from error


def _announce(plan: Plan, env: Mapping[str, str]) -> None:
    for note in plan.notes:
        say(note)
    minutes = max(1, round(CPU_BUILD_CORE_MINUTES / compilers(env)))
    long = f"about {minutes} min" if plan.backend in {"cpu", "metal"} else "10 to 60 min"
    say(f"Building llama.cpp for this machine ({plan.backend}; once, {long}) …")


def _source(plan: Plan, pip: Pip, scratch: Path) -> Path:
    """Return the unpacked source. It stays in one place: objects of another path are stale."""
    source = scratch / "source"
    if not source.is_dir():
        shutil.rmtree(scratch, ignore_errors=True)
        fetched, unpacked = scratch / "fetched", scratch / "unpacked"
        fetched.mkdir(parents=True)
        version = f"{PACKAGE}=={plan.version}"
        options = ("--no-deps", "--no-binary", PACKAGE, "--dest", fetched)
        pip("Fetching llama.cpp", "download", *options, version)
        with tarfile.open(next(fetched.glob("*.tar.gz"))) as archive:
            # from 3.14 on this is Python's own choice; before 3.11.4 there was none
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            archive.extractall(unpacked, **safely)
        next(unpacked.iterdir()).rename(source)
    return source


def _build_env(plan: Plan, env: Mapping[str, str], scratch: Path) -> dict[str, str]:
    include = scratch / "without_common.cmake"
    include.write_text(WITHOUT_COMMON)
    without_common = shlex.quote(f"-DCMAKE_PROJECT_llama_cpp_INCLUDE={include}")
    return {
        "CMAKE_ARGS": f"{plan.cmake_args} {without_common}",
        "CXXFLAGS": plan.cxxflags,
        "SKBUILD_BUILD_DIR": str(scratch / "cmake"),
        "CMAKE_BUILD_PARALLEL_LEVEL": str(compilers(env)),
    }
