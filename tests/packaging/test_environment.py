"""Building and installing, with pip replaced: what is done once, resumed, or begun anew."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

PLAN = SimpleNamespace(
    version="1.0", backend="cpu", cmake_args="-DX=1", cxxflags="-g", key="key", notes=()
)


class FakePip:
    """Fetches an archive and builds a wheel out of nothing; fails where it is told to."""

    def __init__(self, tmp_path: Path, failure: BaseException | None = None) -> None:
        self.log = tmp_path / "setup.log"
        self.env: Mapping[str, str] = {}
        self.failure = failure
        self.done: list[str] = []

    def __call__(self, doing: str, *args: str | Path, **env: str) -> None:
        self.done.append(str(args[0]))
        if args[0] == "download":
            fetched = Path(args[list(args).index("--dest") + 1])
            make_source_archive(fetched)
        if args[0] == "wheel":
            Path(env["SKBUILD_BUILD_DIR"]).mkdir(exist_ok=True)
            if self.failure:
                raise self.failure
            made = Path(args[list(args).index("--wheel-dir") + 1])
            made.mkdir()
            write_wheel(made / "package-1.0-py3-none-any.whl")


def make_source_archive(folder: Path) -> None:
    (folder / "package-1.0").mkdir()
    with tarfile.open(folder / "package-1.0.tar.gz", "w:gz") as archive:
        archive.add(folder / "package-1.0", "package-1.0")


def write_wheel(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("package/__init__.py", "")


@pytest.fixture
def wheels() -> Any:
    return importlib.import_module("setup_wheel")


@pytest.fixture
def locks() -> Any:
    return importlib.import_module("setup_locks")


@pytest.fixture
def environment() -> Any:
    return importlib.import_module("setup_env")


def test_a_wheel_is_built_once(wheels: Any, tmp_path: Path) -> None:
    first, second = FakePip(tmp_path), FakePip(tmp_path)
    wheel = wheels.wheel_for(PLAN, first, tmp_path / "cache")
    assert first.done == ["download", "wheel"]
    assert wheels.wheel_for(PLAN, second, tmp_path / "cache") == wheel
    assert second.done == []
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["key", "key.lock"]


def test_the_cache_is_its_owner_s_alone(wheels: Any, tmp_path: Path) -> None:
    cache = wheels.cache_folder({"XDG_CACHE_HOME": str(tmp_path / "cache")})
    wheels.wheel_for(PLAN, FakePip(tmp_path), cache)
    assert [folder.stat().st_mode & 0o777 for folder in (cache, cache.parent)] == [0o700] * 2


def test_an_interrupted_build_goes_on_where_it_stopped(wheels: Any, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        wheels.wheel_for(PLAN, FakePip(tmp_path, KeyboardInterrupt()), tmp_path)
    objects = tmp_path / "key.building" / "cmake" / "half.o"
    objects.touch()
    second = FakePip(tmp_path)
    assert wheels.wheel_for(PLAN, second, tmp_path).is_file()
    assert second.done == ["wheel"]


def test_a_resumed_build_that_fails_is_begun_anew_next_time(wheels: Any, tmp_path: Path) -> None:
    for expected in (["download", "wheel"], ["wheel"], ["download", "wheel"]):
        pip = FakePip(tmp_path, wheels.SetupError("broken"))
        with pytest.raises(wheels.SetupError):
            wheels.wheel_for(PLAN, pip, tmp_path)
        assert pip.done == expected


def test_a_truncated_wheel_is_built_again(wheels: Any, tmp_path: Path) -> None:
    wheel = wheels.wheel_for(PLAN, FakePip(tmp_path), tmp_path)
    wheel.write_bytes(wheel.read_bytes()[:40])
    pip = FakePip(tmp_path)
    assert zipfile.is_zipfile(wheels.wheel_for(PLAN, pip, tmp_path))
    assert "wheel" in pip.done


@pytest.mark.parametrize(("backend", "named"), [("cuda", True), ("vulkan", True), ("cpu", False)])
def test_a_failed_build_for_a_gpu_names_the_way_out(
    wheels: Any, tmp_path: Path, backend: str, named: bool
) -> None:
    plan = SimpleNamespace(**{**vars(PLAN), "backend": backend})
    pip = FakePip(tmp_path, wheels.SetupError("nvcc fatal: no."))
    with pytest.raises(wheels.SetupError, match=r"nvcc fatal: no\.") as raised:
        wheels.wheel_for(plan, pip, tmp_path)
    assert ("SLIPSTREAM_BACKEND=cpu" in str(raised.value)) is named


def test_no_more_compilers_run_than_the_machine_bears(
    wheels: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "compilers", lambda env: 3)
    assert wheels._build_env(PLAN, {}, tmp_path)["CMAKE_BUILD_PARALLEL_LEVEL"] == "3"


def test_the_version_built_is_the_lowest_allowed(wheels: Any) -> None:
    dependencies = ["numpy>=2", "llama-cpp-python>=0.3.36,<0.4"]
    assert wheels.pinned_version({"project": {"dependencies": dependencies}}) == "0.3.36"


@pytest.fixture
def holder(locks: Any, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds tmp_path/lock until it can read a line."""
    script = (
        "import pathlib, sys, setup_locks\n"
        "with setup_locks.locked(pathlib.Path(sys.argv[1]), ''):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path / "lock"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(locks.__file__).parent)},
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_held_lock_is_waited_for(
    locks: Any,
    holder: subprocess.Popen[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        assert holder.stdin
        holder.stdin.write(b"\n")
        holder.stdin.flush()

    monkeypatch.setattr(locks, "say", say)
    with locks.locked(tmp_path / "lock", "somebody else is at it"):
        assert said == ["somebody else is at it"]


def test_a_lock_does_not_outlive_its_holder(
    locks: Any,
    holder: subprocess.Popen[bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    holder.kill()
    holder.wait()
    with locks.locked(tmp_path / "lock", "waiting"):
        assert capsys.readouterr().err == ""


def test_a_full_disk_is_noticed_before_anything_is_made(
    environment: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(free=2 * 10**9)
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(environment.SetupError, match=r"2\.0 GB free.*3 GB"):
        environment.check_disk(tmp_path / "not" / "there" / "yet")
    usage.free = 4 * 10**9
    environment.check_disk(tmp_path)


def test_folders_that_cannot_be_made_are_named_with_what_to_do(
    environment: Any, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (checkout / "file").touch()
    for name in ("look", "plan", "is_kept", "check_disk"):
        monkeypatch.setattr(environment, name, lambda *_: None)
    monkeypatch.setattr(environment, "run", lambda *_: pytest.fail("made too early"))
    made = environment.Checkout(checkout)
    with pytest.raises(environment.SetupError, match=r"file/slipstream.*Set XDG_CACHE_HOME"):
        environment.prepare(made, "run", "", {"XDG_CACHE_HOME": str(checkout / "file")})
    (checkout / ".build" / "lock").unlink()
    (checkout / ".build").rmdir()
    (checkout / ".build").touch()
    with pytest.raises(environment.SetupError, match=r"\.build.*where you may write"):
        environment.prepare(made, "run", "", {})


def test_what_another_start_made_is_not_made_again(
    environment: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    checkout = environment.Checkout(tmp_path)
    checkout.venv.mkdir()

    def make(checkout: Any, kind: str, signature: str, env: object) -> None:
        made.append(kind)
        checkout.mark_ready(("run", kind), signature)

    monkeypatch.setattr(environment, "_make", make)
    for kind in ("test", "test", "run"):
        environment.prepare(checkout, kind, "signature", {})
    assert made == ["test"]
    environment.prepare(checkout, "run", "another signature", {})
    assert made == ["test", "run"]


def test_the_environment_is_made_by_a_python_that_stays_the_same_version(
    environment: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = "python{}.{}".format(*sys.version_info)
    for name in ("python3", named):
        (tmp_path / name).touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python3"))
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    assert environment._lasting_python() == str(tmp_path / named)
    (tmp_path / named).unlink()
    assert environment._lasting_python() == str(tmp_path / "python3")


def test_an_activated_environment_is_not_made_by_its_own_python(
    environment: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "bin" / "python{}.{}".format(*sys.version_info)
    named.parent.mkdir()
    named.touch()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    assert environment._lasting_python() == str(named)


@pytest.mark.parametrize("name", ["my $cash x", 'a "b" c', "back `id` x"])
def test_a_path_that_no_program_starts_from_is_refused_before_anything_is_made(
    environment: Any, tmp_path: Path, name: str
) -> None:
    with pytest.raises(environment.SetupError, match="Move or rename"):
        environment.check_path(tmp_path / name)
    for fine in ("plain", "a space", "it's here", "cash$", 'a"b'):
        environment.check_path(tmp_path / fine)


def test_pip_is_not_told_where_others_would_have_things(
    wheels: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Mapping[str, str]] = []
    monkeypatch.setattr(wheels, "run", lambda command, log, env, doing: seen.append(env))
    given = {"PIP_TARGET": "/x", "PIP_PREFIX": "/x", "PIP_DRY_RUN": "1", "PIP_NO_DEPS": "1"}
    kept = {"PIP_INDEX_URL": "https://mirror", "PIP_CONSTRAINT": "pins.txt"}
    wheels.Pip(tmp_path / "python", tmp_path / "log", {**given, **kept})("Installing", X="1")
    assert seen == [{**kept, "X": "1"}]


def test_an_environment_that_pip_did_not_install_into_is_not_ready(
    environment: Any, tmp_path: Path
) -> None:
    with pytest.raises(environment.SetupError, match="prefix"):
        environment.check_installed(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "slipstream").touch()
    environment.check_installed(tmp_path)


def test_what_is_not_installed_is_not_marked_as_ready(
    environment: Any, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("look", "plan", "is_kept", "wheel_for", "check_disk", "run"):
        monkeypatch.setattr(environment, name, lambda *_: None)
    monkeypatch.setattr(environment, "Pip", lambda *_: lambda *_: None)
    made = environment.Checkout(checkout)
    made.venv.mkdir()
    with pytest.raises(environment.SetupError, match="not into"):
        environment.prepare(made, "run", "signature", {})
    assert not made.is_ready("run", "signature")
