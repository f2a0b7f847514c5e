"""Once a pair is pulled no socket is opened any more, by no process, whatever is done with it; and
what is damaged later is pulled again.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app import cli
from app.models.download import Paused
from app.models.pull import Plan
from app.paths import Paths
from tests.app.holding import flip, on, path_of, spec, store, write_catalog, write_gguf
from tests.app.models.machines import machine
from tests.hub.server import Hub
from tests.pair import DRAFT, TARGET
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("known_costs")

REPO = "someone/pair"
CATALOG = f"""
[models.our-target]
repo = "{REPO}"
file = "target.gguf"
[models.our-draft]
repo = "{REPO}"
file = "draft.gguf"
[pairs.ours]
title = "Ours"
for_whom = "Tests."
target = "our-target"
draft = "our-draft"
"""
WITNESS = """
import os, socket, sys

INTERNET = {int(socket.AF_INET), int(socket.AF_INET6)}


def tell(line):
    with open(os.environ["WITNESS"], "a") as file:
        file.write(line + "\\n")


def watch(event, args):
    if event == "socket.__new__":
        if int(args[1]) in INTERNET:
            tell(f"OPENED {event} {args[1:]}")
    elif event.startswith("socket.") and event not in ("socket.gethostname", "socket.sethostname"):
        if not (event == "socket.connect" and isinstance(args[1], (str, bytes))):
            tell(f"OPENED {event} {args[1:]}")


sys.addaudithook(watch)
tell("BEGAN " + " ".join(sys.orig_argv[1:]))
"""


@pytest.fixture
def witness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file in which every Python process from now on tells of itself and of its sockets."""
    folder = tmp_path / "witness"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WITNESS)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), *sys.path]))
    monkeypatch.setenv("WITNESS", str(folder / "seen"))
    return folder / "seen"


def slipstream(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


@pytest.fixture
def pulled(hub: Hub) -> Hub:
    """A hub from which the embedded pair was pulled under another name."""
    for path in (TARGET, DRAFT):
        hub.add(REPO, path.name, path)
    Paths().ensure().own_catalog.write_text(CATALOG)
    assert cli.main(["pull", "ours"]) == 0
    return hub


def test_what_is_pulled_answers_and_is_listed_without_a_socket(
    pulled: Hub, witness: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_requests = len(pulled.requests)
    asked = ("ask", "What is len?", "--pair", "ours", "--json", "--predict", "8")
    answers = [slipstream(*asked), slipstream(*asked, "--offline")]
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    answers.append(slipstream(*asked))
    assert [done.returncode for done in answers] == [0, 0, 0], answers[-1].stderr
    found = [json.loads(done.stdout) for done in answers]
    assert {answer["drafter"] for answer in found} == {"auto"}
    assert len({answer["text"] for answer in found if answer["seed"] == found[0]["seed"]}) == 1
    listed = slipstream("list", "--json")
    pairs = {pair["name"]: pair["state"] for pair in json.loads(listed.stdout)["pairs"]}
    assert pairs["ours"] == "installed"
    for words in (("info", "ours"), ("recommend",), ("verify-files", "ours"), ("pull", "ours")):
        assert slipstream(*words).returncode == 0, words
    assert slipstream("rm", "--yes", "ours").returncode == 0
    seen = witness.read_text().splitlines()
    assert [line for line in seen if line.startswith("OPENED")] == []
    assert len([line for line in seen if line.startswith("BEGAN")]) > 8, "engines are watched too"
    assert len(pulled.requests) == n_requests


def test_the_witness_sees_sockets(hub: Hub, witness: Path) -> None:
    hub.add(REPO, "draft.gguf", DRAFT)
    assert slipstream("pull", f"{REPO}:draft.gguf").returncode == 0
    assert "OPENED socket.connect" in witness.read_text()


def test_a_file_named_as_on_the_hub_can_be_chatted_with(pulled: Hub) -> None:
    files = ("--model", f"{REPO}:target.gguf", "--model-draft", f"{REPO}:draft.gguf")
    done = slipstream("ask", "What is len?", "--json", "--predict", "8", *files)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["drafter"] == "auto"


def test_a_damaged_file_is_pulled_again(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    write_catalog()
    content = write_gguf(Paths().ensure().data_dir / "big.gguf").read_bytes()
    hub.add("someone/models", "big.gguf", content)
    assert cli.main(["pull", "alone"]) == 0
    flip(path_of("big"))
    assert cli.main(["verify-files", "alone"]) == 1
    assert store().find(spec("big")) is None
    n_bytes = hub.sent_bytes("big.gguf")
    assert cli.main(["pull", "alone"]) == 0
    assert hub.sent_bytes("big.gguf") == n_bytes + len(content)
    assert cli.main(["verify-files", "alone"]) == 0
    assert path_of("big").read_bytes() == content
    assert "big.gguf: as it should be" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ([], []),
        (["--force", "--mmproj", "none"], ["--force", "--no-mmproj"]),
        (["--limit-rate", "2.5M", "--ctx-size", "512"], None),
    ],
)
def test_a_pause_says_the_whole_command_that_goes_on(
    hub: Hub,
    given: list[str],
    typed: list[str] | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"someone/models:{name}.gguf" for name in ("one", "two", "three")]
    for name in names:
        hub.add("someone/models", name.partition(":")[2], b"GGUF" + name.encode())

    def pause(planned: Plan, *_: object) -> None:
        if planned.name == names[1]:
            raise Paused

    monkeypatch.setattr("app.commands.pull._fetch", pause)
    assert cli.main(["pull", *given, *names]) == 130
    words = capsys.readouterr().err.split("Go on: ")[1].split(". Throw it away: ")[0]
    flags = given if typed is None else typed
    assert shlex.split(words) == ["slipstream", "pull", *flags, *names[1:]]


def test_what_is_larger_than_all_memory_is_not_fetched_unless_forced(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add("someone/models", "big.gguf", b"GGUF" + bytes(2**20))
    on(machine(2**-12, 2**-12), monkeypatch)
    assert cli.main(["pull", "someone/models:big"]) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("slipstream: someone/models:big.gguf does not fit (--force tries it")
    assert hub.sent_bytes("big.gguf") == 0
    assert cli.main(["pull", "--force", "someone/models:big"]) == 0
    assert path_of("big").exists()
