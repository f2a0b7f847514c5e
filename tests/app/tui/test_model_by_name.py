"""`/model NAME` goes on with what is named at once, and asks before it downloads anything."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.errors import AppError
from app.models.catalog import DEFAULT_PAIR
from app.paths import Paths
from app.tui.actions.tuning import apply
from app.tui.dispatch import MENDABLE
from app.tui.models.local_models import LocalModels
from app.tui.models.model_access import Listed, OnHub, Usable
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.models import ModelsScreen
from tests.app.models.pulling import FILE, REPO
from tests.app.tui.driving import Chat, Scenario, drive
from tests.app.tui.fake_models import ALPHA, BETA, FakeModels, settings_of
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.models.test_local_models import CATALOGUE, install
from tests.hub.server import Hub

TO_ALPHA, TO_BETA = settings_of(ALPHA).pair, settings_of(BETA).pair
ON_HUB = "someone/models:Q4_K_M"


def play(scenario: Scenario, models: FakeModels) -> None:
    """Drive a chat that begins with the pair alpha."""
    drive(scenario, FakeEngine(), settings=settings_of(ALPHA), models=models)


def local() -> LocalModels:
    path = Paths().ensure().own_catalog
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CATALOGUE, "utf-8")
    return LocalModels(argparse.Namespace(), offline=False)


def test_an_installed_pair_is_gone_on_with_at_once_and_what_is_typed_on_is_typed() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/model beta")
        await chat.pilot.press("d", "u")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA]
        assert chat.is_on_top
        assert chat.prompt.text == "du"

    play(scenario, FakeModels())


def test_the_pair_that_answers_is_not_loaded_again() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/model alpha")
        await chat.until(lambda: chat.toasts("Alpha is the model of this chat already."))
        assert chat.engine.loads == 1
        assert apply(chat.screen, "ctx_size", 1024) != ""
        await chat.ask("/model alpha")
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        assert chat.engine.loaded[-1].n_ctx == 1024, "as it was changed to be"

    play(scenario, FakeModels())


def test_what_is_unknown_is_told_in_the_chat() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("/model nope")
        await chat.until(lambda: chat.toasts("There is no pair named 'nope'."))
        assert chat.is_on_top
        assert chat.engine.loads == 1
        await chat.until(lambda: chat.prompt.text == "/model nope"), "it can be mended"

    play(scenario, FakeModels())


@pytest.mark.parametrize("key", ["y", "escape"])
def test_a_repositorys_file_is_downloaded_only_when_the_person_says_so(key: str) -> None:
    models = FakeModels()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(f"/model {ON_HUB}")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.until(lambda: chat.shows(f"{ON_HUB} is not here. Download it"))
        await chat.pilot.press(key)
        await chat.until(lambda: chat.is_on_top)
        desk = chat.screen.desk
        assert desk is not None
        assert list(desk.pulls.states) == ([ON_HUB] if key == "y" else [])

    play(scenario, models)


def test_what_was_agreed_to_though_it_does_not_fit_is_gone_on_with() -> None:
    models = FakeModels()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        desk = chat.screen.desk
        assert desk is not None
        desk.pulls.start(ON_HUB, force=True)
        desk.pulls.pause(ON_HUB)
        await chat.until(lambda: desk.pulls.states[ON_HUB].status == "paused")
        first = models.pullers[ON_HUB]
        await chat.ask(f"/model {ON_HUB}")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.pilot.press("y")
        await chat.until(lambda: models.pullers[ON_HUB] is not first)
        assert models.pullers[ON_HUB].is_forced
        desk.pulls.pause(ON_HUB)
        await chat.until(lambda: desk.pulls.states[ON_HUB].status == "paused")
        desk.pulls.forget(ON_HUB)
        second = models.pullers[ON_HUB]
        desk.pulls.start(ON_HUB)
        await chat.until(lambda: models.pullers[ON_HUB] is not second)
        assert not models.pullers[ON_HUB].is_forced, "it is gone: what fits may be another by now"

    play(scenario, models)


def test_offline_nothing_is_offered() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(f"/model {ON_HUB}")
        await chat.until(lambda: chat.toasts("is not here, and this is offline (by --offline"))
        assert not isinstance(chat.app.screen, ConfirmScreen | ModelsScreen)

    play(scenario, FakeModels(offline=True))


def test_a_name_means_what_the_command_line_would_take_it_for(tmp_path: Path) -> None:
    models = local()
    demo = models.meant(DEFAULT_PAIR)
    assert isinstance(demo, Usable)
    assert models.meant("tiny") == Listed("tiny")
    assert models.meant(f"{REPO}:Q8_0") == OnHub(f"{REPO}:Q8_0")
    assert models.meant(f"{REPO}:{FILE}") == OnHub(f"{REPO}:{FILE}")
    own = tmp_path / "mine.gguf"
    own.write_bytes(Path(demo.settings.pair.target).read_bytes())
    by_path = models.meant(str(own))
    assert isinstance(by_path, Usable)
    assert by_path.settings.pair.target == str(own)
    path = install(REPO, FILE)
    for name in (f"{REPO}:{FILE}", REPO, f"hf.co/{REPO}:{FILE}"):
        found = models.meant(name)
        assert isinstance(found, Usable)
        assert found.settings.pair.target == str(path)
    assert models.meant(f"{REPO}:Q4_0") == OnHub(f"{REPO}:Q4_0"), "another file of it is here"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tny", "Did you mean tiny?"),
        ("oth", "Did you mean other?"),
        ("zzzz", "OWNER/REPO:FILE"),
        ("./no-such.gguf", "no-such.gguf"),
        ("\x1b[2J", "There is no pair"),
    ],
)
def test_what_means_nothing_is_told_in_one_line_with_what_is_near(name: str, told: str) -> None:
    with pytest.raises(AppError) as refusal:
        local().meant(name)
    assert isinstance(refusal.value, MENDABLE), "it stands in the box again"
    assert told in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "\x1b" not in str(refusal.value)


def test_a_part_of_a_name_is_looked_up_where_it_is_downloaded_from(hub: Hub) -> None:
    models = local()
    models.puller(f"{REPO}:q8_0", lambda _: None).run()
    found = models.meant(f"{REPO}:q8_0")
    assert isinstance(found, Usable)
    assert found.settings.pair.target.endswith(FILE)
