"""`list` and `recommend`: what there is, what is here, what suits; for people and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app import cli
from app.models.catalog import load_catalog
from app.paths import Paths
from tests.app.holding import (
    CATALOG,
    LAPTOP,
    close,
    failed,
    flip,
    install,
    on,
    path_of,
    write_catalog,
    write_gguf,
)
from tests.app.models.machines import machine

ESC = "\\u001b[2J\\u001b]52;;x\\u0007"
PAIR_OF_OWN = '[pairs.three]\ntitle = "3"\nfor_whom = "x"\ntarget = "own"\ndraft = "small"\n'


@pytest.fixture(autouse=True)
def own_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalog()
    on(LAPTOP, monkeypatch)


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main(words) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    found = json.loads(printed(capsys, "list", "--json", *words))
    return {pair["name"]: pair for pair in found["pairs"]}


def test_json_is_one_object_with_stated_keys(capsys: pytest.CaptureFixture[str]) -> None:
    install("big")
    found = json.loads(printed(capsys, "list", "--json"))
    assert found.keys() == {"pairs", "other_files"}
    assert [pair["name"] for pair in found["pairs"]] == list(
        load_catalog(Paths().own_catalog).pairs
    )
    for pair in found["pairs"]:
        keys = {"name", "title", "for_whom", "tier", "pictures", "state", "size", "verdict", "fit"}
        assert pair.keys() == keys
    states = {pair["name"]: pair["state"] for pair in found["pairs"]}
    assert states["demo"] == states["alone"] == "installed"
    assert (states["one"], states["two"]) == ("partly installed", "available")


def test_a_file_of_ones_own_that_is_not_there_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    own = tmp_path / "own.gguf"
    write_catalog(
        f'[models.own]\npath = "{own}"\n'
        '[pairs.own]\ntitle = "My own"\nfor_whom = "Me."\ntarget = "own"\n'
    )
    assert listed(capsys)["own"]["state"] == "file missing"
    assert "own" not in listed(capsys, "--installed")
    write_gguf(own)
    assert listed(capsys)["own"]["state"] == "installed"


def test_every_pair_has_a_line_and_no_name_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a-name-of-many-words-" * 6
    write_catalog(f'[pairs.{name}]\ntitle = "x"\nfor_whom = "y"\ntarget = "big"\n')
    lines = printed(capsys, "list").splitlines()
    for pair in load_catalog(Paths().own_catalog).pairs:
        assert [line for line in lines if line.split()[0] == pair], pair


@pytest.mark.parametrize(("columns", "heads"), [(20, 1), (25, 1), (40, 2), (62, 4), (120, 7)])
def test_a_narrow_terminal_leaves_out_columns_and_cuts_no_name(
    columns: int, heads: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", printed(capsys, "list")).splitlines()
    assert "pair state for size on this machine".startswith(" ".join(lines[0].split()))
    assert len(lines[0].split()) == heads
    if columns > 24:
        for pair in load_catalog(Paths().own_catalog).pairs:
            assert [line for line in lines if line.split()[0] == pair], pair


def test_installed_leaves_out_what_is_not_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(capsys, "--installed").keys() == {"demo"}
    install("big")
    assert listed(capsys, "--installed").keys() == {"demo", "alone", "one"}
    flip(path_of("big"))
    cli.main(["verify-files"])
    capsys.readouterr()
    assert listed(capsys, "--installed").keys() == {"demo"}


def test_what_was_not_checked_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    install("big", checked="size only")
    (line,) = (x for x in printed(capsys, "list").splitlines() if x.startswith("alone "))
    assert "installed (size only)" in line


def test_files_in_no_pair_are_listed_by_the_name_that_rm_takes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("big")
    Paths().own_catalog.unlink()
    found = json.loads(printed(capsys, "list", "--json"))["other_files"]
    size = path_of("big").stat().st_size
    assert found == [{"file": "someone/models:big.gguf", "size": size, "state": "verified"}]
    assert "someone/models:big.gguf, " in printed(capsys, "list")
    assert cli.main(["rm", "--yes", found[0]["file"]]) == 0
    capsys.readouterr()
    assert json.loads(printed(capsys, "list", "--json"))["other_files"] == []


def test_damaged_and_unfinished_files_in_no_pair_are_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("big", "other")
    Paths().own_catalog.unlink()
    flip(path_of("big"))
    path_of("other").write_bytes(b"GGUF")
    path_of("small").with_name("small.gguf.part").write_bytes(b"GGUF" + bytes(1996))
    assert cli.main(["verify-files"]) == 1
    capsys.readouterr()
    sizes = {"big": path_of("big").stat().st_size, "other": 4, "small": 2000}
    found = json.loads(printed(capsys, "list", "--json"))["other_files"]
    assert found == [
        {"file": f"someone/models:{name}.gguf", "size": size, "state": state}
        for (name, size), state in zip(
            sizes.items(), ("damaged", "damaged", "unfinished"), strict=True
        )
    ]
    text = printed(capsys, "list")
    assert "someone/models:other.gguf, 4 B: damaged, in no pair" in text
    assert "someone/models:small.gguf, 2 kB: unfinished, in no pair" in text


@pytest.mark.parametrize("command", ["list", "recommend", "info evil", "rm evil", "info demo"])
def test_foreign_words_reach_no_terminal(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = "layers = 2\nheads = 2\nkv_bytes_per_token = 512\nvocabulary = 9\ncontext = 512\n"
    target = f'[models.evil]\nrepo = "a/b"\nfile = "evil.gguf"\nsize = 3_500_000_000\n{figures}'
    words = f'notes = "{ESC}"\nlicence = "{ESC}"\n'
    pair = "".join(f'{key} = "x{ESC}"\n' for key in ("title", "for_whom"))
    write_catalog(f'{target}{words}[pairs.evil]\ntarget = "evil"\n{pair}tier = "4 GB"\n')
    on(machine(160, 120), monkeypatch)
    cli.main(command.split())
    captured = capsys.readouterr()
    assert "evil" in captured.out or "demo" in command
    assert not set(captured.out + captured.err) & {"\x1b", "\x07"}


def test_foreign_words_for_a_drafter_are_refused_and_reach_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = f'[pairs.evil]\ntitle = "x"\nfor_whom = "y"\ntarget = "big"\ndrafter = "x{ESC}"\n'
    write_catalog(pair)
    assert "pairs.evil.drafter: should be auto or " in failed(capsys, "list")


def test_foreign_words_in_an_alternative_reach_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = load_catalog().pairs["qwen3-8b"]
    write_catalog(
        f'[pairs."qwen3-8b"]\ntitle = "8B{ESC}"\nfor_whom = "x"\ntier = "{shipped.tier}"\n'
        f'target = "{shipped.target}"\n'
    )
    on(machine(12, 10), monkeypatch)
    assert "8B[2J" in printed(capsys, "info", "qwen3-32b")


def test_a_broken_models_toml_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Paths().own_catalog.write_text(CATALOG + "[pairs.x")
    for command in ("list", "recommend", "info x", "rm x", "verify-files"):
        assert str(Paths().own_catalog) in failed(capsys, *command.split())


def test_recommend_names_at_most_three_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "recommend", "--json"))
    assert found.keys() == {"recommended"}
    assert 1 <= len(found["recommended"]) <= 3
    text = printed(capsys, "recommend")
    for one in found["recommended"]:
        assert one.keys() == {"name", "verdict", "why"}
        assert f"slipstream pull {one['name']}" in text and one["why"] in text


def test_recommend_opens_a_chat_with_what_is_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on(machine(0.9, 0.4), monkeypatch)
    assert "slipstream chat demo" in printed(capsys, "recommend")


def test_a_file_that_is_no_model_breaks_no_list(capsys: pytest.CaptureFixture[str]) -> None:
    write_gguf(path_of("big")).write_bytes(b"GGUF\x03" + b"\xff" * 99)
    assert listed(capsys)["alone"]["verdict"] == "unknown"


@pytest.mark.parametrize("command", ["list", "list --installed", "recommend", "info alone"])
def test_a_closed_folder_hides_what_is_in_it_and_nothing_else(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("big")
    assert listed(capsys)["alone"]["state"] == "installed"
    close(path_of("big").parent, monkeypatch)
    assert "big.gguf: verified" not in printed(capsys, *command.split())
    states = listed(capsys)
    assert (states["alone"]["state"], states["demo"]["state"]) == ("available", "installed")


def test_what_is_here_of_pairs_that_are_not_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    draft = '[models.tiny]\nrepo = "someone/models"\nfile = "tiny.gguf"\n'
    write_catalog(
        f'{draft}[pairs.three]\ntitle = "3"\nfor_whom = "x"\ntarget = "other"\ndraft = "tiny"\n'
    )
    install("tiny")
    assert listed(capsys)["three"]["state"] == "available"
    (found,) = json.loads(printed(capsys, "list", "--json"))["other_files"]
    assert (found["file"], found["state"]) == ("someone/models:tiny.gguf", "verified")
    (line,) = [x for x in printed(capsys, "list").splitlines() if "tiny.gguf" in x]
    assert line.endswith(": verified, in no pair that is here")
    install("other")
    assert json.loads(printed(capsys, "list", "--json"))["other_files"] == []


def test_what_models_toml_names_and_puts_into_no_pair_is_listed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_catalog('[models.own]\nrepo = "someone/models"\nfile = "own.gguf"\n')
    install("own")
    (line,) = [x for x in printed(capsys, "list").splitlines() if "own.gguf" in x]
    assert line.endswith(": verified, in no pair")


@pytest.mark.parametrize("pair", ["", PAIR_OF_OWN], ids=["in no pair", "in a pair"])
def test_a_file_that_was_pulled_by_its_own_name_is_not_called_damaged(
    pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = 'repo = "someone/models"\nfile = "own.gguf"\n'
    write_catalog(f'[models.own]\n{file}sha256 = "{"a" * 64}"\n{pair}')
    install("own")
    (found,) = json.loads(printed(capsys, "list", "--json"))["other_files"]
    assert (found["file"], found["state"]) == ("someone/models:own.gguf", "verified")
    path_of("own").write_bytes(b"GGUF")
    (found,) = json.loads(printed(capsys, "list", "--json"))["other_files"]
    assert found["state"] == "damaged"
