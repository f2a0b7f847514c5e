"""`info`: all that is known of a pair or a file, also where the file is damaged or no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app import cli
from tests.app.holding import LAPTOP, failed, flip, install, on, path_of, write_catalog, write_gguf

PAIR_KEYS = {"name", "title", "for_whom", "tier", "pictures", "drafter", "settings", "context"}
FIT_KEYS = {"verdict", "fit", "alternatives", "files"}
FILE_KEYS = {
    "source",
    "path",
    "state",
    "downloaded",
    "size",
    "sha256",
    "commit",
    "licence",
    "notes",
}


@pytest.fixture(autouse=True)
def own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalog()
    on(LAPTOP, monkeypatch)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert cli.main(["info", "--json", *words]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(["info", *words]) == 0
    return capsys.readouterr().out


def test_json_is_one_object_with_stated_keys(capsys: pytest.CaptureFixture[str]) -> None:
    about = told(capsys, "demo")
    assert about.keys() == PAIR_KEYS | FIT_KEYS
    for file in about["files"]:  # type: ignore[attr-defined]
        assert file.keys() == FILE_KEYS | {"gguf"}
        assert file["gguf"]["vocabulary"] == 4096
    about = told(capsys, "someone/models:big.gguf")
    assert about.keys() == {"name"} | FIT_KEYS
    assert about["files"][0].keys() == FILE_KEYS  # type: ignore[index]
    several = told(capsys, "demo", "one")
    assert several.keys() == {"models"}
    assert [one["name"] for one in several["models"]] == ["demo", "one"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name", ["one", "big", "someone/models:big.gguf", "qwen3-4b", "demo-draft"]
)
def test_every_kind_of_name_is_taken(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, name).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "code"),
    [("no-such", 2), ("someone/models", 1), ("a/b:Q4_K_M", 1), ("", 2), ("\x1b[2J", 2)],
)
@pytest.mark.parametrize("command", ["info", "rm", "verify-files"])
def test_an_unknown_name_is_one_line(
    command: str, name: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big", "small")
    line = failed(capsys, command, "one", name, code=code)
    ends = (
        "There is no pair named",
        "No file of a/b that is called",
        "Say which one: someone/models has",
    )
    assert any(words in line for words in ends)
    assert path_of("big").exists() and path_of("small").exists()


def test_a_damaged_file_is_said_to_be_damaged(capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    flip(path_of("big"))
    assert cli.main(["verify-files", "big"]) == 1
    capsys.readouterr()
    (line,) = (x for x in printed(capsys, "alone").splitlines() if "state" in x)
    assert "damaged" in line
    (file,) = told(capsys, "alone")["files"]  # type: ignore[misc]
    assert (file["state"], file["path"]) == ("damaged", str(path_of("big")))


def test_a_file_that_is_no_model_is_said_to_be_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "letter.gguf"
    path.write_text("Dear reader")
    write_catalog(
        f'[models.own]\npath = "{path}"\n[pairs.own]\ntitle = "x"\nfor_whom = "y"\ntarget = "own"\n'
    )
    lines = printed(capsys, "own", "demo").splitlines()
    assert [line for line in lines if "cannot be read as GGUF: no GGUF" in line]
    assert any(line.startswith("demo: ") for line in lines)
    (file,) = told(capsys, "own")["files"]  # type: ignore[misc]
    assert file["gguf"] is None and "no GGUF" in file["fault"]


def test_what_an_unfinished_download_left_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    path_of("big").parent.mkdir(parents=True)
    path_of("big").with_name("big.gguf.part").write_bytes(b"GGUF" + bytes(1996))
    assert "2 kB of it downloaded" in printed(capsys, "alone")
    (file,) = told(capsys, "alone")["files"]  # type: ignore[misc]
    assert (file["state"], file["downloaded"]) == ("unfinished", 2000)


def test_a_context_that_is_the_models_is_told_with_its_limit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "context        the model's, up to 8192\n" in printed(capsys, "alone")


def test_a_context_that_is_asked_about_is_the_one_told(capsys: pytest.CaptureFixture[str]) -> None:
    less, more = (told(capsys, "qwen3-4b", "--ctx-size", n) for n in ("512", "8192"))
    assert (less["context"], more["context"]) == (512, 8192)
    assert less["fit"] != more["fit"]


@pytest.mark.parametrize("n_ctx", ["0", "-5", "63", "2147483648", "many", "1.5"])
@pytest.mark.parametrize("command", ["info", "pull"])
def test_a_context_that_is_none_is_a_wrong_usage(
    command: str, n_ctx: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([command, "demo", "--ctx-size", n_ctx])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "--ctx-size: should be from 64 to 2147483647" in said


def test_the_metadata_of_a_file_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    write_gguf(path_of("big"), name="Two\x1b[2J", layers=7)
    text = printed(capsys, "alone")
    assert "Two[2J, llama, Q8_0" in text and "7 layers, context 1024, 3 tokens" in text


def test_the_path_of_a_gguf_is_told_of_as_a_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_gguf(tmp_path / "in" / "mine.gguf", name="My model", layers=7)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "./in/mine.gguf",
        "in/mine.gguf",
        str(tmp_path / "in/mine.gguf"),
        "~/in/mine.gguf",
    ):
        about = told(capsys, name)
        assert about.keys() == {"name"} | FIT_KEYS and about["verdict"] == "CPU"
        (file,) = about["files"]  # type: ignore[misc]
        assert Path(file["path"]).samefile(tmp_path / "in" / "mine.gguf")
        assert file["gguf"]["layers"] == 7 and file["gguf"]["has_template"] is False
    text = printed(capsys, "./in/mine.gguf")
    assert text.startswith("./in/mine.gguf: My model\n") and "no chat template" in text


def test_a_split_models_files_are_told_of_by_the_path_of_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [f"big-0000{i}-of-00002.gguf" for i in (1, 2)]
    for name in names:
        write_gguf(tmp_path / name)
    files = told(capsys, str(tmp_path / names[1]))["files"]
    assert [Path(file["path"]).name for file in files] == names  # type: ignore[attr-defined]


def test_a_pair_wins_over_a_file_of_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one").write_text("no model")
    monkeypatch.chdir(tmp_path)
    assert told(capsys, "one")["title"] == "The one"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("./nope.gguf", "No such file or directory"),
        ("nope.gguf", "No such file or directory"),
        ("~/nope", "No such file or directory"),
        ("./folder", "Is a directory"),
        ("letter.txt", "no GGUF"),
        ("./empty.gguf", "the file is empty"),
        ("cut.gguf", "the header is cut off"),
    ],
)
def test_a_path_that_is_no_gguf_is_one_line_with_the_reason(
    name: str,
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "letter.txt").write_text("Dear reader")
    (tmp_path / "empty.gguf").touch()
    (tmp_path / "cut.gguf").write_bytes(write_gguf(tmp_path / "whole.gguf").read_bytes()[:100])
    monkeypatch.chdir(tmp_path)
    line = failed(capsys, "info", name, code=2 if why.startswith("No such file") else 1)
    assert line.endswith(f"{Path(name).name} cannot be read as GGUF: {why}.")


@pytest.mark.parametrize("command", ["pull", "rm", "verify-files"])
def test_a_path_where_a_name_is_wanted_is_said_to_be_one(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_gguf(tmp_path / "mine.gguf")
    for name in (str(path), "./mine.gguf"):
        assert f"{name!r} is a path, and only `slipstream info`" in failed(capsys, command, name)
    assert path.exists()
