"""A pull ends with the right file under its name, however often it was cut, killed or stopped on
the way, and fetches next to nothing twice."""

from __future__ import annotations

import random
import re
import shlex
import signal
from dataclasses import replace

import pytest

from app.errors import PullError
from app.hardware import Disk
from app.models import pull as pulling
from app.models.catalog import ModelSpec
from app.models.download import Paused, Progress
from app.models.pull import Pull, check_disk, plan
from app.models.retrying import Patience
from tests.app.models.pulling import (
    BRISK,
    CONTENT,
    FILE,
    MIB,
    NAME,
    REPO,
    SHA256,
    SPEC,
    model,
    part,
    pull,
    pull_half,
    said,
    started,
    store,
    target,
    until,
    witnessed,
)
from tests.hub.lies import NothingStated
from tests.hub.misbehaviour import DropAfter, DropBeforeHeaders, Hang, StallAfter, Trickle
from tests.hub.server import Hub

SIZE = len(CONTENT)
LUCK = random.Random(7)
CUTS = sorted(LUCK.randrange(SIZE) for _ in range(12))
KILLS = sorted(LUCK.randrange(SIZE) for _ in range(5))


def run(*specs: ModelSpec, patience: Patience = BRISK) -> list[Progress]:
    """Pull in this process; return all that was reported."""
    told: list[Progress] = []
    Pull(store(), told.append, patience=patience).run(
        plan("it", specs or (SPEC,), store(), patience)
    )
    return told


def test_a_model_comes_whole_with_a_record_of_what_was_checked(hub: Hub) -> None:
    with witnessed() as wrong:
        run()
    found = store().find(SPEC)
    assert found is not None and found.path.read_bytes() == CONTENT
    assert (found.checked, found.sha256, found.place) == ("verified", SHA256, "store")
    assert (found.licence, len(found.commit or "")) == ("mit", 40)
    assert hub.sent_bytes(FILE) == SIZE
    assert sorted(path.name for path in target().parent.iterdir() if ".lock" not in path.name) == [
        FILE,
        f"{FILE}.json",
    ]
    assert wrong == []


@pytest.mark.parametrize("cut", CUTS)
def test_a_pull_goes_on_where_another_was_cut(hub: Hub, cut: int) -> None:
    hub.misbehave(DropAfter(cut), times=1)
    hub.misbehave(DropBeforeHeaders(), after=1)
    with witnessed() as wrong:
        with pytest.raises(PullError, match="kept"):
            run()
        assert part() == CONTENT[:cut]
        hub.behave()
        run()
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) == SIZE
    assert wrong == []


