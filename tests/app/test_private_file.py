"""A file of the person's is whole or not there, and a new one takes nobody's place."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from app.private_file import replace, write_new, write_private


def no_links(*_: object) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.fixture(params=["links", "no links"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a path in a folder that is to be made, on a file system with links and without."""
    if request.param == "no links":
        monkeypatch.setattr(os, "link", no_links)
    return tmp_path / "folder" / "name.md"


def test_a_new_file_is_there_at_once_whole_and_its_owners_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    fsync = os.fsync

    def synced(handle: int) -> None:
        seen.append(path.exists())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    write_new(path, b"text")
    assert seen == [False], "who is killed while it is written leaves none of its name"
    assert path.read_bytes() == b"text" and path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_there_stays_as_it_is_also_a_link_to_nothing(path: Path) -> None:
    write_private(path, b"first")
    with pytest.raises(FileExistsError):
        write_new(path, b"second")
    dangling = path.with_name("dangling.md")
    dangling.symlink_to(path.with_name("nothing"))
    with pytest.raises(FileExistsError):
        write_new(dangling, b"second")
    assert path.read_bytes() == b"first" and dangling.is_symlink()
    assert {each.name for each in path.parent.iterdir()} == {path.name, dangling.name}


def test_what_cannot_be_written_leaves_nothing_behind(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for write in (write_new, write_private):
        with pytest.raises(OSError, match="No space left"):
            write(path, b"text")
        assert list(path.parent.iterdir()) == []


def test_where_no_file_can_be_made_the_one_that_was_asked_for_is_named(path: Path) -> None:
    path = path.with_name("n" * 250)  # and the one beside it, which comes first, is longer still
    for write in (write_new, write_private):
        with pytest.raises(OSError) as told:
            write(path, b"text")
        assert told.value.filename == str(path)


def test_a_file_that_is_replaced_keeps_its_rights_and_a_link_stays_one(tmp_path: Path) -> None:
    script, link = tmp_path / "deploy.sh", tmp_path / "link.sh"
    script.write_bytes(b"old")
    script.chmod(0o755)
    link.symlink_to(script)
    replace(link, b"new")
    assert link.is_symlink() and script.read_bytes() == b"new"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert sorted(os.listdir(tmp_path)) == ["deploy.sh", "link.sh"]


@pytest.mark.parametrize("is_gone", [True, False], ids=["gone meanwhile", "no rights there"])
def test_what_replaces_a_file_is_written_also_where_rights_cannot_be_kept(
    is_gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    path = tmp_path / "chat.md"
    if not is_gone:
        path.write_bytes(b"old")
        monkeypatch.setattr(os, "chmod", refuse)
    replace(path, b"new")
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["chat.md"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
