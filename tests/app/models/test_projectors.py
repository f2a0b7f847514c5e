"""A projector is fetched, listed, counted, checked and removed with the target that it is for."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.models import hub as hub_facts
from app.models.catalog import Catalog, ModelSpec, load_catalog
from app.models.figures import of_spec
from app.models.fit import fit, fit_pair
from app.models.names import found_on_hub, without_projector
from app.models.offers import judge
from app.models.projector import noted_sight, sight_bytes
from app.models.retrying import Patience
from app.models.shelf import Held
from app.paths import Paths
from app.settings.config import without_sight
from app.tui.models.meaning import meant as meant_in_chat
from tests.app import holding
from tests.app.models.machines import MACHINES, gpu, machine
from tests.app.models.pulling import BRISK, REPO, model, pull, store
from tests.app.settings.test_config import settings
from tests.hub.server import Hub

SHIPPED = load_catalog()
SEEING = [name for name, pair in SHIPPED.pairs.items() if pair.mmproj]
FILES = ("m-Q4_K_M.gguf", "m-Q8_0.gguf", "mmproj-m-Q8_0.gguf", "mmproj-m-f16.gguf")
EYES = (
    f'[models.eyes]\nrepo = "{holding.REPO}"\nfile = "mmproj-eyes.gguf"\nsize = 999\n'
    '[pairs.argus]\ntitle = "Argus"\nfor_whom = "Tests."\ntarget = "big"\ndraft = "small"\n'
    'mmproj = "eyes"\n'
)


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    files = list(FILES)

    def files_of(repo: str, patience: Patience) -> dict[str, int | None]:
        return dict.fromkeys(files)

    monkeypatch.setattr(hub_facts, "files_of", files_of)
    return files


def meant(wanted: str) -> list[str | None]:
    return [spec.file for spec in found_on_hub(f"{REPO}{wanted}", Catalog(), BRISK).models]


def test_a_model_of_a_repository_comes_with_its_projector(repository: list[str]) -> None:
    assert meant(":q4_k_m") == ["m-Q4_K_M.gguf", "mmproj-m-Q8_0.gguf"]
    assert meant(":Q8_0") == ["m-Q8_0.gguf", "mmproj-m-Q8_0.gguf"], "which is no second target"
    assert meant(":mmproj-m-f16") == ["mmproj-m-f16.gguf"]
    assert meant(":m-Q8_0.gguf") == ["m-Q8_0.gguf"], "a whole name is that file"
    repository.remove("mmproj-m-Q8_0.gguf")
    assert meant(":q4_k_m") == ["m-Q4_K_M.gguf", "mmproj-m-f16.gguf"]
    repository[:] = ["m-Q4_K_M.gguf", "mmproj-m-f16.gguf"]
    assert meant("") == repository, "there is but one target"
    repository[:] = ["m-Q4_K_M.gguf"]
    assert meant("") == repository


def test_who_wants_none_gets_none(repository: list[str]) -> None:
    found = without_projector(found_on_hub(f"{REPO}:q4_k_m", Catalog(), BRISK))
    assert [spec.file for spec in found.models] == ["m-Q4_K_M.gguf"]
    named = without_projector(found_on_hub(f"{REPO}:mmproj-m-f16", Catalog(), BRISK))
    assert [spec.file for spec in named.models] == ["mmproj-m-f16.gguf"], "but by its own name"


@pytest.mark.parametrize(
    ("flags", "n_files"), [((), 2), (("--no-mmproj",), 1), (("--mmproj", "none"), 1)]
)
def test_a_pull_of_a_repository_brings_both_files(
    hub: Hub, flags: tuple[str, ...], n_files: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, file in enumerate(FILES):
        hub.add(REPO, file, model(3000, seed))
    assert pull(f"{REPO}:q4_k_m", "--force", *flags) == 0
    files = ["m-Q4_K_M.gguf", "mmproj-m-Q8_0.gguf"][:n_files]
    assert store().files_of(REPO) == files
    said = capsys.readouterr()
    assert all(f"{file}: 3 kB" in said.err for file in files)
    assert f"slipstream chat --model {REPO}:m-Q4_K_M.gguf\n" in said.out


@pytest.fixture
def argus(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pair that takes pictures, of which all but the projector is here."""
    holding.write_catalog(EYES)
    holding.on(holding.LAPTOP, monkeypatch)
    holding.install("big", "small")
    return holding.path_of("mmproj-eyes")


def test_a_pair_is_whole_with_its_projector_alone(argus: Path) -> None:
    shelf = holding.shelf()
    assert shelf.pair("argus").state == "partly installed"
    assert [Path(str(h.spec.file)).stem for h in shelf.pair("argus").files] == [
        "big",
        "small",
        "mmproj-eyes",
    ]
    holding.install("mmproj-eyes")
    argus.with_name("mmproj-eyes.gguf.json").unlink()
    argus.write_bytes(b"GGUF" + bytes(995))
    pair = holding.shelf().pair("argus")
    assert pair.state == "installed"
    assert pair.size == sum(holding.path_of(n).stat().st_size for n in ("big", "small")) + 999


def test_a_pair_without_its_projector_is_gone_on_with_and_says_what_it_lacks(
    argus: Path,
) -> None:
    meant_by_name = meant_in_chat("argus", holding.shelf(), argparse.Namespace())
    for found in (settings("--pair", "argus"), meant_by_name.settings):  # type: ignore[union-attr]
        assert (found.name, found.pair.mmproj, found.lacks) == ("argus", None, argus.name)
        (line,) = noted_sight(found.name, found.pair, False, found.lacks)
        assert line.startswith("mmproj-eyes.gguf is not here") and "pull argus`" in line
        assert without_sight(found).lacks == "", "who shows no picture is told nothing"
    holding.install("mmproj-eyes")
    found = settings("--pair", "argus")
    assert (found.pair.mmproj, found.lacks) == (str(argus), "")
    holding.path_of("small").unlink()
    assert not holding.shelf().pair("argus").is_usable


