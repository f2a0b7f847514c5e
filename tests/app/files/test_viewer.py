"""A file is opened where somebody sees it, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.errors import AppError
from app.files import viewer
from app.files.viewer import open_file, opener


def found(name: str) -> str:
    return f"/bin/{name}"


@pytest.mark.parametrize(
    ("platform", "env", "program"),
    [
        ("linux", {"DISPLAY": ":0"}, "/bin/xdg-open"),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, "/bin/xdg-open"),
        ("linux", {}, None),
        ("linux", {"DISPLAY": ":0", "SSH_CONNECTION": "1 2 3 4"}, None),
        ("darwin", {}, "/bin/open"),
        ("darwin", {"SSH_TTY": "/dev/ttys1"}, None),
        ("win32", {}, "/bin/explorer"),
    ],
)
def test_a_desktop_opens_files_and_a_remote_shell_does_not(
    platform: str, env: dict[str, str], program: str | None
) -> None:
    assert opener(platform, env, found) == program
    assert opener(platform, env, lambda _: None) is None


def test_what_is_opened_is_given_to_the_program_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, go, path = (tmp_path / name for name in ("told", "go", "it's a cat.png"))
    os.mkfifo(told)
    os.mkfifo(go)
    program = tmp_path / "viewer"
    program.write_text(f'#!/bin/sh\nread _ < "{go}"\nprintf %s "$1" > "{told}"\n')
    program.chmod(0o700)
    monkeypatch.setattr(viewer, "opener", lambda *_: str(program))
    open_file(path)
    go.write_text("now\n")
    assert told.read_text() == str(path)


def test_where_it_cannot_be_opened_its_place_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cat.png"
    monkeypatch.setattr(viewer, "opener", lambda *_: None)
    with pytest.raises(AppError, match=f"it is {path}$"):
        open_file(path)
    monkeypatch.setattr(viewer, "opener", lambda *_: str(tmp_path / "gone"))
    with pytest.raises(AppError, match=r"does not open .*cat\.png: No such file"):
        open_file(path)
