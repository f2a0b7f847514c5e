"""The environment that works outlives every attempt at a new one that fails, however it ends."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.patience import PATIENCE_S

OLD, NEW = "root\ncpu\n\n-g", "root\ncuda\n\n-O2"
STEPS = ("venv", "wheel", "install")

MakeUpTo = Callable[[str | None, BaseException], None]
"""Replaces what makes an environment: the step of this name raises, those before it work."""

DYING = """
import os, sys, pathlib, setup_env
def die(*_):
    (setup_env.Path(sys.argv[1]) / ".venv").mkdir()
    os.kill(os.getpid(), int(sys.argv[2]))
setup_env.look = setup_env.plan = lambda *_: None
setup_env.is_kept = setup_env.check_disk = lambda *_: None
setup_env.run = die
sys.exit(setup_env.main(["run", "new"]))
"""


@pytest.fixture
def environment() -> Any:
    return importlib.import_module("setup_env")


@pytest.fixture
def kept(environment: Any, checkout: Path) -> Any:
    """A checkout whose environment is ready for OLD, and holds the file "old"."""
    kept = environment.Checkout(checkout)
    finish(kept, "old", OLD)
    return kept


@pytest.fixture
def make_up_to(environment: Any, monkeypatch: pytest.MonkeyPatch, kept: Any) -> MakeUpTo:
    def prepare(failing: str | None, failure: BaseException) -> None:
        def step(name: str) -> None:
            kept.venv.mkdir(exist_ok=True)
            (kept.venv / name).touch()
            if name == failing:
                raise failure

        def pip(*_: object) -> Callable[..., None]:
            return lambda *_: step("install")

        monkeypatch.setattr(environment, "look", lambda _: None)
        monkeypatch.setattr(environment, "plan", lambda *_: None)
        monkeypatch.setattr(environment, "check_disk", lambda *_: None)
        monkeypatch.setattr(environment, "is_kept", lambda *_: True)
        monkeypatch.setattr(environment, "check_installed", lambda _: None)
        monkeypatch.setattr(environment, "run", lambda *_: step("venv"))
        monkeypatch.setattr(environment, "wheel_for", lambda *_: step("wheel"))
        monkeypatch.setattr(environment, "Pip", pip)

    return prepare


def finish(checkout: Any, name: str, signature: str) -> None:
    """Make a finished environment that holds a file of this name."""
    checkout.venv.mkdir()
    (checkout.venv / name).touch()
    checkout.mark_ready(("run",), signature)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError("disk full"), None])
def test_what_fails_leaves_the_environment_as_it_was(
    environment: Any, kept: Any, make_up_to: MakeUpTo, step: str, failure: BaseException | None
) -> None:
    failure = failure or environment.SetupError("No network.")
    make_up_to(step, failure)
    with pytest.raises(type(failure)):
        environment.prepare(kept, "run", NEW, {"CXXFLAGS": "-O2", "SLIPSTREAM_BACKEND": "cuda"})
    assert names(kept.venv) == ["old", "ready-run"]
    assert kept.is_ready("run", OLD)
    assert not kept.aside.exists()


def test_a_finished_environment_takes_the_place_of_the_old_one(
    environment: Any, kept: Any, make_up_to: MakeUpTo
) -> None:
    make_up_to(None, KeyboardInterrupt())
    environment.prepare(kept, "test", NEW, {"CXXFLAGS": "-O2", "SLIPSTREAM_BACKEND": "cuda"})
    assert names(kept.venv) == sorted([*STEPS, "ready-run", "ready-test"])
    assert kept.is_ready("run", NEW)
    assert not kept.aside.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_signal_costs_the_environment(environment: Any, kept: Any, number: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DYING, kept.root, str(int(number))],
        env={**os.environ, "PYTHONPATH": str(kept.root / "packaging"), "CXXFLAGS": ""},
        capture_output=True,
        timeout=PATIENCE_S,
    )
    killed = number == signal.SIGKILL
    assert done.returncode == (-number if killed else 130), done.stderr
    assert kept.aside.exists() is killed
    environment.prepare(kept, "run", OLD, {})
    assert names(kept.venv) == ["old", "ready-run"]


@pytest.mark.parametrize("left", ["nothing", "half", "finished", "finished, old half removed"])
def test_the_next_start_keeps_what_is_finished(environment: Any, kept: Any, left: str) -> None:
    kept.work.mkdir()
    kept.venv.rename(kept.aside)
    if left == "half":
        kept.venv.mkdir()
        (kept.venv / "new").touch()
    if left.startswith("finished"):
        finish(kept, "new", NEW)
    if left.endswith("removed"):
        (kept.aside / "ready-run").unlink()
    is_new = left.startswith("finished")
    environment.prepare(kept, "run", NEW if is_new else OLD, {})
    assert names(kept.venv) == ["new" if is_new else "old", "ready-run"]
    assert not kept.aside.exists()


def test_an_environment_that_is_half_removed_is_never_put_back(environment: Any, kept: Any) -> None:
    kept.work.mkdir()
    kept.venv.rename(kept.aside)
    (kept.aside / "ready-run").unlink()
    kept.settle()
    assert not kept.aside.exists()
    assert not kept.venv.exists()


def test_a_link_to_an_environment_is_cleared_where_it_leads(kept: Any, tmp_path: Path) -> None:
    kept.venv.rename(tmp_path / "elsewhere")
    kept.venv.symlink_to(tmp_path / "elsewhere")
    kept.make_room()
    assert kept.venv.is_symlink()
    assert names(tmp_path / "elsewhere") == ["old"]


@pytest.mark.parametrize(
    ("env", "signature"),
    [
        ({}, "moved\ncpu\n\n-g"),
        ({"CXXFLAGS": "-O2"}, "moved\ncpu\n\n-O2"),
        ({"SLIPSTREAM_BACKEND": ""}, "moved\n\n\n-g"),
    ],
)
def test_what_is_made_again_is_made_with_what_was_chosen(
    environment: Any,
    kept: Any,
    monkeypatch: pytest.MonkeyPatch,
    env: Mapping[str, str],
    signature: str,
) -> None:
    made: list[SimpleNamespace] = []

    def make(checkout: Any, kind: str, signature: str, env: Mapping[str, str]) -> None:
        made.append(SimpleNamespace(signature=signature, env=env))

    monkeypatch.setattr(environment, "_make", make)
    asked = "\n".join(["moved", env.get("SLIPSTREAM_BACKEND", ""), "", env.get("CXXFLAGS", "")])
    environment.prepare(kept, "run", asked, env)
    assert [start.signature for start in made] == [signature]
    _, backend, cmake_args, cxxflags = signature.split("\n")
    assert made[0].env == {
        "SLIPSTREAM_BACKEND": backend,
        "CMAKE_ARGS": cmake_args,
        "CXXFLAGS": cxxflags,
    }


@pytest.mark.parametrize(
    ("wanted", "is_told"),
    [
        ("root\ncpu\n\n-g\n3 3\n2 2\nLinux x86_64\navx2", True),
        ("root\ncuda\n\n-g\n1 1\n2 2\nLinux x86_64\navx2", True),
        ("moved\ncpu\n\n-g\n3 3\n2 2\nLinux x86_64\navx2", False),
        ("root\ncpu\n\n-g\n3 3\n2 2\nLinux x86_64\navx2\navx512f", False),
    ],
    ids=["after a git pull", "another backend", "moved", "another machine"],
)
def test_what_fails_names_the_environment_that_should_still_work(
    environment: Any,
    kept: Any,
    make_up_to: MakeUpTo,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    wanted: str,
    is_told: bool,
) -> None:
    names = ("SLIPSTREAM_BACKEND", "CMAKE_ARGS", "CXXFLAGS")
    for name, value in zip(names, wanted.split("\n")[1:4], strict=True):
        monkeypatch.setenv(name, value)
    kept.mark_ready(("run",), "root\ncpu\n\n-g\n1 1\n2 2\nLinux x86_64\navx2")
    (kept.venv / "bin").mkdir()
    (kept.venv / "bin" / "python").touch()
    monkeypatch.setattr(environment, "__file__", str(kept.root / "packaging" / "setup_env.py"))
    monkeypatch.setattr(environment.signal, "signal", lambda *_: None)
    make_up_to("install", environment.SetupError("No network."))
    assert environment.main(["run", wanted]) == 1
    first, *others = capsys.readouterr().err.splitlines()[-2 if is_told else -1 :]
    assert first == "slipstream: No network."
    path = kept.root / ".venv" / "bin" / "slipstream"
    told = f"slipstream: What was there is kept and should still work: {path}"
    assert others == ([told] if is_told else [])


@pytest.mark.parametrize("how", ["is_file", "read_text"])
def test_an_environment_that_may_not_be_looked_into_is_one_line_and_is_not_named(
    environment: Any,
    kept: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    real = getattr(Path, how)

    def refuse(path: Path, *given: Any) -> Any:
        if kept.venv in path.parents:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, *given)

    (kept.venv / "bin").mkdir()
    (kept.venv / "bin" / "python").touch()
    monkeypatch.setattr(environment, "__file__", str(kept.root / "packaging" / "setup_env.py"))
    monkeypatch.setattr(environment.signal, "signal", lambda *_: None)
    monkeypatch.setattr(Path, how, refuse)
    assert environment.main(["run", OLD]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    stamp = kept.root / ".venv" / "ready-run"
    denied = f"[Errno 13] Permission denied: '{stamp}'"
    assert line == f"slipstream: Setting up failed: {denied}."
