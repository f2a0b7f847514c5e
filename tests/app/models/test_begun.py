"""What an earlier pull left: it is gone on with or goes, and what is said of it is what is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.errors import PullError
from app.hardware import Disk
from app.models import pull as pulling
from app.models.pull import SPARE_BYTES, check_disk, plan
from tests.app.models.pulling import (
    BRISK,
    CONTENT,
    FILE,
    NAME,
    REPO,
    SHA256,
    SPEC,
    model,
    part,
    pull,
    pull_half,
    store,
    target,
)
from tests.app.models.test_store import placed
from tests.hub.server import Hub

pytestmark = pytest.mark.usefixtures("brisk")

SIZE, HALF = len(CONTENT), len(CONTENT) // 2
NEWER = model(1_200_000, seed=9)


def empty_the_state(hub: Hub) -> None:
    target().with_name(FILE + ".part.json").write_bytes(b"")


def delete_the_state(hub: Hub) -> None:
    target().with_name(FILE + ".part.json").unlink()


def publish_the_same_anew(hub: Hub) -> None:
    hub.add(REPO, FILE, CONTENT, commit="e" * 40)


def publish_another(hub: Hub) -> None:
    hub.add(REPO, FILE, NEWER)


@pytest.mark.parametrize("harm", [empty_the_state, delete_the_state, publish_the_same_anew])
def test_what_came_is_kept_without_its_state_and_through_new_commits(
    hub: Hub, harm: Callable[[Hub], None], capsys: pytest.CaptureFixture[str]
) -> None:
    pull_half(hub)
    harm(hub)
    assert pull() == 0
    told = capsys.readouterr().err
    assert "going on: 750 kB are here already" in told and "from the beginning" not in told
    assert target().read_bytes() == CONTENT and hub.sent_bytes(FILE) == SIZE


def test_what_came_wrong_and_lost_its_state_is_fetched_once_more(hub: Hub) -> None:
    pull_half(hub)
    empty_the_state(hub)
    target().with_name(FILE + ".part").write_bytes(model(HALF, seed=7))
    assert pull() == 0
    assert target().read_bytes() == CONTENT


def test_what_came_of_another_version_is_not_gone_on_with_and_said_to_go(
    hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    pull_half(hub)
    publish_another(hub)
    assert pull() == 0
    told = capsys.readouterr().err
    assert "from the beginning: the 750 kB that are here may be of another version" in told
    assert "going on" not in told
    assert target().read_bytes() == NEWER


@pytest.mark.parametrize(
    ("harm", "change", "begun"),
    [
        (None, {}, HALF),
        (None, {"commit": "2" * 40}, HALF),
        (None, {"sha256": "b" * 64}, 0),
        (None, {"sha256": None}, HALF),
        (None, {"sha256": None, "commit": "2" * 40}, 0),
        (None, {"size": HALF - 1}, 0),
        (empty_the_state, {}, HALF),
        (empty_the_state, {"sha256": None}, 0),
    ],
)
def test_a_plan_counts_what_a_download_keeps(
    hub: Hub,
    harm: Callable[[Hub], None] | None,
    change: dict[str, object],
    begun: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pull_half(hub)
    (remote,) = plan("it", (SPEC,), store(), BRISK).to_fetch
    assert (remote.sha256, len(part())) == (SHA256, HALF)
    if harm is not None:
        harm(hub)
    changed = replace(remote, **change)  # type: ignore[arg-type]
    monkeypatch.setattr(pulling.hub, "look_up", lambda spec, patience: changed)
    planned = plan("it", (SPEC,), store(), BRISK)
    assert (planned.begun, planned.stale) == (begun, HALF - begun)


def test_what_goes_makes_room_for_what_comes(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    free = SIZE + SPARE_BYTES - HALF
    monkeypatch.setattr(pulling, "disk_at", lambda path: Disk(target(), 2 * free, free))
    planned = plan("it", (SPEC,), store(), BRISK)
    with pytest.raises(PullError, match="Make room"):
        check_disk(planned, store())
    check_disk(replace(planned, stale=HALF), store())


def test_what_was_begun_goes_though_another_program_has_the_file(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pull_half(hub)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    snapshot = tmp_path / "cache" / "models--someone--model" / "snapshots" / ("c" * 40)
    cached = placed(snapshot / FILE, CONTENT)
    assert pull() == 0
    found = store().find(SPEC)
    assert found is not None and (found.path, found.sha256) == (cached, SHA256)
    assert len(part()) == HALF
    capsys.readouterr()
    assert main(["rm", "--yes", NAME]) == 0
    stays, gone = capsys.readouterr().out.splitlines()
    assert stays == f"{FILE} belongs to the Hugging Face cache: it stays."
    assert gone.startswith(f"{FILE}.part: removed, 750 kB freed")
    assert not part() and cached.read_bytes() == CONTENT
    assert store().find(SPEC) == found, "what is known of it stays, too"
    assert main(["rm", "--yes", NAME]) == 0
    assert capsys.readouterr().out.endswith(f"{NAME}: nothing to remove.\n")
