"""A settings screen writes what the app accepts, and leaves the rest of the file to the person."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from threading import Event, Thread

import pytest

from app.errors import SettingsError
from app.settings.logit_bias import BANNED
from app.settings.settings_file import SettingsFile
from app.settings.sources import Sources
from tests.patience import PATIENCE_S

MINE = "# calm\ntemp = 0.3  # very\nfuture_key = 1\n\n[other.thing]\nx = 1\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


@pytest.fixture
def mine(path: Path) -> SettingsFile:
    path.parent.mkdir()
    path.write_text(MINE)
    return SettingsFile(path)


def test_comments_and_keys_of_others_stay(mine: SettingsFile, path: Path) -> None:
    mine.set("temp", 0.7)
    assert path.read_text() == MINE.replace("0.3", "0.7")
    mine.set("seed", 7)
    mine.unset("temp")
    assert path.read_text() == MINE.replace("temp = 0.3  # very\n", "").replace(
        "future_key = 1\n", "future_key = 1\nseed = 7\n"
    )


def test_the_file_is_made_and_private(path: Path) -> None:
    file = SettingsFile(path)
    assert file.values() == {}
    file.set("system", 'Say "hi".\nTwice.')
    assert file.values() == {"system": 'Say "hi".\nTwice.'}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["settings.toml"], "nothing is left over"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pair", "demo"),
        ("memory", False),
        ("gpu_layers", "auto"),
        ("gpu_layers", 20),
        ("cache_type", "q8_0"),
        ("top_k", 40),
        ("offline", True),
        ("seed", 2**40),
        ("logit_bias", {"15043": 1.5, "29": BANNED}),
    ],
)
def test_what_is_set_is_what_the_app_reads(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.paths import Paths

    path = Paths().settings_file
    SettingsFile(path).set(name, value)  # type: ignore[arg-type]
    read = getattr(Sources.read({}, {}, path).joined(), name)
    meant = {int(k): v for k, v in value.items()} if isinstance(value, dict) else value
    assert read == meant


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("tmep", 1, "There is no setting 'tmep'."),
        ("temp", "warm", "temp: "),
        ("temp", -1.0, "temp: must be 0 or more, found -1.0."),
        ("temp", float("nan"), "temp: "),
        ("top_p", 2.0, "top_p: must be above 0"),
        ("cache_type", "q4_0", "cache_type: "),
        ("ctx_size", 0, "ctx_size: "),
        ("drafter", {"a": 1}, "drafter: "),
    ],
)
def test_what_the_app_would_refuse_is_not_written(
    mine: SettingsFile, path: Path, name: str, value: object, words: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        mine.set(name, value)  # type: ignore[arg-type]
    assert str(refused.value).startswith(words) and "\n" not in str(refused.value)
    assert path.read_text() == MINE


def test_a_bad_variable_hinders_no_writing(
    mine: SettingsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIPSTREAM_TEMP", "hot")
    mine.set("top_k", 5)
    assert mine.values()["top_k"] == 5


@pytest.mark.parametrize(
    "content",
    [
        b"temp = \n",
        b"\xff\xfe",
        b"temp = 1\ntemp = 2\n",
        b"temp = " + b"[" * 5000 + b"]" * 5000,
        b"temp = " + b"9" * 5000,
        b"temp = 0x" + b"f" * 5000,
    ],
    ids=["cut", "no text", "twice", "nested", "long", "hexadecimal"],
)
def test_a_damaged_file_is_said_to_be_so_and_not_touched(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    for change in (lambda f: f.values(), lambda f: f.set("seed", 1), lambda f: f.unset("seed")):
        with pytest.raises(SettingsError, match=r"^Cannot read .*settings\.toml: .*\.$") as refused:
            change(SettingsFile(path))
        assert "recursion" not in str(refused.value) and "sys." not in str(refused.value)
    assert path.read_bytes() == content


def test_a_byte_order_mark_is_read_over_and_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(MINE, "utf-8-sig")
    SettingsFile(path).set("temp", 0.7)
    assert path.read_text("utf-8") == "\ufeff" + MINE.replace("0.3", "0.7")
    assert SettingsFile(path).values()["temp"] == 0.7
    assert Sources.read({}, {}, path).file["temp"] == 0.7


def test_what_two_windows_change_at_once_is_all_there(mine: SettingsFile, path: Path) -> None:
    reading, changed = Event(), Event()

    def slowly(text: str) -> str:
        reading.set()
        changed.wait(0.2)
        return text.replace("0.3", "0.7")

    def other() -> None:
        reading.wait(PATIENCE_S)
        SettingsFile(path).set("seed", 7)
        changed.set()

    window = Thread(target=other)
    window.start()
    mine.edit("temp", slowly)
    window.join()
    assert (mine.values()["temp"], mine.values()["seed"]) == (0.7, 7)


def test_what_is_no_file_or_has_no_end_is_not_read(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    for change in (lambda f: f.values(), lambda f: f.set("seed", 1)):
        with pytest.raises(SettingsError, match=r"settings\.toml is no file"):
            change(SettingsFile(path))
    path.unlink()
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(SettingsError, match="is too large: 1099511627776 bytes"):
        SettingsFile(path).values()


def test_a_folder_that_takes_nothing_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"^Cannot (read|write) ") as refused:
        SettingsFile(tmp_path / "file" / "settings.toml").set("seed", 1)
    assert "\n" not in str(refused.value)


def test_a_link_to_a_file_kept_elsewhere_stays_one(tmp_path: Path) -> None:
    kept, link = tmp_path / "dotfiles.toml", tmp_path / "settings.toml"
    kept.write_text("temp = 1\n")
    link.symlink_to(kept)
    SettingsFile(link).set("temp", 2)
    assert link.is_symlink() and tomllib.loads(kept.read_text()) == {"temp": 2}
