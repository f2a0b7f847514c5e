"""Where a home cannot be written, logs are kept elsewhere, and nothing else."""

from __future__ import annotations

import errno
import os
import pwd
import tempfile
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.logs import ends_of, kept_traceback
from app.models.store import Store
from app.paths import HOMES, Paths, path_text
from tests.app.models.test_store import SPEC


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(params=["there", "not there"])
def read_only_home(
    own_folders: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let nothing be written at home, whoever asks: root may write whatever its mode says."""
    if request.param == "there":
        Paths().ensure()
    may, mkdir = os.access, Path.mkdir

    def access(path: Path, mode: int) -> bool:
        is_home = Path(path).is_relative_to(own_folders)
        return may(path, mode) and not (is_home and mode & os.W_OK)

    def make(self: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if self.is_relative_to(own_folders) and not self.exists():
            raise OSError(errno.EROFS, "Read-only file system")
        mkdir(self, mode, parents, exist_ok)

    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(Path, "mkdir", make)


@pytest.mark.usefixtures("read_only_home")
def test_in_a_home_that_cannot_be_written_logs_go_to_one_temporary_folder(temporary: Path) -> None:
    usual = Paths()
    paths = Paths().ensure()
    assert paths.log_dir.parent == temporary and paths.log_dir.stat().st_mode & 0o077 == 0
    assert Paths().ensure().engine_log == paths.engine_log
    assert (paths.data_dir, paths.config_dir) == (usual.data_dir, usual.config_dir)
    paths.engine_log.write_text("last words\n")
    assert "last words" in ends_of(Paths())


@pytest.mark.usefixtures("read_only_home")
@pytest.mark.parametrize("taken", ["a link", "a file", "open to others"])
def test_a_temporary_folder_that_others_may_have_made_is_not_used(
    temporary: Path, tmp_path: Path, taken: str
) -> None:
    folder = temporary / f"slipstream-{os.getuid()}"
    if taken == "a link":
        folder.symlink_to(tmp_path)
    elif taken == "a file":
        folder.touch()
    else:
        folder.mkdir()
        folder.chmod(0o777)
    found = Paths().ensure().log_dir
    assert found != folder and found.stat().st_mode & 0o077 == 0


def test_a_home_that_can_be_written_keeps_its_logs(own_folders: Path, temporary: Path) -> None:
    assert Paths().ensure().log_dir.is_relative_to(own_folders)
    assert list(temporary.iterdir()) == []


def test_folders_that_are_open_to_others_are_closed() -> None:
    paths = Paths().ensure()
    folders = (paths.data_dir, paths.config_dir, paths.cache_dir, paths.log_dir)
    for folder in folders:
        folder.chmod(0o755)
    Paths().ensure()
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def test_a_disk_without_modes_is_written_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Paths().ensure()
    paths.log_dir.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    assert Paths().ensure().log_dir == paths.log_dir


def refuse(self: Path, mode: int) -> None:
    """Do as a disk of another system does."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


def refusal() -> str:
    with pytest.raises(SettingsError) as refused:
        Paths().ensure()
    return str(refused.value)


def test_what_is_in_the_way_of_a_folder_is_said(own_folders: Path) -> None:
    data = Paths().data_dir
    data.parent.mkdir(parents=True)
    data.write_text("in the way")
    assert refusal() == f'Cannot make {data}: {data} is no folder. mv "{data}" "{data}.old"'


def test_a_link_to_a_disk_that_is_not_mounted_is_said_to_be_one(own_folders: Path) -> None:
    data, disk = Paths().data_dir, own_folders / "disk"
    data.parent.mkdir(parents=True)
    data.symlink_to(disk)
    assert f"{data} is a link to {disk}, which is not there. Mount it, or remove" in refusal()
    disk.mkdir()
    assert Paths().ensure().data_dir == data


def test_the_variable_that_names_no_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    of_state = f"Cannot make {Paths().log_dir}: /dev/null is no folder. Correct XDG_STATE_HOME."
    assert refusal() == of_state
    assert kept_traceback(ValueError("oops")) == "Its traceback could not be written."
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/x")
    assert refusal().endswith("Correct XDG_CACHE_HOME and XDG_STATE_HOME.")


def test_a_path_that_is_no_text_is_said_to_be_so(tmp_path: Path) -> None:
    assert path_text(tmp_path / "caf\xe9") == f"{tmp_path}/caf\xe9"
    with pytest.raises(
        SettingsError, match=f"^{tmp_path}/caf\udce9/m.gguf: .* no UTF-8 text; rename"
    ):
        path_text(tmp_path / "caf\udce9" / "m.gguf")


def test_who_has_no_home_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for name in HOMES:
        monkeypatch.delenv(name)
    with pytest.raises(SettingsError, match=r"^There is no home folder: set HOME"):
        Paths()
    assert kept_traceback(ValueError("oops")) == "Its traceback could not be written."
    assert Paths(tmp_path).data_dir == tmp_path / "data"


@pytest.mark.parametrize("name", ["SLIPSTREAM_MODELS_DIR", "HF_HUB_CACHE", "HF_HOME"])
def test_the_home_of_nobody_is_a_folder_that_is_not_there(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "~nobody-is-called-so/x")
    store = Store(Paths().models_dir)
    assert store.find(SPEC) is None and store.files_of("someone/model") == []
