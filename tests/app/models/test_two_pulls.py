"""Several processes at the same files: each byte comes once, and nobody's bytes get mixed up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest

from app.errors import PullError
from app.models.catalog import ModelSpec
from app.models.download import Download, Paused, Progress
from app.models.limit import Limit
from app.models.lock import Lock
from app.models.pull import plan
from app.models.showing import shown
from app.paths import Paths, make_private
from tests.app.models.pulling import (
    BRISK,
    CONTENT,
    FILE,
    MIB,
    REPO,
    SPEC,
    model,
    part,
    started,
    store,
    target,
    until,
    witnessed,
)
from tests.hub.misbehaviour import Trickle
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

SIZE = len(CONTENT)
DRAFT = "draft-q8_0.gguf"
PAIR = f"""
[models.mine]
repo = "{REPO}"
file = "{FILE}"

[models.mine-draft]
repo = "{REPO}"
file = "{DRAFT}"

[pairs.mine]
title = "Mine"
for_whom = "Nobody"
target = "mine"
draft = "mine-draft"
"""


@pytest.fixture
def pair(hub: Hub) -> ModelSpec:
    """A pair called `mine` in the person's own catalogue; returns its draft model."""
    hub.add(REPO, DRAFT, model(300_000, seed=5))
    path = Paths().ensure().own_catalog
    path.write_text(PAIR)
    return ModelSpec(repo=REPO, file=DRAFT)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, told = process.communicate(timeout=PATIENCE_S)
    return process.returncode, told


def test_two_that_pull_the_same_pair_fetch_it_once(hub: Hub, pair: ModelSpec) -> None:
    hub.misbehave(Trickle(65_536, 0.01))
    with witnessed() as wrong:
        both = [started("mine"), started("mine")]
        codes = [ended(process) for process in both]
    assert [code for code, _ in codes] == [0, 0], codes
    assert target().read_bytes() == CONTENT
    assert store().find(pair) is not None
    assert (hub.sent_bytes(FILE), hub.sent_bytes(DRAFT)) == (SIZE, 300_000)
    assert wrong == []


def test_a_long_wait_is_told_in_one_line(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = Progress(f"{REPO}:{FILE}", "waiting", 5, SIZE, "another pull of it is running")
    with shown(plan("it", (SPEC,), store(), BRISK)) as bars:
        for _ in range(50):
            bars.report(waiting)
    assert capsys.readouterr().err.count("\n") == 1


def test_who_waits_goes_on_when_the_other_is_killed(hub: Hub) -> None:
    hub.misbehave(Trickle(4096, 0.1))
    first = started()
    until(lambda: len(part()) > 0)
    second = started()
    assert second.stderr is not None
    assert any("another pull of it is running" in line for line in second.stderr)
    hub.behave()
    first.kill()
    ended(first)
    assert ended(second)[0] == 0
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) <= SIZE + MIB


def test_what_is_on_its_way_cannot_be_removed(hub: Hub) -> None:
    hub.misbehave(Trickle(32_768, 0.01))
    process = started()
    until(lambda: len(part()) > 0)
    with pytest.raises(PullError, match="is being downloaded"):
        store().remove(SPEC)
    assert ended(process)[0] == 0
    assert target().read_bytes() == CONTENT


def test_who_finds_the_lock_deleted_never_names_anothers_bytes(hub: Hub) -> None:
    hub.misbehave(Trickle(32_768, 0.02))
    with witnessed() as wrong:
        first = started()
        until(lambda: len(part()) > SIZE // 2)
        for suffix in (".lock", ".part", ".part.json"):
            os.unlink(target().with_name(FILE + suffix))
        second = started()
        until(lambda: len(part()) > 0)
        code, told = ended(first)
        assert (code, "was deleted on the way" in told) == (1, True), told
        assert ended(second)[0] == 0
    assert target().read_bytes() == CONTENT
    assert wrong == []


def test_who_waits_goes_on_where_the_folder_was_removed(hub: Hub) -> None:
    notes: list[str] = []

    def report(progress: Progress) -> None:
        if progress.stage == "waiting":
            notes.append(progress.note)
            shutil.rmtree(target().parent, ignore_errors=True)

    make_private(target().parent)
    lock = Lock(target().with_name(FILE + ".lock"))
    assert lock.take()
    remote = plan("it", (SPEC,), store(), BRISK).to_fetch[0]
    try:
        Download(store(), remote, report, lambda: len(notes) > 1, Limit(), BRISK).run()
    except Paused:
        raise AssertionError(f"it waits where nothing is: {notes}") from None
    finally:
        lock.release()
    assert target().read_bytes() == CONTENT
    assert notes == ["another pull of it is running"]


def test_removing_a_pair_that_is_on_its_way_says_so(hub: Hub) -> None:
    hub.misbehave(Trickle(32_768, 0.01))
    process = started()
    until(lambda: len(part()) > 0)
    process.send_signal(signal.SIGSTOP)  # it cannot end before the other has begun
    words = [sys.executable, "-m", "app.cli", "rm", "--yes", f"{REPO}:{FILE}"]
    removing = subprocess.run(words, capture_output=True, text=True)
    process.send_signal(signal.SIGCONT)
    assert removing.returncode == 1
    assert "is being downloaded: stop that first" in removing.stderr
    assert ended(process)[0] == 0
