"""The two scripts as a person meets them: what they print, where, and how they end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Start = Callable[..., "subprocess.CompletedProcess[str]"]
Tool = Callable[[str, str], Path]

REAL_PYTHON = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the single line with which a start failed."""
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def make_ready(checkout: Path, tools: dict[str, str]) -> None:
    """Give the checkout a finished environment whose commands are these scripts."""
    binaries = checkout / ".venv" / "bin"
    binaries.mkdir(parents=True)
    for name, body in {"python": "exit 9", **tools}.items():
        (binaries / name).write_text(f"#!/usr/bin/env bash\n{body}\n")
        (binaries / name).chmod(0o755)
    ask = ["bash", "-c", '. "$0/packaging/setup.sh"; signature', str(checkout)]
    signature = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    for kind in ("run", "test"):
        (checkout / ".venv" / f"ready-{kind}").write_text(signature.rstrip("\n"))


def test_without_python_it_says_so(start: Start) -> None:
    assert "No Python 3.11 or newer" in one_line(start("run"))


def test_an_old_python_will_not_do(start: Start, tool: Tool) -> None:
    tool("python3", "exit 1")
    assert "No Python 3.11 or newer" in one_line(start("run"))


def test_a_python_without_venv_names_the_package(start: Start, tool: Tool) -> None:
    tool("python3.12", "case $2 in *ensurepip*) exit 1;; esac")
    assert "python3.12-venv" in one_line(start("run"))


@pytest.mark.parametrize("module", ["ssl", "ctypes", "sqlite3", "zlib"])
def test_a_python_built_without_a_library_is_passed_over(
    start: Start, tool: Tool, module: str
) -> None:
    tool("python3.13", f"case $2 in *{module}*) exit 1;; esac")
    assert f"python3.13 lacks the module {module}." in one_line(start("run"))
    tool("python3.12", '[ "$1" = -c ] || { echo "made by $0" >&2; exit 1; }')
    assert "python3.12" in one_line(start("run"))


