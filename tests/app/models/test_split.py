"""A model that is split into several files is one model: all of them belong to its pairs, too."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from gguf import GGUFWriter

from app import cli
from app.errors import CatalogError
from app.hardware import GIB
from app.models.catalog import Catalog, ModelSpec
from app.models.figures import of_file
from app.models.fit import fit_pair
from app.models.names import named
from app.models.offers import judge
from app.models.pull import plan
from app.models.rehash import rehash
from app.models.removal import parting
from app.settings.config import settings_from
from app.settings.flags import add_model_arguments
from tests.app.holding import (
    REPO,
    flip,
    install,
    path_of,
    shelf,
    store,
    write_catalog,
    write_gguf,
)
from tests.app.models.machines import machine
from tests.app.models.pulling import BRISK, model, pull
from tests.app.models.pulling import REPO as HUB_REPO
from tests.hub.server import Hub

PARTS = [f"huge-Q8_0-{i:05}-of-00003" for i in (1, 2, 3)]
SIZE = 30 * GIB
FIGURES = "layers = 4\nheads = 4\nkv_bytes_per_token = 1024\nvocabulary = 1000\n"
SPLIT = f"""
[models.huge]
repo = "{REPO}"
file = "{PARTS[1]}.gguf"
size = {SIZE}
{FIGURES}
[pairs.giant]
title = "Giant"
for_whom = "Tests."
target = "huge"
draft = "small"
"""
HUGE = ModelSpec(repo=REPO, file=f"{PARTS[0]}.gguf")


@pytest.fixture(autouse=True)
def own_catalog() -> None:
    write_catalog(SPLIT)


def installed(name: str) -> Path:
    """Return the file that a chat with this name would open."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pair")
    add_model_arguments(parser)
    return Path(settings_from(parser.parse_args(["--pair", name])).pair.target)


def test_a_pair_has_all_files_of_its_models_the_targets_first() -> None:
    catalog = shelf().catalog
    files = [f"{PARTS[i]}.gguf" for i in range(3)]
    assert [spec.file for spec in named("giant", catalog).models] == [*files, "small.gguf"]
    assert [spec.file for spec in named("huge", catalog).models] == files
    assert [held.spec.file for held in shelf().pair("giant").files] == [*files, "small.gguf"]


def test_a_pair_in_parts_comes_whole_and_goes_whole(hub: Hub) -> None:
    sizes = [700_000, 500_000, 300_000]
    for seed, (name, size) in enumerate(zip(PARTS, sizes, strict=True)):
        hub.add(HUB_REPO, f"{name}.gguf", model(size, seed=seed))
    write_catalog(SPLIT.replace(f'repo = "{REPO}"', f'repo = "{HUB_REPO}"').replace(f"{SIZE}", "9"))
    install("small")
    assert pull("giant") == 0
    assert shelf().pair("giant").state == "installed"
    assert shelf().pair("giant").members[0].size == sum(sizes)
    assert cli.main(["rm", "--yes", "giant"]) == 0
    assert not [path for path in store().folder.rglob("huge*") if path.suffix != ".lock"]


def test_how_much_is_here_counts_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    install("small")
    assert shelf().pair("giant").state == "available"
    install(*PARTS[:2])
    assert shelf().pair("giant").state == "partly installed"
    with pytest.raises(CatalogError, match=re.escape(f"{PARTS[2]}.gguf is missing")):
        installed("giant")
    install(PARTS[2])
    assert shelf().pair("giant").state == "installed"
    assert installed("giant") == path_of(PARTS[0])
    assert shelf().loose() == []


def cached(folder: Path, *names: str) -> Path:
    """Put models into the Hugging Face cache, as one commit; return its folder."""
    snapshot = folder / f"models--{REPO.replace('/', '--')}" / "snapshots" / ("c" * 40)
    for name in names:
        write_gguf(snapshot / f"{name}.gguf", name)
    return snapshot


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_parts_in_two_folders_are_not_whole(cache: Path) -> None:
    install("small", *PARTS[1:])
    cached(cache, PARTS[0])
    assert shelf().pair("giant").state == "partly installed"
    with pytest.raises(CatalogError, match=re.escape(f"{PARTS[0]}.gguf is missing")):
        installed("giant")


