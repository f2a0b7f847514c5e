"""Where finished builds are kept, whatever the environment says of homes."""

from __future__ import annotations

import importlib
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def wheels() -> Any:
    return importlib.import_module("setup_wheel")


@pytest.mark.parametrize(
    ("env", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/slipstream/wheels"),
        ({"HOME": "/h"}, "/h/.cache/slipstream/wheels"),
        ({"XDG_CACHE_HOME": "c", "HOME": "/h"}, "/h/.cache/slipstream/wheels"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/slipstream/wheels"),
    ],
)
def test_what_is_no_whole_path_is_passed_over(
    wheels: Any, env: dict[str, str], folder: str
) -> None:
    assert str(wheels.cache_folder(env)) == folder


@pytest.mark.parametrize("env", [{}, {"HOME": ""}, {"HOME": "here"}])
def test_without_a_home_in_the_environment_the_system_is_asked(
    wheels: Any, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    users = {os.getuid(): SimpleNamespace(pw_dir="/home/me")}
    monkeypatch.setattr(wheels.pwd, "getpwuid", users.__getitem__)
    assert wheels.cache_folder(env) == Path("/home/me/.cache/slipstream/wheels")


def test_who_has_no_home_is_told_to_set_one(wheels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(wheels.pwd, "getpwuid", unknown)
    with pytest.raises(wheels.SetupError, match="set HOME"):
        wheels.cache_folder({})


def test_who_has_a_finished_build_needs_no_room_for_another(
    wheels: Any, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = importlib.import_module("setup_env")
    monkeypatch.setattr(environment, "look", lambda _: None)
    monkeypatch.setattr(environment, "plan", lambda *_: SimpleNamespace(key="key"))
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda _: SimpleNamespace(free=2 * 10**9))

    def begin(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(environment, "run", begin)
    env = {"XDG_CACHE_HOME": str(checkout / "cache")}
    made = environment.Checkout(checkout)
    with pytest.raises(environment.SetupError, match=r"2\.0 GB free.*3 GB needed"):
        environment.prepare(made, "run", "", env)
    folder = wheels.cache_folder(env) / "key"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "llama.whl", "w") as archive:
        archive.writestr("llama_cpp/__init__.py", "")
    with pytest.raises(KeyboardInterrupt):
        environment.prepare(made, "run", "", env)
