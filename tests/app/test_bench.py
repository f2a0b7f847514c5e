"""`slipstream bench`, as people run it: a process over the embedded pair."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.cli import main
from app.commands.bench import add_arguments
from tests.pair import ROOT
from tests.patience import PATIENCE_S
from tests.terminal import read_all

pytestmark = pytest.mark.usefixtures("known_costs")

TASKS = """
about = "two tasks"
[[task]]
name = "explain"
about = "questions"
temperatures = [0.0, 0.8]
[[task.item]]
messages = [["user", "What does os.path.join do?"]]
predict = 40
[[task]]
name = "copy"
about = "copies <b>much</b>"
copies = true
temperatures = [0.0]
[[task.item]]
messages = [["user", "What does str.split do?"]]
predict = 40
"""
COMMAND = (sys.executable, "-m", "app.cli", "bench")


@pytest.fixture
def tasks(tmp_path: Path) -> str:
    path = tmp_path / "tasks.toml"
    path.write_text(TASKS)
    return str(path)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
    )


def test_the_embedded_pair_is_measured_task_by_task(tasks: str, tmp_path: Path) -> None:
    figures, page = tmp_path / "b.json", tmp_path / "b.html"
    flags = ("--tasks", tasks, "--rounds", "1", "--json", str(figures), "--html", str(page))
    done = bench(*flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert "explain" in done.stdout and "draft_model" in done.stdout and "\x1b" not in done.stdout
    whole = json.loads(figures.read_text())
    assert {a["drafter"] for heat in whole["heats"] for a in heat["answers"]} == {
        "none",
        "lookup",
        "draft_model",
        "auto",
    }
    assert [(h["task"], h["temperature"]) for h in whole["heats"]] == [
        ("explain", 0.0),
        ("explain", 0.8),
        ("copy", 0.0),
    ]
    assert all(a["output_tokens"] <= 40 for heat in whole["heats"] for a in heat["answers"])
    assert whole["against"] is None and whole["costs"]["target_s"] and whole["exact"] is True
    for total in whole["summary"]["totals"]:
        assert total["equal"] + total["at_near_ties"] == total["comparable"]
    assert "<svg" in page.read_text() and "&lt;b&gt;much&lt;/b&gt;" in page.read_text()
    again = bench("--tasks", tasks, "--rounds", "1", "--drafters", "lookup", "--json", "-")
    compared = json.loads(again.stdout)
    assert compared["setup"]["drafters"] == ["none", "lookup"]
    assert compared["against"]["date"] == whole["date"] and compared["against"]["changes"]
    given = bench("--tasks", tasks, "--rounds", "1", "--predict", "8", "--against", str(figures))
    assert given.returncode == 0 and "Nothing compares with" in given.stdout
    assert "shorter than 32 tokens" in given.stdout


def test_an_interruption_says_how_to_go_on(tasks: str, own_folders: Path) -> None:
    flags = ("--tasks", tasks, "--rounds", "400")
    process = subprocess.Popen(
        [*COMMAND, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    folder = own_folders / "xdg_state_home" / "slipstream" / "bench"
    while not any(path.stat().st_size for path in folder.glob("*.jsonl")):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
        assert process.returncode is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and out == ""
    assert err.startswith("slipstream: interrupted; what was measured is kept")
    assert err.count("\n") == 1 and "--fresh" in err
    (state,) = folder.glob("*.jsonl")
    measured = sum(map(bool, state.read_bytes().splitlines()))
    assert f"(prompts: {measured})" in err


def test_it_draws_its_progress_only_in_a_terminal(tasks: str) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "--tasks", tasks, "--rounds", "1", "--json", "-"],
        stdout=subprocess.PIPE,
        stderr=slave,
        cwd=ROOT,
    )
    os.close(slave)
    with ThreadPoolExecutor(1) as reader:
        drawn = reader.submit(read_all, master)
        try:
            out, _ = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    os.close(master)
    assert process.returncode == 0 and json.loads(out)["heats"]
    assert b"loading" in drawn.result() or b"round" in drawn.result()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--rounds", "0"), 2, "--rounds must be from 1"),
        (("--tasks", "nonsense"), 2, "there is no task 'nonsense'. Choose from chat"),
        (("--tasks", ","), 2, "--tasks needs at least one name"),
        (("--tasks", "/nowhere/t.toml"), 2, "/nowhere/t.toml"),
        (("--tasks", "~nobody-is-called-so/t.toml"), 2, "~nobody-is-called-so/t.toml"),
        (("--drafters", "nonsense"), 2, "Known: auto, draft_model, lookup, none"),
        (("--drafters", "none"), 2, "needs one besides none"),
        (("--json", "/nowhere/x.json"), 2, "cannot write /nowhere/x.json"),
        (("--html", "/"), 2, "cannot write /"),
        (("--html", "-"), 2, "--html needs a file"),
        (("--against", "/nowhere/x.json"), 2, "Cannot read /nowhere/x.json"),
        (("--model", "/nowhere/x.gguf"), 2, "there is no file /nowhere/x.gguf"),
        (("nonsense",), 2, "There is no pair named 'nonsense'"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], code: int, said: str) -> None:
    done, errors = called(*arguments)
    assert done == code
    assert said in errors and errors.count("\n") == 1


def called(*arguments: str) -> tuple[int, str]:
    """Run the command in this process, which is quicker than one of its own."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        code = main(["bench", *arguments])
    return code, errors.getvalue()


def test_its_flags_are_those_of_the_chat_and_its_own() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(["demo", "--quick", "--top-k", "5", "--temp", "0.3", "--html", "x"])
    assert (args.pair, args.quick, args.top_k, args.temp) == ("demo", True, 5, 0.3)
    assert (args.html, args.rounds, args.fresh) == ("x", None, False)


def test_it_offers_no_flag_for_what_it_chooses_itself_and_tells_its_own_defaults() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    told = " ".join(parser.format_help().split())
    assert "--drafter " not in told and "--memory" not in told
    assert "lengths of answers are the tasks' own" in told and "temp 0.8" not in told
