"""A machine made of small scripts: what is on PATH, in /proc/cpuinfo and on the disk is ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
SHELL_TOOLS = ("bash", "cat", "cksum", "dirname", "grep", "readlink", "tr", "uname")

Tool = Callable[[str, str], Path]
"""Writes a script NAME with this body into the PATH."""

Start = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def packaging_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make setup_*.py importable, as they are when setup_env.py runs."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    yield
    for name in [name for name in sys.modules if name.startswith("setup_")]:
        del sys.modules[name]


@pytest.fixture
def path_dir(tmp_path: Path) -> Path:
    """The only folder on the fake machine's PATH: the shell's own tools, no Python, no compiler."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in SHELL_TOOLS:
        found = shutil.which(name)
        assert found, f"{name} is not on this machine"
        (folder / name).symlink_to(found)
    return folder


@pytest.fixture
def tool(path_dir: Path) -> Tool:
    def write(name: str, body: str) -> Path:
        script = path_dir / name
        script.write_text(f"#!/usr/bin/env bash\n{body}\n")
        script.chmod(0o755)
        return script

    return write


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what the two scripts need of a checkout, in a folder with a space in its name."""
    root = tmp_path / "my checkout"
    (root / "packaging").mkdir(parents=True)
    for file in [PACKAGING / "run", PACKAGING / "test", *PACKAGING.glob("setup*")]:
        if file.is_file():
            shutil.copy(file, root / "packaging")
    (root / "engine" / "system").mkdir(parents=True)
    for name in ("pyproject.toml", "engine/system/cgroups.py"):
        shutil.copy(PACKAGING.parent / name, root / name)
    return root


@pytest.fixture
def machine_env(
    path_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Mapping[str, str]:
    """The fake machine's environment, which is also this process's."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(path_dir))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SLIPSTREAM_CPUINFO", str(tmp_path / "cpuinfo"))
    return os.environ


@pytest.fixture
def start(checkout: Path, machine_env: Mapping[str, str]) -> Start:
    """Run packaging/SCRIPT of the checkout on the fake machine."""

    def run(script: str, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [checkout / "packaging" / script, *args],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )

    return run