@pytest.mark.parametrize("name", ["PYTHONPATH", "PYTHONHOME"])
def test_what_is_meant_for_other_pythons_reaches_neither_set_up_nor_the_app(
    start: Start,
    tool: Tool,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setenv(name, "/elsewhere")
    tool("python3.11", f'[ "$1" = -c ] || {{ echo "<${{{name}-none}}>" >&2; exit 1; }}')
    assert one_line(start("run")) == "<none>"
    make_ready(checkout, {"slipstream": f'echo "<${{{name}-none}}>"'})
    assert start("run").stdout == "<none>\n"


def test_set_up_finds_its_modules_and_installs_into_the_environment_whatever_is_set(
    start: Start, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("PIP_USER", "1")
    tool("python3.11", '[ "$1" = -c ] || { echo "<$PYTHONSAFEPATH$PIP_USER>" >&2; exit 1; }')
    assert one_line(start("run")) == "<0>"


def test_a_python_that_is_only_a_stub_is_passed_over(start: Start, tool: Tool) -> None:
    tool("python3.13", "echo 'no such version' >&2; exit 127")
    tool("python3.11", '[ "$1" = -c ] || { echo "made by $0" >&2; exit 1; }')
    assert "made by" in one_line(start("run"))


def test_without_a_compiler_it_says_so_and_makes_nothing(
    start: Start, path_dir: Path, checkout: Path
) -> None:
    (path_dir / "python3.11").symlink_to(REAL_PYTHON)
    assert "No C++ compiler found" in one_line(start("run"))
    assert not (checkout / ".venv").exists()


def test_a_ready_environment_is_entered_silently_and_without_python(
    start: Start, checkout: Path
) -> None:
    make_ready(checkout, {"slipstream": 'printf "<%s>" "$@"; exit 7'})
    done = start("run", "ask", "how are you?", "")
    assert (done.stdout, done.stderr, done.returncode) == ("<ask><how are you?><>", "", 7)


def test_sh_will_do_for_bash(checkout: Path) -> None:
    make_ready(checkout, {"slipstream": 'printf "<%s>" "$@"'})
    done = subprocess.run(
        ["sh", checkout / "packaging" / "run", "how are you?", ""], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("<how are you?><>", "")


def test_a_link_to_run_works(start: Start, checkout: Path, tmp_path: Path) -> None:
    make_ready(checkout, {"slipstream": "echo here"})
    link = tmp_path / "slipstream"
    link.symlink_to(checkout / "packaging" / "run")
    done = subprocess.run([link], capture_output=True, text=True)
    assert done.stdout == "here\n", done.stderr


@pytest.mark.parametrize("what", ["pyproject.toml", "packaging/setup_wheel.py"])
def test_changed_requirements_are_set_up_again(start: Start, checkout: Path, what: str) -> None:
    make_ready(checkout, {"slipstream": "echo stale"})
    with (checkout / what).open("a") as file:
        file.write("# changed\n")
    assert "No Python" in one_line(start("run"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("SLIPSTREAM_BACKEND", "cpu"), ("CMAKE_ARGS", "-DX=1 -DY=2"), ("CXXFLAGS", "-g\n-O2")],
)
def test_what_was_chosen_once_stays_until_something_else_is_set(
    start: Start, checkout: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    make_ready(checkout, {"slipstream": f'echo "<${{{name}-none}}>"'})
    assert start("run").returncode == 0
    monkeypatch.delenv(name)
    assert start("run").stdout == "<none>\n"
    for another in ("", "vulkan"):
        monkeypatch.setenv(name, another)
        assert "No Python" in one_line(start("run"))


def test_a_moved_checkout_is_set_up_again(start: Start, checkout: Path, tmp_path: Path) -> None:
    make_ready(checkout, {"slipstream": "echo stale"})
    moved = checkout.rename(tmp_path / "moved")
    done = subprocess.run([moved / "packaging" / "run"], capture_output=True, text=True)
    assert "No Python" in one_line(done)


def test_another_processor_is_set_up_for_again(
    start: Start, checkout: Path, machine_env: dict[str, str]
) -> None:
    cpuinfo = Path(machine_env["SLIPSTREAM_CPUINFO"])
    cpuinfo.write_text("flags : avx2 avx512f\n")
    make_ready(checkout, {"slipstream": "echo ok"})
    assert start("run").stdout == "ok\n"
    cpuinfo.write_text("flags : avx2\n")
    assert "No Python" in one_line(start("run"))


def test_an_environment_that_lost_its_python_is_set_up_again(start: Start, checkout: Path) -> None:
    make_ready(checkout, {"slipstream": "echo stale"})
    python = checkout / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nonexistent/python3.11")
    assert "No Python" in one_line(start("run"))


def test_test_runs_every_check_and_hands_its_arguments_to_pytest(
    start: Start, checkout: Path
) -> None:
    make_ready(checkout, dict.fromkeys(["ruff", "mypy", "pytest"], 'echo "${0##*/} $*"'))
    done = start("test", "-k", "policy")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "== ruff check",
        "ruff check .",
        "== ruff format",
        "ruff format --check .",
        "== mypy",
        "mypy ",
        "== pytest",
        "pytest -n logical --maxprocesses 4 --dist worksteal -k policy",
    ]


@pytest.mark.parametrize(
    ("failing", "last"),
    [("ruff", "Failed: ruff check, ruff format"), ("mypy", "Failed: mypy"), ("pytest", "")],
)
def test_a_failed_check_fails_the_test_script(
    start: Start, checkout: Path, failing: str, last: str
) -> None:
    tools = {**dict.fromkeys(["ruff", "mypy", "pytest"], "true"), failing: "exit 3"}
    make_ready(checkout, tools)
    done = start("test")
    assert done.returncode == 1
    assert done.stderr.strip() == last
    assert "== pytest" in done.stdout


def test_packaging_does_not_shadow_the_library_of_that_name() -> None:
    folder = Path(__file__).resolve().parents[2] / "packaging"
    assert folder.is_dir()
    assert not (folder / "__init__.py").exists()


def test_the_scripts_are_executable_by_an_old_bash() -> None:
    folder = Path(__file__).resolve().parents[2] / "packaging"
    for name in ("run", "test", "setup.sh"):
        text = (folder / name).read_text()
        assert name == "setup.sh" or os.access(folder / name, os.X_OK)
        newer = ["mapfile", "readarray", "declare -A", "local -n", "${!", ",,}", "^^}", "|&", "&>>"]
        assert [word for word in newer if word in text] == []
        if bash := shutil.which("bash"):
            subprocess.run([bash, "-n", folder / name], check=True)
