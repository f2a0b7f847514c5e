"""The real models: a catalogue, a store, and a Hub on the loopback that can be downloaded from."""

from __future__ import annotations

import argparse
import hashlib
import threading
from pathlib import Path

import pytest

from app.errors import CatalogError, FitError, OfflineError, PullError
from app.models.catalog import DEFAULT_PAIR
from app.models.pull import ANOTHER
from app.models.store import Record, Store
from app.paths import Paths
from app.settings.config import settings_from
from app.tui.models.facts import name_of, with_files
from app.tui.models.local_models import LocalModels
from app.tui.models.model_access import Fetched, Stopped
from tests.app.holding import close, on
from tests.app.models.machines import MACHINES, machine
from tests.app.models.pulling import CONTENT, FILE, REPO, model, until
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine
from tests.hub.answers import Place
from tests.hub.misbehaviour import DropBeforeHeaders, TooManyRequests, Trickle
from tests.hub.server import Hub
from tests.patience import PATIENCE_S

DRAFT_FILE = "draft-q8_0.gguf"
DRAFT = model(300_000, seed=2)
OTHER = "someone/other"
OTHER_FILE = "other-q8_0.gguf"
CATALOGUE = f"""
[models.tiny]
repo = "{REPO}"
file = "{FILE}"
size = {len(CONTENT)}
sha256 = "{hashlib.sha256(CONTENT).hexdigest()}"
licence = "mit"

[models.tiny-draft]
repo = "{REPO}"
file = "{DRAFT_FILE}"
size = {len(DRAFT)}
sha256 = "{hashlib.sha256(DRAFT).hexdigest()}"
licence = "mit"

[models.other]
repo = "{OTHER}"
file = "{OTHER_FILE}"

[pairs.tiny]
title = "Tiny"
for_whom = "Tests."
target = "tiny"
draft = "tiny-draft"
settings = {{ temp = 0.25, top_k = 7 }}

[pairs.other]
title = "Other"
for_whom = "Tests."
target = "other"
draft = "tiny-draft"
settings = {{ min_p = 0.125 }}
"""


@pytest.fixture(autouse=True)
def catalogue() -> Path:
    """The person's own models.toml, with pairs of the test's hub."""
    path = Paths().ensure().own_catalog
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CATALOGUE, "utf-8")
    return path


