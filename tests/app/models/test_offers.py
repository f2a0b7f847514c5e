"""A pair is offered with what its files say where they are here, and the catalogue where not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.hardware import GIB
from app.models.figures import of_file
from app.models.fit import fit_pair
from app.models.offers import judge, offers, recommended
from app.models.shelf import Held
from app.models.store import Installed
from tests.app.holding import LAPTOP, REPO, install, path_of, shelf, spec, write_catalog, write_gguf
from tests.app.models.machines import MACHINES, machine


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog()


def test_every_pair_is_offered_in_the_catalogues_order() -> None:
    install("small")
    own = shelf()
    found = offers(own, LAPTOP)
    assert [offer.name for offer in found] == list(own.catalog.pairs)
    states = {offer.name: offer.state for offer in found}
    assert (states["demo"], states["small"], states["two"]) == (
        "installed",
        "installed",
        "available",
    )


@pytest.mark.parametrize("place", MACHINES)
def test_what_is_not_here_is_judged_by_the_catalogue(place: str) -> None:
    own = shelf()
    for offer in offers(own, MACHINES[place]):
        if offer.state == "available":
            judged = fit_pair(offer.name, own.catalog, MACHINES[place])
            assert (offer.verdict, offer.fit) == (judged.verdict, judged.line), offer.name


def test_what_is_here_is_judged_by_its_own_header() -> None:
    assert judge(shelf(), "alone", shelf().files("alone"), LAPTOP).verdict == "unknown"
    install("big")
    judged = judge(shelf(), "alone", shelf().files("alone"), LAPTOP)
    assert judged.verdict == "CPU" and judged.needs is not None
    assert judged.needs.weights_bytes == path_of("big").stat().st_size


def test_a_file_that_is_no_model_is_unknown_and_breaks_no_list() -> None:
    install("big")
    path_of("big").write_bytes(b"X" * path_of("big").stat().st_size)
    verdicts = {offer.name: offer.verdict for offer in offers(shelf(), LAPTOP)}
    assert verdicts["alone"] == "unknown"


def test_the_catalogue_is_believed_where_the_file_says_less() -> None:
    own = shelf()
    known = own.catalog.models["qwen3-0.6b"]
    path = path_of("nothing")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF")
    held = Held(known, Installed(path, 4, "verified", "store"))
    judged = judge(own, "qwen3-0.6b", [held], LAPTOP)
    assert judged.needs == fit_pair("qwen3-0.6b", own.catalog, LAPTOP).needs


def test_the_context_is_the_persons_else_the_pairs_else_the_models() -> None:
    install("big")
    own = shelf()
    files = own.files("alone")
    kv = of_file(path_of("big")).kv_bytes_per_token
    asked = judge(own, "alone", files, LAPTOP, n_ctx=512).needs
    of_model = judge(own, "alone", files, LAPTOP).needs
    assert asked and of_model and kv
    assert (asked.kv_bytes, of_model.kv_bytes) == (512 * kv, 1024 * kv)


def test_the_draft_model_counts_in_a_pair() -> None:
    install("big", "small")
    own = shelf()
    pair = judge(own, "one", own.files("one"), LAPTOP).needs
    alone = judge(own, "alone", own.files("alone"), LAPTOP).needs
    assert pair and alone and pair.total > alone.total


def test_the_files_of_a_split_model_count_together() -> None:
    name = f"{REPO}:huge-00001-of-00003.gguf"
    parts = [
        Held(held.spec.model_copy(update={"size": 20 * GIB}), None) for held in shelf().files(name)
    ]
    assert len(parts) == 3
    judged = judge(shelf(), name, parts, machine(32, 30))
    assert judged.verdict == "does not fit" and "60.0 GB" in judged.line
    assert judge(shelf(), name, parts, machine(64, 60)).verdict == "unknown"
    some = [parts[0], replace(parts[1], spec=spec("big")), parts[2]]
    assert judge(shelf(), name, some, machine(32, 30)).verdict == "unknown"


def test_the_demo_is_recommended_where_nothing_else_can_be() -> None:
    assert [name for name, _ in recommended(shelf(), machine(0.9, 0.4))] == ["demo"]


def test_what_is_installed_is_recommended_where_the_disk_is_full() -> None:
    assert [name for name, _ in recommended(shelf(), machine(16, 12, disk=0.1))] == ["demo"]
    own = shelf()
    model = own.catalog.models["qwen3-1.7b"]
    assert model.size is not None
    write_gguf(path := own.store.path_of(model))
    with path.open("r+b") as file:
        file.truncate(model.size)
    assert [name for name, _ in recommended(shelf(), machine(16, 12, disk=0.1))] == ["qwen3-1.7b"]
