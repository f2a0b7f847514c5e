"""`verify-files` finds one flipped bit, and says so until the file is pulled again."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app import cli
from app.models.catalog import load_catalog
from app.models.store import Store
from app.paths import Paths
from tests.app.holding import (
    failed,
    flip,
    install,
    path_of,
    spec,
    store,
    write_catalog,
    write_gguf,
)


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog()


def states(capsys: pytest.CaptureFixture[str], *names: str, code: int = 0) -> dict[str, str]:
    assert cli.main(["verify-files", "--json", *names]) == code
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == {"files"}
    assert all(file.keys() == {"file", "state", "sha256", "why"} for file in found["files"])
    return {Path(file["file"]).name: file["state"] for file in found["files"]}


def named(name: str, sha256: str) -> str:
    """Name a file with this hash in models.toml."""
    file = f'repo = "someone/models"\nfile = "{name}.gguf"\n'
    return f'[models.{name}]\n{file}sha256 = "{sha256}"\n'


def test_all_that_is_here_is_hashed_unless_names_are_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shipped = {"target.gguf": "verified", "draft.gguf": "verified"}
    assert states(capsys) == shipped
    install("big", "small")
    assert states(capsys) == shipped | {"big.gguf": "verified", "small.gguf": "verified"}
    assert states(capsys, "alone") == {"big.gguf": "verified"}
    assert states(capsys, "one", "big") == {"big.gguf": "verified", "small.gguf": "verified"}


def test_files_in_no_pair_are_hashed_too(capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    Paths().own_catalog.unlink()
    assert states(capsys)["big.gguf"] == "verified"
    assert states(capsys, "someone/models:big.gguf") == {"big.gguf": "verified"}


@pytest.mark.parametrize("content", [None, b"GGUF"], ids=["a bit", "its length"])
def test_a_damaged_file_in_no_pair_is_said_every_time(
    content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big")
    Paths().own_catalog.unlink()
    flip(path_of("big"))
    if content is not None:
        path_of("big").write_bytes(content)
    for _ in range(3):
        assert states(capsys, code=1)["big.gguf"] == "damaged"


@pytest.mark.parametrize("is_in_pair", [True, False])
def test_an_unfinished_file_is_said_and_not_read(
    is_in_pair: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    part = path_of("big").with_name("big.gguf.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"GGUF")
    if not is_in_pair:
        Paths().own_catalog.unlink()
    assert cli.main(["verify-files", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {"file": str(part), "state": "unfinished", "sha256": None, "why": None} in files
    assert cli.main(["verify-files", "someone/models:big.gguf"]) == 0
    assert capsys.readouterr().out == "big.gguf.part: unfinished: pull it again to go on.\n"


def test_one_flipped_bit_is_found_and_said_until_it_is_mended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("big", "small")
    flip(path_of("big"))
    for names in ((), ("one",), ("big",)):
        assert states(capsys, *names, code=1)["big.gguf"] == "damaged"
    assert store().find(spec("big")) is None
    assert cli.main(["verify-files", "one"]) == 1
    assert "big.gguf: DAMAGED" in capsys.readouterr().out
    line = failed(capsys, "verify", "one")
    assert "not installed: big.gguf is damaged. `slipstream pull one` downloads it again." in line


def test_a_file_that_was_cut_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    path_of("big").write_bytes(path_of("big").read_bytes()[:-3])
    assert states(capsys, code=1)["big.gguf"] == "damaged"


def test_a_size_only_file_stays_size_only(capsys: pytest.CaptureFixture[str]) -> None:
    install("big", checked="size only")
    assert [states(capsys, "big") for _ in range(2)] == [{"big.gguf": "size only"}] * 2
    found = store().find(spec("big"))
    assert found is not None and found.checked == "size only"


def test_a_file_that_cannot_be_read_hides_no_damage_behind_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big", "small")
    flip(path_of("small"))
    read = Path.open

    def fail(path: Path, *args: Any, **kwargs: Any) -> Any:
        if path.name == "big.gguf":
            raise OSError(5, "Input/output error")
        return read(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", fail)
    assert cli.main(["verify-files", "--json", "alone"]) == 1
    (big,) = json.loads(capsys.readouterr().out)["files"]
    assert (big["state"], big["sha256"], big["why"]) == ("unreadable", None, "Input/output error")
    assert states(capsys, "one", code=1) == {"big.gguf": "unreadable", "small.gguf": "damaged"}
    assert cli.main(["verify-files", "one"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "big.gguf: CANNOT BE READ: Input/output error."
    assert told[1].startswith("small.gguf: DAMAGED")


def test_each_file_that_is_named_and_not_here_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    gone = "NOT HERE. Pull it, or put a file of your own back."
    assert cli.main(["verify-files", "demo", "one"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[2:] == [f"big.gguf: {gone}", f"small.gguf: {gone}"]
    install("big")
    assert states(capsys, "one", code=1) == {"big.gguf": "verified", "small.gguf": "not here"}
    assert states(capsys, "big") == {"big.gguf": "verified"}


def test_a_file_of_ones_own_that_is_gone_is_said_where_it_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone.gguf"
    write_catalog(f'[models.own]\npath = "{gone}"\n')
    assert cli.main(["verify-files", "--json", "own"]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file == {"file": str(gone), "state": "not here", "sha256": None, "why": None}


def test_the_catalogues_hash_counts_for_a_file_that_was_put_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = load_catalog().models["qwen3-0.6b"]
    assert model.size is not None
    path = Store(Paths().models_dir).path_of(model)
    with write_gguf(path).open("r+b") as file:
        file.truncate(100)
    assert states(capsys, "qwen3-0.6b", code=1) == {path.name: "damaged"}
    assert store().find(model) is None


@pytest.mark.parametrize("command", ["verify-files", "rm", "list"])
@pytest.mark.parametrize("is_given", [True, False])
def test_a_models_folder_that_is_none_is_not_taken_for_an_empty_one(
    is_given: bool,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Paths().ensure().models_dir
    folder.write_text("no folder")
    mend = f'mv "{folder}" "{folder}.old"'
    if is_given:
        monkeypatch.setenv("SLIPSTREAM_MODELS_DIR", str(folder))
        mend = "Correct SLIPSTREAM_MODELS_DIR, or unset it."
    line = failed(
        capsys, command, *(["one"] if command == "rm" else []), code=0 if command == "list" else 1
    )
    assert line == f"slipstream: Cannot find what was downloaded: {folder} is no folder. {mend}"


@pytest.mark.parametrize("is_above", [True, False])
def test_a_models_folder_that_is_closed_to_us_is_told(
    is_above: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = Paths().data_dir if is_above else Paths().models_dir
    closed.mkdir(parents=True, exist_ok=True)
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != closed and access(path, mode))
    line = failed(capsys, "verify-files", "one")
    assert f"{closed} cannot be read. Make that folder readable" in line


@pytest.mark.parametrize("is_right", [True, False])
def test_a_file_that_models_toml_puts_into_no_pair_is_compared_with_what_it_says(
    capsys: pytest.CaptureFixture[str], is_right: bool
) -> None:
    content = write_gguf(path_of("own")).read_bytes()
    write_catalog(named("own", hashlib.sha256(content).hexdigest() if is_right else "a" * 64))
    found = states(capsys, code=int(not is_right))
    assert found["own.gguf"] == ("verified" if is_right else "damaged")


PAIR = '[pairs.three]\ntitle = "3"\nfor_whom = "x"\ntarget = "own"\ndraft = "small"\n'


@pytest.mark.parametrize("pair", ["", PAIR], ids=["in no pair", "in a pair"])
def test_a_file_that_was_pulled_by_its_own_name_is_compared_with_what_it_was(
    pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    install("own")
    write_catalog(named("own", "a" * 64) + pair)
    assert states(capsys)["own.gguf"] == "verified"
    assert states(capsys, "own", code=1) == {"own.gguf": "damaged"}, "it is not the catalogue's"
    assert states(capsys)["own.gguf"] == "verified"
    found = store().find(spec("own"))
    assert found is not None and found.checked == "verified", "who opens it by its name can"
    flip(path_of("own"))
    assert states(capsys, code=1)["own.gguf"] == "damaged"


def test_the_version_that_is_opened_is_hashed_and_not_the_one_that_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    cache = tmp_path / "models--someone--models"
    install("own")
    older, newer = (cache / "snapshots" / (sign * 40) / "own.gguf" for sign in "ab")
    for path in (older, newer):
        write_gguf(path, path.parent.name)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("b" * 40)
    record = store().record(spec("own"))
    assert record is not None
    store().add(msgspec.structs.replace(record, path=str(older)))
    path_of("own").unlink()
    write_catalog(named("own", hashlib.sha256(newer.read_bytes()).hexdigest()))
    assert cli.main(["verify-files", "--json"]) == 0
    files = {file["file"]: file["state"] for file in json.loads(capsys.readouterr().out)["files"]}
    assert (files.get(str(newer)), str(older) in files) == ("verified", False)
