"""A quantisation names the file that is here, where nobody can be asked."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app import cli
from app.errors import OFFLINE, CatalogError
from app.models import hub as hub_facts
from app.models.catalog import Catalog
from app.models.names import found_here
from app.settings.config import settings_from
from app.settings.flags import add_model_arguments
from tests.app.holding import REPO, failed, here, install, path_of, store

NONE = Catalog()
SPLIT = [f"big-Q8_0-{i:05}-of-00002" for i in (1, 2)]


@pytest.fixture(autouse=True)
def nobody_to_ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def files_of(*_: object) -> None:
        raise AssertionError("the Hub was asked")

    monkeypatch.setattr(hub_facts, "files_of", files_of)
    monkeypatch.setattr(hub_facts, "_model_info", files_of)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SLIPSTREAM_OFFLINE", "1")


def opened(name: str) -> Path:
    """Return the file that a chat with this model would open."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair")
    add_model_arguments(parser)
    return Path(settings_from(parser.parse_args(["--model", name])).pair.target)


@pytest.mark.parametrize("wanted", [f"{REPO}:Q4_K_M", f"{REPO}:q4_k_m", f"hf.co/{REPO}:Q4_K_M"])
def test_a_quantisation_that_is_here_is_opened(wanted: str) -> None:
    install("m-Q4_K_M", "m-Q5_K_M")
    assert opened(wanted) == path_of("m-Q4_K_M")


def test_what_other_programs_downloaded_is_found_by_its_quantisation(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / f"models--{REPO.replace('/', '--')}" / "snapshots" / ("c" * 40)
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "m-Q6_K.gguf").write_bytes(b"GGUF")
    (folder / "README.md").write_text("Read me.")
    assert store().files_of(REPO) == ["sub/m-Q6_K.gguf"]
    assert opened(f"{REPO}:Q6_K") == folder / "sub" / "m-Q6_K.gguf"


def test_a_split_model_is_found_by_its_quantisation_with_all_its_files() -> None:
    install("m-Q4_K_M", *SPLIT)
    found = found_here(f"{REPO}:Q8_0", NONE, store())
    assert [spec.file for spec in found.models] == [f"{name}.gguf" for name in SPLIT]
    assert opened(f"{REPO}:Q8_0") == path_of(SPLIT[0])


def test_who_names_several_or_none_is_told_what_is_here() -> None:
    install("m-Q4_K_M", "m-Q4_K_S")
    with pytest.raises(CatalogError, match=rf"Say which one: {REPO} has m-Q4_K_M\.gguf, m-Q4_K_S"):
        opened(f"{REPO}:Q4_K")
    with pytest.raises(CatalogError, match=r"that is called 'Q9' is here \(but m-Q4_K_M\.gguf, .*"):
        opened(f"{REPO}:Q9")
    pull = "`slipstream pull 'nobody/nothing:Q4 K_M'` downloads one"
    with pytest.raises(CatalogError, match=f"No file of nobody/nothing .* is here; {pull}"):
        opened("nobody/nothing:Q4 K_M")


def test_what_a_paused_download_left_is_removed_by_its_quantisation() -> None:
    install("m-Q5_K_M")
    part = path_of("m-Q4_K_M").with_name("m-Q4_K_M.gguf.part")
    part.write_bytes(b"GG")
    with pytest.raises(CatalogError, match=r"is not installed: m-Q4_K_M\.gguf is missing"):
        opened(f"{REPO}:Q4_K_M")
    assert cli.main(["rm", "--yes", f"{REPO}:Q4_K_M"]) == 0
    assert not part.exists() and path_of("m-Q5_K_M").exists()


def test_pulling_what_is_not_here_is_refused_as_offline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = failed(capsys, "pull", "nobody/nothing:Q4_K_M")
    assert line == f"slipstream: nobody/nothing:Q4_K_M is not here, and {OFFLINE}."


def unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(*_: object) -> None:
        raise hub_facts.UnreachableError("Cannot reach the Hub.")

    monkeypatch.delenv("SLIPSTREAM_OFFLINE")
    monkeypatch.setattr(hub_facts, "files_of", ask)


def test_where_nobody_answers_a_pull_takes_what_is_here(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unreachable(monkeypatch)
    install("m-Q4_K_M", "m-Q5_K_M")
    assert cli.main(["pull", f"{REPO}:Q5_K_M"]) == 0
    out, err = capsys.readouterr()
    assert "m-Q5_K_M.gguf: here already" in err and "is installed" in out


@pytest.mark.parametrize("wanted", ["Q9", "Q4_K"], ids=["none", "several"])
def test_where_nobody_answers_a_pull_of_something_else_says_that(
    wanted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unreachable(monkeypatch)
    install("m-Q4_K_M", "m-Q4_K_S")
    assert failed(capsys, "pull", f"{REPO}:{wanted}") == "slipstream: Cannot reach the Hub."


def test_pulling_offline_and_removing_take_the_same_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    install("m-Q4_K_M", "m-Q5_K_M")
    assert cli.main(["pull", f"{REPO}:Q5_K_M"]) == 0
    assert "is installed" in capsys.readouterr().out
    assert cli.main(["rm", "--yes", f"{REPO}:Q5_K_M"]) == 0
    assert here() == {"m-Q4_K_M.gguf", "m-Q4_K_M.gguf.json"}