def test_what_a_cache_has_of_a_model_is_fetched_beside_the_rest(hub: Hub, cache: Path) -> None:
    for name in PARTS:
        hub.add(HUB_REPO, f"{name}.gguf", model(1000))
    snapshot = cache / f"models--{HUB_REPO.replace('/', '--')}" / "snapshots" / ("c" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / f"{PARTS[0]}.gguf").write_bytes(model(1000))
    first, *others = ModelSpec(repo=HUB_REPO, file=f"{PARTS[0]}.gguf").parts
    assert [each.spec for each in plan("it", (first, *others), store(), BRISK).to_fetch] == [
        first,
        *others,
    ]


@pytest.mark.parametrize("n_stored", [0, 1, 2])
def test_parts_that_are_all_in_the_cache_are_opened_there(n_stored: int, cache: Path) -> None:
    install("small", *PARTS[:n_stored])
    snapshot = cached(cache, *PARTS)
    assert shelf().pair("giant").state == "installed"
    assert installed("giant") == snapshot / f"{PARTS[0]}.gguf"
    install(*PARTS)
    assert installed("giant") == path_of(PARTS[0])


def test_every_part_is_hashed_again(capsys: pytest.CaptureFixture[str]) -> None:
    install("small", *PARTS)
    flip(path_of(PARTS[2]))
    states = {str(held.spec.file): rehash(held, store()).state for held in shelf().files("huge")}
    assert list(states.values()) == ["verified", "verified", "damaged"]
    assert cli.main(["verify-files", "giant"]) == 1
    told = capsys.readouterr().out
    assert all(f"{name}.gguf" in told for name in (*PARTS, "small"))


def test_parts_stay_that_another_installed_pair_is_made_of() -> None:
    write_catalog(SPLIT + SPLIT[SPLIT.index("[pairs.giant]") :].replace("giant", "twin"))
    install("small", *PARTS)
    draft_stays = parting(shelf(), ["huge"])
    assert [one.held.spec.file for one in draft_stays.goes] == []
    assert all("giant" in why and "twin" in why for _, why in draft_stays.stays)
    with_target = parting(shelf(), ["giant"])
    assert [one.held.spec.file for one in with_target.goes] == [f"{name}.gguf" for name in PARTS]
    assert with_target.losing == ("twin",)


def test_a_split_model_weighs_what_all_its_files_do() -> None:
    there = machine(64, 60)
    own = shelf()
    alone = {"huge": own.catalog.models["huge"]}
    pair = own.catalog.pairs["giant"].model_copy(update={"draft": None})
    catalog = Catalog(models=alone, pairs={"giant": pair})
    needs = fit_pair("giant", catalog, there).needs
    assert needs is not None and needs.weights_bytes == SIZE
    own.catalog.pairs["giant"] = pair
    for name in ("huge", "giant"):
        judged = judge(own, name, own.files(name), there).needs
        assert judged is not None and judged.weights_bytes == SIZE


def test_the_first_file_of_a_split_model_weighs_as_all_that_are_beside_it(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.gguf" for name in PARTS]
    for path in paths:
        writer = GGUFWriter(path, "llama")
        writer.add_uint16("split.count", 3)
        writer.add_block_count(2)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        writer.close()
    assert of_file(paths[0]).weights_bytes == sum(path.stat().st_size for path in paths)
    paths[1].unlink()
    assert of_file(paths[0]).weights_bytes is None


def test_a_split_model_has_no_hash_of_its_own() -> None:
    assert len(HUGE.parts) == 3 and HUGE.parts[0].parts == HUGE.parts
    with pytest.raises(ValueError, match="leave sha256 out"):
        ModelSpec(repo=REPO, file=HUGE.file, sha256="0" * 64)
    mine = ModelSpec(path=f"/models/{HUGE.file}")
    assert [part.path for part in mine.parts] == [f"/models/{name}.gguf" for name in PARTS]


def test_a_name_that_tells_of_more_parts_than_any_model_has_is_that_of_one_file() -> None:
    alone = ModelSpec(repo=REPO, file="x-00001-of-99999.gguf")
    assert alone.parts == (alone,)
    assert len(ModelSpec(repo=REPO, file="x-00001-of-01000.gguf").parts) == 1000


def test_parts_that_are_not_here_are_looked_for_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    monkeypatch.setattr("app.models.store._record", asked.append)
    held = shelf().files(f"{REPO}:x-00001-of-00200.gguf")
    assert len(held) == 200 and not any(part.installed for part in held)
    assert len([path for path in asked if path.name.startswith("x-")]) <= 3 * len(held)
