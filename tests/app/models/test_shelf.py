"""What is here, what is damaged, and who else needs it."""

from __future__ import annotations

import pytest

from app.errors import CatalogError
from app.models.removal import parting
from app.models.shelf import Shelved
from app.paths import Paths
from tests.app.holding import flip, here, install, path_of, shelf, spec, store, write_catalog


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog()


def going(*names: str) -> set[str | None]:
    return {one.held.spec.file for one in parting(shelf(), names).goes}


@pytest.mark.parametrize(
    ("installed", "state"),
    [
        ((), "available"),
        (("small",), "available"),
        (("big",), "partly installed"),
        (("big", "small"), "installed"),
    ],
)
def test_a_draft_model_alone_is_no_pair(installed: tuple[str, ...], state: str) -> None:
    install(*installed)
    assert shelf().pair("one").state == state


def test_the_size_of_a_pair_is_known_if_that_of_each_file_is() -> None:
    install("big")
    pair = shelf().pair("one")
    assert pair.size is None
    install("small")
    pair = shelf().pair("one")
    assert pair.size == sum(path_of(name).stat().st_size for name in ("big", "small"))


def test_an_unknown_name_is_refused_and_a_known_one_found() -> None:
    own = shelf()
    for name in ("one", "big", "someone/models:big.gguf", "hf.co/someone/models:big.gguf"):
        assert own.files(name)[0].spec.file == "big.gguf"
    for name in ("no-such", "someone/models", "someone/models:Q4_K_M", "", "../x", "a b"):
        with pytest.raises(CatalogError):
            own.files(name)


def test_what_is_no_pairs_is_loose() -> None:
    install("big")
    assert shelf().loose() == []
    Paths().own_catalog.unlink()
    assert [held.spec for held in shelf().loose()] == [spec("big")]
    path_of("big").unlink()
    assert shelf().loose() == []


def test_what_is_named_and_in_no_pair_is_loose_and_what_no_pair_here_has_is_lone() -> None:
    own = '[models.own]\nrepo = "someone/models"\nfile = "own.gguf"\n'
    pair = '[pairs.three]\ntitle = "3"\nfor_whom = "x"\ntarget = "other"\ndraft = "own"\n'
    write_catalog(own)
    install("own", "big")
    assert [held.spec.file for held in shelf().loose()] == ["own.gguf"]
    assert shelf().lone() == shelf().loose()
    write_catalog(own + pair)
    assert shelf().loose() == []
    assert [held.spec.file for held in shelf().lone()] == ["own.gguf"]
    install("other")
    assert shelf().lone() == []


def test_a_damaged_file_is_as_good_as_missing_but_seen() -> None:
    install("big")
    own = store()
    record = own.record(spec("big"))
    assert record is not None
    flip(path_of("big"))
    path_of("big").write_bytes(path_of("big").read_bytes()[:-1])
    (held,) = shelf().files("big")
    assert (held.installed, held.state) == (None, "damaged")
    assert held.damaged is not None and held.damaged.size == record.size - 1
    assert shelf().pair("alone").state == "available"


def test_an_unfinished_download_is_not_taken_for_a_damaged_file() -> None:
    path = path_of("big")
    path.parent.mkdir(parents=True)
    path.with_name("big.gguf.part").write_bytes(b"GGUF")
    (held,) = shelf().files("big")
    assert (held.installed, held.damaged, held.state) == (None, None, "unfinished")
    assert (held.begun, held.n_bytes_here) == (4, 4)
    assert shelf().bytes_of(spec("big")) == 4


def test_a_draft_model_stays_while_another_installed_pair_drafts_with_it() -> None:
    install("big", "small", "other")
    assert shelf().kept_for(spec("small"), "one") == ["two", "small"]
    assert going("one") == {"big.gguf"}
    install("big")
    path_of("other").unlink()
    assert shelf().kept_for(spec("small"), "one") == ["small"]


def test_a_target_stays_while_another_installed_pair_drafts_with_it() -> None:
    install("small", "other")
    assert going("small") == set()
    path_of("other").unlink()
    assert going("small") == {"small.gguf"}


def test_pairs_of_one_target_do_not_keep_it_for_each_other() -> None:
    install("big", "small")
    for name, other in (("one", "alone"), ("alone", "one")):
        found = parting(shelf(), [name])
        assert {one.held.spec.file for one in found.goes} == {"big.gguf"}
        assert other in found.losing
    assert parting(shelf(), ["one", "alone"]).losing == ()


def test_pairs_that_go_together_keep_nothing_for_each_other() -> None:
    install("big", "small", "other")
    assert going("one", "two", "small", "alone") == {"big.gguf", "small.gguf", "other.gguf"}


def test_a_file_named_by_itself_stays_for_the_pairs_made_of_it() -> None:
    install("big")
    assert going("someone/models:big.gguf") == set()
    assert parting(shelf(), ["big"]).stays[0][1] == "is used by alone"


def test_looking_changes_nothing() -> None:
    install("big", "small")
    before = here()
    own = shelf()
    parting(own, ["one"])
    assert all(isinstance(pair, Shelved) for pair in own.pairs())
    assert here() == before
