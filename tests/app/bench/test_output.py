"""Where the command puts its result: it is shown whatever becomes of the files."""

from __future__ import annotations

import argparse
import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from app.bench.benchmark import Benchmark
from app.bench.export import as_json
from app.bench.kept import Progress, write_out
from app.bench.result import ModelFile, Result
from app.cli import main
from app.commands import bench
from app.errors import AppError
from engine import SamplingSettings
from tests.app.bench.making import answer, heat, result, setup

MODEL = ModelFile(name="Größe.gguf", size_bytes=5, digest="t")
FOUND = result(
    heat(answer(), answer("lookup", 150.0, distinct=float("nan"))), setup=setup(target=MODEL)
)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the command find FOUND at once."""

    async def found(_: Benchmark) -> tuple[Result, None]:
        return FOUND, None

    monkeypatch.setattr(bench, "_measure", found)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no file put in its place."""

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)


@pytest.mark.usefixtures("measured", "full_disk")
@pytest.mark.parametrize("flag", ["--json", "--html"])
def test_the_table_is_shown_though_a_file_cannot_be_written(
    flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f"
    file.write_text("of yesterday")
    assert main(["bench", flag, str(file)]) == 1
    out, err = capsys.readouterr()
    assert "Speed-up over plain" in out
    assert f"Cannot write {file}: No space left on device" in err
    assert file.read_text() == "of yesterday" and list(tmp_path.glob(".f*")) == []


@pytest.mark.usefixtures("measured")
def test_a_report_that_cannot_be_written_costs_no_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_html(path: Path, text: str) -> None:
        if text.startswith("<!doctype"):
            raise AppError(f"Cannot write {path}.")
        path.write_text(text)

    monkeypatch.setattr("app.bench.kept.write_out", refuse_html)
    html, figures = tmp_path / "b.html", tmp_path / "b.json"
    assert main(["bench", "--html", str(html), "--json", str(figures)]) == 1
    assert f"Cannot write {html}" in capsys.readouterr().err
    assert json.loads(figures.read_text())["heats"]


@pytest.mark.usefixtures("measured")
def test_a_tilde_is_the_home_folder_behind_an_equals_sign_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "former.json").write_text(as_json(result(), None))
    flags = ("--json=~/b.json", "--html=~/b.html", "--against=~/former.json")
    assert main(["bench", *flags]) == 0
    assert (tmp_path / "b.json").is_file() and (tmp_path / "b.html").is_file()


def test_what_a_file_to_compare_with_has_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes = []

    async def found(benchmark: Benchmark) -> tuple[Result, None]:
        wishes.append(benchmark._wish)
        return FOUND, None

    monkeypatch.setattr(bench, "_measure", found)
    former = tmp_path / "former.json"
    former.write_text(as_json(result(heat(), heat(item=1, predict=48)), None))
    for flags in ([], ["--against", str(former)]):
        assert main(["bench", "--quick", *flags]) == 0
    assert [wish.again for wish in wishes] == [
        (),
        (("chat", 0, 0.0, 0, 1, 64), ("chat", 1, 0.0, 0, 1, 48)),
    ]


def test_seed_and_rounds_are_those_of_the_file_to_compare_with_unless_they_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    async def found(benchmark: Benchmark) -> tuple[Result, None]:
        asked.append((benchmark._settings.sampling.seed, benchmark._wish.scope.rounds))
        return FOUND, None

    monkeypatch.setattr(bench, "_measure", found)
    former = tmp_path / "former.json"
    of_it = setup(sampling=SamplingSettings(seed=7), rounds=5)
    former.write_text(as_json(result(heat(seed=7), setup=of_it), None))
    against = ["--against", str(former)]
    for flags in ([], against, [*against, "--seed", "2", "--rounds", "4"]):
        assert main(["bench", *flags]) == 0
    assert asked == [(1, 3), (7, 5), (2, 4)]


