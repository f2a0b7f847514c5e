"""What a paused pull says: how much has come, and the commands that go on with it or throw away
what it brought, and nothing else.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.models.download import Paused
from app.models.limit import Limit
from app.models.pull import Plan, Pull
from app.models.store import Store
from tests.app import holding
from tests.app.models.pulling import REPO, model, pull, store
from tests.hub.server import Hub

TARGET, EYES = "m-Q4_K_M.gguf", "mmproj-m-Q8_0.gguf"
NAME = f"{REPO}:q4_k_m"


@pytest.fixture(autouse=True)
def seeing(hub: Hub) -> None:
    """A target with a projector on the hub."""
    hub.add(REPO, TARGET, model(5000))
    hub.add(REPO, EYES, model(2000, seed=2))


@pytest.fixture
def target_here() -> None:
    """The target was pulled without its projector."""
    assert pull(NAME, "--force", "--no-mmproj") == 0


def all_but_first(planned: Plan, store: Store, limit: Limit) -> None:
    """Fetch until Ctrl-C, which comes while the first file alone is not whole."""
    Pull(store, lambda _: None).run(replace(planned, to_fetch=planned.to_fetch[1:]))
    for remote in planned.to_fetch[:1]:
        store.part_of(remote.spec).parent.mkdir(parents=True, exist_ok=True)
        store.part_of(remote.spec).write_bytes(b"GGUF" + bytes(996))
    raise Paused


@pytest.fixture
def paused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Pull until Ctrl-C, and return what is said then."""

    def paused(name: str = NAME) -> str:
        capsys.readouterr()
        with monkeypatch.context() as patched:
            patched.setattr("app.commands.pull._fetch", all_but_first)
            assert pull(name, "--force") == 130
        return capsys.readouterr().err.splitlines()[-1]

    return paused


def thrown_away(said: str) -> list[str]:
    """Do as it says; return the names that it gave."""
    words = shlex.split(said.split("Throw it away: ")[1].removesuffix("."))
    assert words[:2] == ["slipstream", "rm"]
    assert main([*words[1:], "--yes"]) == 0
    return words[2:]


def here(folder: str = REPO) -> list[str]:
    files = Path(store().folder, folder).glob("*.gguf*")
    return sorted(path.name for path in files if path.suffix not in (".json", ".lock"))


def test_a_file_that_came_whole_counts(paused) -> None:  # type: ignore[no-untyped-def]
    assert paused().startswith("Paused: 3 kB of 7 kB are here and stay. Go on: ")


def test_all_that_came_is_thrown_away(paused) -> None:  # type: ignore[no-untyped-def]
    said = paused()
    assert here() == [f"{TARGET}.part", EYES]
    assert thrown_away(said) == [f"{REPO}:{TARGET}", f"{REPO}:{EYES}"]
    assert here() == []


@pytest.mark.usefixtures("target_here")
def test_what_was_here_before_is_not_thrown_away(paused) -> None:  # type: ignore[no-untyped-def]
    said = paused()
    assert here() == [TARGET, f"{EYES}.part"]
    assert thrown_away(said) == [f"{REPO}:{EYES}"]
    assert here() == [TARGET]


@pytest.mark.usefixtures("target_here")
def test_of_what_is_only_checked_nothing_is_thrown_away(paused) -> None:  # type: ignore[no-untyped-def]
    name = f"{REPO}:{TARGET}"
    assert paused(name) == f"Paused. Go on: slipstream pull --force {name}."


def test_a_pair_is_thrown_away_by_its_name_but_for_what_was_here_before(paused, hub: Hub) -> None:  # type: ignore[no-untyped-def]
    holding.write_catalog()
    for seed, name in enumerate(("big", "small")):
        hub.add(holding.REPO, f"{name}.gguf", model(1000, seed))
    assert paused("one").endswith("Throw it away: slipstream rm one.")
    assert thrown_away(paused("one")) == [f"{holding.REPO}:big.gguf"]
    assert here(holding.REPO) == ["small.gguf"]