def test_a_pair_whose_projector_was_left_out_is_not_said_to_lack_a_file(
    argus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify-files", "argus"]) == 0
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "big.gguf",
        "small.gguf",
    ]
    holding.path_of("small").unlink()
    assert main(["verify-files", "argus"]) == 1
    assert "small.gguf: NOT HERE" in capsys.readouterr().out


def test_a_pair_that_takes_pictures_is_told_of(
    argus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "--json"]) == 0
    pairs = {pair["name"]: pair for pair in json.loads(capsys.readouterr().out)["pairs"]}
    assert pairs["argus"]["pictures"] is True and pairs["one"]["pictures"] is False
    assert main(["list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert any("argus" in line and "any, pictures" in line for line in listed)
    assert main(["info", "argus"]) == 0
    told = capsys.readouterr().out
    assert "pictures       yes" in told and f"{holding.REPO}:mmproj-eyes.gguf" in told
    assert main(["info", "one"]) == 0
    assert "pictures       no, text only" in capsys.readouterr().out


def test_a_removed_pair_takes_its_projector_along(argus: Path) -> None:
    holding.install("mmproj-eyes")
    assert main(["rm", "argus", "--yes"]) == 0
    assert not argus.exists()
    assert "small.gguf" in holding.here(), "which other pairs draft with"


def test_the_draft_model_of_a_pair_that_lacks_its_projector_alone_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = "".join(
        f'[pairs.{name}]\ntitle = "T"\nfor_whom = "Tests."\ntarget = "{target}"\n'
        f'draft = "guess"\n{more}'
        for name, target, more in (("blind", "big", ""), ("seeing", "other", 'mmproj = "eyes"\n'))
    )
    guess = f'[models.guess]\nrepo = "{holding.REPO}"\nfile = "guess.gguf"\n'
    holding.write_catalog(EYES + guess + pairs)
    holding.on(holding.LAPTOP, monkeypatch)
    holding.install("big", "other", "guess")
    assert main(["rm", "blind", "--yes"]) == 0
    assert "guess.gguf is used by seeing: it stays." in capsys.readouterr().out
    assert "guess.gguf" in holding.here()


def test_the_files_that_are_verified_are_all(
    argus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holding.install("mmproj-eyes")
    Paths().own_catalog.write_text(Paths().own_catalog.read_text().replace("size = 999\n", ""))
    holding.flip(argus)
    assert main(["verify-files", "argus"]) == 1
    assert "mmproj-eyes.gguf" in "".join(capsys.readouterr())


def test_the_memory_of_a_projector_is_counted_once_and_where_the_layers_are() -> None:
    figures = of_spec(SHIPPED.models["gemma-3-1b"])
    with_eyes = replace(figures, sight_bytes=sight_bytes(2**30))
    for there in (machine(16, 12), machine(32, 27, gpu(7.4, 8))):
        plain, seeing = (fit(it, None, 2048, "f16", there) for it in (figures, with_eyes))
        assert plain.needs is not None and seeing.needs is not None
        assert seeing.needs.total == plain.needs.total + 3 * 2**29
        assert "pictures 1.5" in seeing.line and "pictures" not in plain.line
    full = machine(16, 3)
    assert fit(figures, None, 2048, "f16", full).verdict == "CPU"
    assert fit(with_eyes, None, 2048, "f16", full).verdict == "does not fit"
    small = machine(32, 27, gpu(2.4, 8))
    assert fit(figures, None, 2048, "f16", small).verdict == "GPU"
    judged = fit(with_eyes, None, 2048, "f16", small)
    assert judged.verdict != "GPU"
    ways = [one for one in judged.alternatives if not one.with_sight]
    assert [one.verdict for one in ways] == ["GPU"] and "--mmproj none" in ways[0].line


def test_a_projector_of_ones_own_may_be_called_anything() -> None:
    needs = []
    for file in ("mmproj-eyes.gguf", "owl.gguf"):
        holding.write_catalog(EYES.replace("mmproj-eyes.gguf", file))
        holding.install("big", "small")
        shelf = holding.shelf()
        files = [
            Held(held.spec.model_copy(update={"size": 999}), held.installed)  # as the Hub tells it
            for held in shelf.files("argus")
        ]
        needs.append(judge(shelf, "argus", files, machine(16, 12)).needs)
    assert needs[0] is not None and needs[0].sight_bytes == sight_bytes(999)
    assert needs[1] == needs[0]


@pytest.mark.parametrize("name", SEEING)
def test_a_shipped_projector_is_of_its_targets_repository_and_is_counted(name: str) -> None:
    pair = SHIPPED.pairs[name]
    projector, target = SHIPPED.projector(pair), SHIPPED.models[pair.target]
    assert projector is not None and projector.size and projector.sha256
    assert (projector.repo, projector.commit) == (target.repo, target.commit)
    judged = fit_pair(name, SHIPPED, MACHINES["a GPU with 24 GB"])
    assert judged.needs is not None
    assert judged.needs.sight_bytes == projector.size * 3 // 2
    files = [Held(spec, None) for spec in SHIPPED.files(pair)]
    there = MACHINES["a GPU with 24 GB"]
    assert judge(holding.shelf(), name, files, there).needs == judged.needs


def test_a_projector_alone_is_judged_by_its_file() -> None:
    spec = ModelSpec(repo=REPO, file="mmproj-m.gguf", size=1000)
    assert judge(holding.shelf(), "x", [Held(spec, None)], machine(16, 12)).verdict == "unknown"