@pytest.mark.parametrize("rounds", [0, 1001, 10**10])
def test_rounds_beyond_reason_are_refused_with_the_file_that_has_them(
    rounds: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def found(_: Benchmark) -> tuple[Result, None]:
        return FOUND, None

    monkeypatch.setattr(bench, "_measure", found)
    former = tmp_path / "former.json"
    former.write_text(as_json(result(setup=setup(rounds=rounds)), None))
    assert main(["bench", "--against", str(former)]) == 2
    told = f"{former}: rounds must be from 1 to 1000, found {rounds}."
    assert told in capsys.readouterr().err
    assert main(["bench", "--against", str(former), "--rounds", "2"]) == 0


@pytest.mark.usefixtures("measured")
def test_files_are_written_with_the_usual_rights(tmp_path: Path) -> None:
    figures, link = tmp_path / "b.json", tmp_path / "link.html"
    link.symlink_to(tmp_path / "b.html")
    mask = os.umask(0o022)
    try:
        assert main(["bench", "--json", str(figures), "--html", str(link)]) == 0
    finally:
        os.umask(mask)
    assert stat.S_IMODE(figures.stat().st_mode) == 0o644
    assert json.loads(figures.read_text())["setup"]["target"]["name"] == "Größe.gguf"
    assert link.is_symlink() and "<html" in (tmp_path / "b.html").read_text()


def test_a_file_that_is_closed_to_others_stays_so(tmp_path: Path) -> None:
    figures = tmp_path / "b.json"
    figures.touch(0o600)
    write_out(figures, "text")
    assert figures.read_text() == "text" and stat.S_IMODE(figures.stat().st_mode) == 0o600


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_out(pipe, "text")
        assert os.read(reader, 9) == b"text" and stat.S_ISFIFO(pipe.stat().st_mode)
    finally:
        os.close(reader)
    with pytest.raises(AppError, match="Cannot write /nowhere/x: No such file"):
        write_out(Path("/nowhere/x"), "")


@pytest.mark.usefixtures("measured")
def test_one_file_for_both_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "--json", "same", "--html", "./same"]) == 2
    assert "--json and --html name the same file" in capsys.readouterr().err
    assert list(tmp_path.glob("same")) == []


@pytest.mark.usefixtures("measured")
def test_json_goes_through_any_stream_and_names_no_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["bench", "--json", "-"]) == 0
    sys.stdout.flush()
    text = raw.getvalue().decode("ascii")
    assert "NaN" not in text
    assert json.loads(text)["heats"][0]["answers"][1]["distinct"] is None


@pytest.mark.parametrize("columns", range(9))
@pytest.mark.usefixtures("measured")
def test_a_terminal_of_hardly_any_width_is_no_error(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["bench"]) == 0
    assert capsys.readouterr().err == ""


def test_an_interruption_claims_nothing_that_is_not_known(tmp_path: Path) -> None:
    assert "what an earlier run may have measured is kept" in bench._interrupted(None, False)
    progress = Progress(tmp_path, setup())
    assert bench._interrupted(progress, False) == "interrupted before anything was measured."
    for n in range(3):
        progress.append(heat(round=n))
    assert bench._interrupted(progress, False) == (
        "interrupted; what was measured is kept (prompts: 3). The same command goes on from "
        "there, with --fresh it starts over."
    )
    assert bench._interrupted(progress, True) == (
        "interrupted; what was measured is kept (prompts: 3). The same command without --fresh "
        "goes on from there."
    )


def test_an_interruption_says_that_a_full_disk_kept_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress(tmp_path, setup())
    monkeypatch.setattr(Progress, "_write", lambda *_: 0)
    progress.append(heat())
    assert bench._interrupted(progress, False) == (
        "interrupted; what was measured could not be kept: the disk is full. The same command "
        "starts over."
    )


def test_its_help_shows_what_it_takes_and_says_what_is_its_own() -> None:
    parser = argparse.ArgumentParser()
    bench.add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert "--drafter " not in shown and "--memory" not in shown
    assert "--drafters" in shown and "--no-think" in shown
    assert "lengths of answers are the tasks' own, and the seed is 1" in shown
    assert "temp 0.8" not in shown