@pytest.fixture(autouse=True)
def board(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that some pairs fit and others do not."""
    found = MACHINES["a Jetson with 8 GB"]
    monkeypatch.setattr("app.models.machine.look", lambda folder: found)


def models(offline: bool = False, **flags: object) -> LocalModels:
    return LocalModels(argparse.Namespace(**flags), offline)


def install(repo: str, file: str, content: bytes = CONTENT) -> Path:
    """Put a file where a pull would have put it."""
    store = Store(Paths().models_dir)
    digest = hashlib.sha256(content).hexdigest()
    store.add(Record(repo=repo, file=file, size=len(content), sha256=digest, checked="verified"))
    path = store.folder / repo / file
    path.write_bytes(content)
    return path


def both(hub: Hub) -> None:
    hub.add(REPO, DRAFT_FILE, DRAFT)


def test_a_glance_tells_what_files_tell_and_a_look_the_rest() -> None:
    install(REPO, FILE)
    glanced, looked = models().glance(), models().look()
    states = {offer.name: offer.state for offer in glanced.offers}
    assert states["tiny"] == "partly installed"
    assert states["other"] == "available"
    assert states[DEFAULT_PAIR] == "installed"
    assert not any(offer.verdict for offer in glanced.offers)
    assert all(offer.verdict and offer.fit for offer in looked.offers)
    assert [offer.name for offer in looked.offers] == [offer.name for offer in glanced.offers]
    assert set(looked.recommended) <= {offer.name for offer in looked.offers}


def test_a_closed_folder_keeps_no_other_pair_from_being_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    close(install(REPO, FILE).parent, monkeypatch)
    for facts in (models().glance(), models().look()):
        states = {offer.name: offer.state for offer in facts.offers}
        assert (states["tiny"], states[DEFAULT_PAIR]) == ("available", "installed")
    assert models().first_offer(settings_from(argparse.Namespace())) is not None


def test_a_pair_comes_with_progress_that_never_goes_back(hub: Hub) -> None:
    both(hub)
    told: list[Fetched] = []
    models().puller("tiny", told.append).run()
    total = len(CONTENT) + len(DRAFT)
    assert [f.done for f in told] == sorted(f.done for f in told)
    assert told[0] == Fetched(0, total)
    assert told[-1].done == told[-1].total == total
    facts = models().glance()
    assert next(offer.state for offer in facts.offers if offer.name == "tiny") == "installed"
    assert not facts.begun


def test_what_is_fetched_anew_is_counted_and_not_called_checking(hub: Hub) -> None:
    both(hub)
    install(REPO, DRAFT_FILE, DRAFT)
    put = install(REPO, FILE, CONTENT[:-1] + bytes([CONTENT[-1] ^ 1]))
    put.with_name(f"{FILE}.json").unlink()
    told: list[Fetched] = []
    models().puller("tiny", told.append).run()
    assert put.read_bytes() == CONTENT
    begun = next(n for n, fetched in enumerate(told) if fetched.note == ANOTHER)
    assert {fetched.note for fetched in told[1:begun]} == {"checking"}
    assert told[begun] == Fetched(0, len(CONTENT), ANOTHER)
    assert {fetched.note for fetched in told[begun + 1 :]} == {""}
    assert told[-1] == Fetched(len(CONTENT), len(CONTENT))


def test_a_stopped_pull_leaves_its_part_and_the_next_goes_on(hub: Hub) -> None:
    both(hub)
    hub.misbehave(Trickle(20_000, 0.02), file=FILE, times=1)
    some_came = threading.Event()
    puller = models().puller(
        "tiny", lambda f: some_came.set() if f.done > len(DRAFT) + 100_000 else None
    )
    ended: list[BaseException] = []

    def run() -> None:
        try:
            puller.run()
        except Stopped as stopped:
            ended.append(stopped)

    thread = threading.Thread(target=run)
    thread.start()
    assert some_came.wait(PATIENCE_S)
    puller.stop()
    thread.join(PATIENCE_S)
    assert len(ended) == 1
    begun = models().glance().begun["tiny"]
    assert 0 < begun < len(CONTENT) + len(DRAFT)
    told: list[Fetched] = []
    models().puller("tiny", told.append).run()
    assert told[0].done == begun
    assert Store(Paths().models_dir).folder.joinpath(REPO, FILE).read_bytes() == CONTENT


def test_a_pull_that_is_stopped_waits_no_longer_for_a_busy_hub(hub: Hub) -> None:
    both(hub)
    hub.misbehave(TooManyRequests(100, at=Place.API))
    puller = models().puller("tiny", lambda _: None)
    threading.Thread(target=lambda: (until(lambda: bool(hub.requests)), puller.stop())).start()
    with pytest.raises(Stopped):
        puller.run()
    assert len(hub.requests) == 1


@pytest.mark.usefixtures("brisk")
def test_a_hub_that_fails_is_one_line(hub: Hub) -> None:
    both(hub)
    hub.misbehave(DropBeforeHeaders())
    with pytest.raises(PullError) as caught:
        models().puller("tiny", lambda _: None).run()
    assert "\n" not in str(caught.value)


def test_offline_no_socket_is_opened(hub: Hub) -> None:
    with pytest.raises(OfflineError):
        models(offline=True).puller("tiny", lambda _: None)
    assert not hub.requests


def test_what_is_to_be_known_of_all_is_noted() -> None:
    assert models().note() == "" and models(offline=True).note().startswith("offline")
    folder = Paths().ensure().models_dir
    folder.symlink_to("/not/mounted")
    with pytest.raises(CatalogError, match="a link to /not/mounted, which is not there"):
        models().note()
    with pytest.raises(CatalogError):
        models().first_offer(settings_from(argparse.Namespace()))


def test_what_does_not_fit_is_not_fetched_unless_the_person_agreed(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(machine(2**-12, 2**-12), monkeypatch)
    name = f"{REPO}:q8_0"
    with pytest.raises(FitError, match=r"does not fit \(try again to download it all the same\)"):
        models().puller(name, lambda _: None).run()
    assert hub.sent_bytes(FILE) == 0
    models().puller(name, lambda _: None, force=True).run()
    assert Store(Paths().models_dir).files_of(REPO) == [FILE]


def test_what_does_not_fit_and_was_begun_all_the_same_is_gone_on_with(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    on(machine(2**-12, 2**-12), monkeypatch)
    hub.misbehave(Trickle(20_000, 0.02), file=FILE, times=1)
    name = f"{REPO}:q8_0"
    first = models().puller(name, lambda f: first.stop() if f.done else None, force=True)
    with pytest.raises(Stopped):
        first.run()
    models().puller(name, lambda _: None).run()
    assert Store(Paths().models_dir).files_of(REPO) == [FILE]


def test_removing_keeps_what_another_installed_pair_uses() -> None:
    install(REPO, FILE)
    draft = install(REPO, DRAFT_FILE, DRAFT)
    install(OTHER, OTHER_FILE)
    leaving = models().leaving("tiny")
    assert leaving.going == (FILE,)
    assert leaving.staying == (f"{DRAFT_FILE} is used by other: it stays.",)
    assert leaving.freed_bytes == models().remove("tiny") >= len(CONTENT)
    assert draft.exists()
    assert models().leaving("other").going == (OTHER_FILE, DRAFT_FILE)


def test_the_demo_stays_whatever_is_removed() -> None:
    leaving = models().leaving(DEFAULT_PAIR)
    assert leaving.staying and not leaving.going
    assert all("ships with Slipstream" in why for why in leaving.staying)
    assert models().remove(DEFAULT_PAIR) == 0


def test_another_pair_brings_its_own_sampling_and_the_flags_of_the_start_hold() -> None:
    target, draft = install(REPO, FILE), install(REPO, DRAFT_FILE, DRAFT)
    install(OTHER, OTHER_FILE)
    given = models(pair="tiny", seed=5, top_k=3, drafter="lookup")
    tiny, other = given.settings("tiny"), given.settings("other")
    assert (tiny.sampling.temperature, tiny.sampling.top_k) == (0.25, 3)
    assert (other.sampling.min_p, other.sampling.top_k) == (0.125, 3)
    assert other.sampling.temperature != 0.25
    assert tiny.sampling.seed == other.sampling.seed == 5
    assert tiny.pair.drafter == other.pair.drafter == "lookup"
    assert (tiny.pair.target, tiny.pair.draft) == (str(target), str(draft))
    assert other.title == "Other"


def test_files_of_the_start_give_way_to_a_pair() -> None:
    given = models(model="mine.gguf", model_draft="small.gguf")
    assert given.settings(DEFAULT_PAIR).title == "Slipstream demo"


def test_the_pair_of_a_chat_is_known_by_its_files_and_title() -> None:
    install(REPO, FILE)
    install(REPO, DRAFT_FILE, DRAFT)
    facts = models().glance()
    assert name_of(settings_from(argparse.Namespace()), facts) == DEFAULT_PAIR
    assert name_of(models().settings("tiny"), facts) == "tiny"
    mine = settings_from(argparse.Namespace(model="mine.gguf"))
    assert name_of(mine, facts) == ""


def test_files_by_path_are_shown_as_a_pair_is() -> None:
    target, draft = install(REPO, FILE), install(REPO, DRAFT_FILE, DRAFT)
    mine = settings_from(argparse.Namespace(model=str(target), model_draft=str(draft)))
    own = models().opened(mine)
    assert (own.name, own.title, own.state) == (target.name, mine.title, "installed")
    assert own.size == len(CONTENT) + len(DRAFT)
    assert own.verdict and own.fit
    facts = models().glance()
    assert name_of(mine, facts) == ""
    assert name_of(mine, with_files(facts, own)) == target.name


def test_the_first_offer_is_for_who_has_nothing_but_the_demo() -> None:
    demo = settings_from(argparse.Namespace())
    best = next(iter(models().look().recommended))
    assert best != DEFAULT_PAIR
    offer = models().first_offer(demo)
    assert offer is not None
    assert offer.name == best
    assert offer.size
    assert models(offline=True).first_offer(demo) is None
    assert models().first_offer(settings_from(argparse.Namespace(model="mine.gguf"))) is None
    install(OTHER, OTHER_FILE)
    assert models().first_offer(demo) is None


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_pair_is_downloaded_and_used_without_leaving_the_app(
    hub: Hub, size: tuple[int, int]
) -> None:
    both(hub)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.open_models("tiny")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.toasts("tiny is installed"))
        await chat.until(lambda: chat.shows("tiny installed"))
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.is_on_top and len(chat.engine.loaded) == 2)
        await chat.ready()
        assert chat.engine.loaded[1].target.endswith(FILE)
        await chat.until(lambda: chat.shows("Slipstream Tiny"))

    demo = settings_from(argparse.Namespace())
    drive(scenario, FakeEngine(), size, demo, models())
    assert Store(Paths().models_dir).folder.joinpath(REPO, FILE).read_bytes() == CONTENT
