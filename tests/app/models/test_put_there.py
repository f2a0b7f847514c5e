"""A file that somebody put into the store is what the Hub has before a pull says that it is
installed: by its size and hash where the Hub tells, else as far as its header does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.errors import PullError
from app.models.pull import Pull, plan
from app.models.store import Installed
from tests.app.holding import flip
from tests.app.models.pulling import BRISK, SPEC, pull, said, store
from tests.hub.lies import NothingStated
from tests.hub.server import Hub
from tests.pair import DRAFT

REPO, FILE = "someone/pair", "draft-Q8_0.gguf"
NAMES = [f"{REPO}:{FILE}", f"{REPO}:Q8_0"]
PUT = SPEC.model_copy(update={"repo": REPO, "file": FILE})
SHA256 = hashlib.sha256(DRAFT.read_bytes()).hexdigest()


def cut(path: Path) -> None:
    path.write_bytes(DRAFT.read_bytes()[:1_000_000])


def lose_record(path: Path) -> None:
    path.with_name(f"{FILE}.json").unlink()


def tear_record(path: Path) -> None:
    path.with_name(f"{FILE}.json").write_bytes(b"{")


def adopt(path: Path) -> None:
    """Keep a record of the file as it is, which nobody could compare with anything."""
    record = store().record(PUT)
    assert record is not None
    content = path.read_bytes()
    sha256, size = hashlib.sha256(content).hexdigest(), len(content)
    store().add(msgspec.structs.replace(record, size=size, sha256=sha256, checked="size only"))


@pytest.fixture
def put(hub: Hub) -> Path:
    """The file, as it was pulled from the hub."""
    hub.add(REPO, FILE, DRAFT)
    assert pull(NAMES[0]) == 0
    return store().path_of(PUT)


def installed() -> Installed:
    found = store().find(PUT)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("record", [lose_record, tear_record, adopt])
@pytest.mark.parametrize("damage", [cut, flip])
def test_a_file_that_is_not_the_hubs_is_downloaded_anew(
    put: Path, name: str, damage: Callable[[Path], None], record: Callable[[Path], None]
) -> None:
    damage(put)
    record(put)
    assert pull(name) == 0
    assert put.read_bytes() == DRAFT.read_bytes()
    assert (installed().checked, installed().sha256) == ("verified", SHA256)


@pytest.mark.parametrize("record", [lose_record, tear_record, adopt])
def test_a_good_file_is_verified_and_not_fetched(
    put: Path, hub: Hub, record: Callable[[Path], None]
) -> None:
    n_bytes = hub.sent_bytes(FILE)
    record(put)
    assert pull(NAMES[0]) == 0
    assert hub.sent_bytes(FILE) == n_bytes
    found = installed()
    assert (found.checked, found.sha256, found.licence) == ("verified", SHA256, "mit")
    assert len(found.commit or "") == 40


@pytest.mark.parametrize("is_offline", [False, True])
def test_a_file_that_is_not_the_catalogues_is_downloaded_anew_where_the_hub_may_be_asked(
    put: Path, hub: Hub, is_offline: bool
) -> None:
    flip(put)
    lose_record(put)
    n_requests, known = len(hub.requests), PUT.model_copy(update={"sha256": SHA256})
    planned = plan("it", [known], store(), None if is_offline else BRISK)
    assert len(hub.requests) == n_requests
    if is_offline:
        with pytest.raises(PullError, match="Delete it, and pull again"):
            Pull(store(), lambda _: None).run(planned)
        assert len(hub.requests) == n_requests
    else:
        Pull(store(), lambda _: None).run(planned)
        assert put.read_bytes() == DRAFT.read_bytes()
        assert (installed().checked, installed().sha256) == ("verified", SHA256)


@pytest.mark.parametrize("record", [lose_record, adopt])
def test_a_file_that_is_cut_off_is_refused_where_nobody_can_be_asked(
    put: Path, record: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    cut(put)
    record(put)
    assert pull("--offline", NAMES[1]) == 1
    assert said(capsys) == (f"{put} is cut off: of more than 2.23 MB it has 1.00 MB. Get it again.")


def test_offline_a_good_file_is_installed_and_compared_once_the_hub_can_be_asked(
    put: Path, hub: Hub
) -> None:
    lose_record(put)
    n_requests = len(hub.requests)
    assert pull("--offline", NAMES[1]) == 0
    assert len(hub.requests) == n_requests
    assert installed().checked == "unchecked"
    assert pull(NAMES[1]) == 0
    assert installed().checked == "verified"


def test_a_file_of_which_the_hub_tells_nothing_stays_unchecked(put: Path, hub: Hub) -> None:
    hub.misbehave(NothingStated())
    lose_record(put)
    assert pull(NAMES[0]) == 0
    assert installed().checked == "unchecked"


def test_a_file_that_the_hub_has_no_longer_is_kept(put: Path) -> None:
    other = PUT.model_copy(update={"file": "own.gguf"})
    put.rename(store().path_of(other))
    Pull(store(), lambda _: None).run(plan("it", [other], store(), BRISK))
    assert store().path_of(other).read_bytes() == DRAFT.read_bytes()