def test_a_projector_alone_is_not_said_to_be_chatted_with(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.add(REPO, "mmproj-eyes.gguf", CONTENT)
    assert pull(f"{REPO}:mmproj-eyes.gguf") == 0
    said = capsys.readouterr().out
    assert said.endswith("is installed. It is a projector: --mmproj names it beside a model.\n")
    assert "Chat with it" not in said


def test_a_pull_survives_many_cuts_of_its_own(hub: Hub) -> None:
    for _ in range(12):
        hub.misbehave(DropAfter(SIZE // 13), times=1)
    told = run()
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) == SIZE
    assert {one.note for one in told if one.stage == "waiting"} == {"the connection ended early"}


@pytest.mark.parametrize("moment", KILLS)
def test_a_pull_goes_on_where_another_was_killed(hub: Hub, moment: int) -> None:
    hub.misbehave(Trickle(32_768, 0.01))
    with witnessed() as wrong:
        process = started()
        until(lambda: hub.sent_bytes(FILE) >= moment)
        process.kill()
        process.communicate()
        assert CONTENT.startswith(part()) and len(part()) < SIZE
        hub.behave()
        assert pull() == 0
    assert target().read_bytes() == CONTENT
    assert hub.sent_bytes(FILE) <= SIZE + MIB
    assert wrong == []


def test_ctrl_c_pauses_and_says_how_to_go_on(hub: Hub) -> None:
    hub.misbehave(StallAfter(MIB))
    process = started()
    until(lambda: len(part()) == MIB)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=Patience().read_s / 2)
    assert process.returncode == 130
    assert re.search(
        rf"Paused: 1\.05 MB of 1\.50 MB .* stay\. Go on: slipstream pull {NAME}\.", told
    )
    assert "Traceback" not in told
    hub.behave()
    assert pull() == 0
    assert hub.sent_bytes(FILE) == SIZE


def test_a_pull_that_is_stopped_leaves_a_dead_server_behind(hub: Hub) -> None:
    hub.misbehave(Hang())
    job = Pull(store(), lambda _: None)
    asked = plan("it", (SPEC,), store(), BRISK)
    job.stop()
    with pytest.raises(Paused):
        job.run(asked)
    assert hub.sent_bytes(FILE) == 0


def test_progress_never_runs_backwards_and_ends_at_the_size(hub: Hub) -> None:
    pull_half(hub)
    hub.misbehave(DropAfter(SIZE // 9), times=4)
    told = run()
    first = next(i for i, one in enumerate(told) if one.stage != "checking")
    done = [one.done for one in told[first:]]
    assert [one.done for one in told[:first]] == sorted(one.done for one in told[:first])
    assert done == sorted(done) and done[0] >= SIZE // 2
    assert (told[-1].stage, told[-1].done, told[-1].size) == ("done", SIZE, SIZE)


def test_one_that_fails_does_not_stop_the_others(hub: Hub) -> None:
    other = model(SIZE, seed=2)
    hub.add(REPO, "other.gguf", other)
    hub.misbehave(DropBeforeHeaders(), file=FILE)
    with pytest.raises(PullError, match=FILE):
        run(SPEC, ModelSpec(repo=REPO, file="other.gguf"))
    assert target().with_name("other.gguf").read_bytes() == other
    assert not target().exists()


def test_an_older_file_of_the_name_is_replaced_and_never_passes_for_the_newer(hub: Hub) -> None:
    run()
    newer = model(SIZE, seed=3)  # as long as the older one
    commit = hub.add(REPO, FILE, newer)
    spec = SPEC.model_copy(update={"commit": commit, "sha256": hub_hash(newer), "size": SIZE})
    assert store().find(spec) is None
    run(spec)
    assert target().read_bytes() == newer


def hub_hash(content: bytes) -> str:
    """Return what the Hub would say of it."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def test_a_file_whose_hash_nobody_knows_is_recorded_so(hub: Hub) -> None:
    hub.misbehave(NothingStated())
    run()
    found = store().find(SPEC)
    assert found is not None
    assert (found.checked, found.sha256) == ("size only", SHA256)


def test_the_file_of_the_catalogue_is_the_only_one(hub: Hub) -> None:
    for what, wrong in (("sha256", "0" * 64), ("size", SIZE + 1)):
        with pytest.raises(PullError, match=f"another file on the Hub than in models.toml: {what}"):
            run(SPEC.model_copy(update={what: wrong}))
    assert hub.sent_bytes(FILE) == 0


def has_free(free_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk of models have so much room."""
    monkeypatch.setattr(pulling, "disk_at", lambda _: Disk(target(), 10 * MIB, free_bytes))


def test_a_full_disk_refuses_before_the_first_byte(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    has_free(MIB, monkeypatch)
    assert pull() == 1
    line = (
        r"needs 1\.50 MB of disk, and 268 MB are to stay free; .* has 1\.05 MB free\. "
        r"Make room .*, or take what is to stay free by `slipstream pull --force`, or set "
    )
    assert re.search(line, said(capsys))
    assert hub.sent_bytes(FILE) == 0
    asked = plan("it", (SPEC,), store(), BRISK)
    check_disk(replace(asked, begun=SIZE), store())  # all is here


def test_force_takes_all_that_the_disk_has_and_no_more(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    has_free(MIB, monkeypatch)
    assert pull("--force", NAME) == 1
    assert re.search(r"needs 1\.50 MB of disk; .* has 1\.05 MB free\. Make room", said(capsys))
    has_free(SIZE, monkeypatch)
    assert pull() == 1
    assert pull("--force", NAME) == 0
    assert target().read_bytes() == CONTENT


def test_a_disk_that_is_full_in_the_middle_keeps_what_came(hub: Hub) -> None:
    limited = (
        "import resource, sys; from app.cli import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000));"
        f"sys.exit(main(['pull', {NAME!r}]))"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"slipstream: Cannot write .*: File too large\. What .* is kept", done.stderr)
    assert part() == CONTENT[:500_000]
    assert pull() == 0
    assert target().read_bytes() == CONTENT


@pytest.mark.parametrize(
    "file",
    ["My model (1).gguf", "MODEL.GGUF", "-m.gguf", "it's, 100%41 #1.gguf", "a=b&c@d$e!f+é.gguf"],
)
def test_what_is_to_be_typed_next_can_be_typed_whatever_the_file_is_called(
    hub: Hub, file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{REPO}:{file}"
    hub.add(REPO, file, CONTENT)

    def pause(*_: object) -> None:
        raise Paused

    with monkeypatch.context() as paused:
        paused.setattr("app.commands.pull._fetch", pause)
        assert pull(name) == 130
    words = capsys.readouterr().err.split("Go on: ")[1].split(". Throw it away: ")
    assert shlex.split(words[0]) == ["slipstream", "pull", name]
    assert shlex.split(words[1].strip().removesuffix(".")) == ["slipstream", "rm", name]
    assert pull(name) == 0
    there = [path for path in store().folder.rglob("*") if not path.name.endswith(".lock")]
    assert len(there) == 4 and not any(path.stat().st_mode & 0o077 for path in there)
    typed = capsys.readouterr().out.split("Chat with it: ")[1]
    assert shlex.split(typed) == ["slipstream", "chat", "--model", name]
    assert store().files_of(REPO) == [file]
