"""What was used last comes back, unless something else is named or it is gone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from app.errors import CatalogError
from app.last import Last, read_last, settings_or_last, write_last
from app.paths import Paths
from tests.app.holding import close, install, path_of, write_catalog


def args(**given: str) -> argparse.Namespace:
    return argparse.Namespace(**{"pair": None, "model": None, "offline": None, **given})


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A model by path."""
    path = tmp_path / "other.gguf"
    path.write_bytes(b"GGUF")
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data" / "last.json"
    last = Last(pair="demo", chat=2**62)
    write_last(path, last)
    assert read_last(path) == last
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "raw", (b"", b"{", b"[]", b'{"chat":"x"}', b'{"pair":"\xff"}', b"\xff\x00", b"null")
)
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "last.json"
    path.write_bytes(raw)
    assert read_last(path) == Last() == read_last(tmp_path / "missing.json")


def test_the_pair_used_last_comes_back_where_none_is_named(other: Path) -> None:
    settings, notice = settings_or_last(args(), Last(model=str(other)))
    assert (settings.pair.target, settings.title, notice) == (str(other), "other", "")
    assert Last(chat=3).with_pair(settings) == Last(model=str(other), chat=3)


def test_a_pair_of_the_catalogue_comes_back_by_its_name() -> None:
    settings, notice = settings_or_last(args(), Last(pair="demo"))
    assert (settings.name, notice) == ("demo", "")
    assert Last(model="f.gguf", chat=3).with_pair(settings) == Last(pair="demo", chat=3)


@pytest.mark.parametrize("how", ("flag", "environment", "file"))
def test_what_is_named_wins(other: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "environment":
        monkeypatch.setenv("SLIPSTREAM_PAIR", "demo")
    if how == "file":
        file = Paths().settings_file
        file.parent.mkdir(parents=True)
        file.write_text('pair = "demo"\n')
    given = args(pair="demo") if how == "flag" else args()
    settings, notice = settings_or_last(given, Last(model=str(other)))
    assert (settings.name, notice) == ("demo", "")


@pytest.mark.parametrize(
    ("last", "why"),
    (
        (Last(pair="qwen3-8b"), "qwen3-8b is not installed"),
        (Last(pair="no-such-pair"), "no-such-pair"),
        (Last(model="/nowhere/f.gguf"), "/nowhere/f.gguf is not there any more. This is"),
    ),
)
def test_a_pair_that_is_gone_gives_way_to_the_usual_one_with_a_line_why(
    last: Last, why: str
) -> None:
    settings, notice = settings_or_last(args(), last)
    assert settings.name == "demo"
    assert why in notice and settings.title in notice and "\n" not in notice


@pytest.mark.parametrize("by_path", [False, True])
def test_what_is_on_a_disk_that_is_not_mounted_is_not_to_be_downloaded_again(by_path: bool) -> None:
    folder = Paths().ensure().models_dir
    folder.symlink_to("/not/mounted")
    last = Last(model=f"{folder}/me/x/f.gguf") if by_path else Last(pair="qwen3-8b")
    settings, notice = settings_or_last(args(), last)
    assert settings.name == "demo" and "pull" not in notice
    assert f"{folder} is a link to /not/mounted, which is not there. Mount it" in notice


@pytest.mark.parametrize("is_cached", [False, True])
def test_a_model_of_the_hub_that_is_gone_is_told_with_how_it_comes_back(
    is_cached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    store = Paths().models_dir / "me" / "x"
    folder = tmp_path / "models--me--x" / "snapshots" / "c0ffee" if is_cached else store
    _, notice = settings_or_last(args(), Last(model=str(folder / "q4" / "my f.gguf")))
    assert "not there any more. `slipstream pull 'me/x:q4/my f.gguf'` downloads it." in notice


def test_nobody_who_names_a_pair_is_told_of_the_last_one() -> None:
    settings, notice = settings_or_last(args(pair="demo"), Last(model="/nowhere/f.gguf"))
    assert (settings.name, notice) == ("demo", "")


def test_a_named_pair_that_is_not_installed_is_refused_as_ever(other: Path) -> None:
    with pytest.raises(CatalogError):
        settings_or_last(args(pair="qwen3-8b"), Last(model=str(other)))


def test_what_was_not_sent_is_kept_under_the_name_that_earlier_versions_gave_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "last.json"
    path.write_text('{"chat":3,"drafts":[{"text":"half a","chat":3}]}')
    found = read_last(path)
    assert [(each.text, each.chat) for each in found.unsent] == [("half a", 3)]
    write_last(path, found)
    assert json.loads(path.read_text())["drafts"] == [{"text": "half a", "chat": 3}]


@pytest.mark.parametrize("by_path", [False, True])
def test_what_lies_in_a_closed_folder_gives_way_with_a_line_why(
    by_path: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_catalog()
    install("big")
    last = Last(model=str(path_of("big"))) if by_path else Last(pair="alone")
    assert settings_or_last(args(), last)[1] == ""
    close(path_of("big").parent, monkeypatch)
    settings, notice = settings_or_last(args(), last)
    assert settings.name == "demo"
    assert notice.startswith("The model used last does not come back: ") and "big.gguf" in notice
