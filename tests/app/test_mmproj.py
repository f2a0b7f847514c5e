"""Which projector lets the target see pictures, by whatever says so."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.errors import CatalogError
from app.last import Last, settings_or_last
from app.models.catalog import load_catalog
from app.models.projector import beside, best, is_projector, noted_sight
from app.paths import Paths
from app.settings.config import settings_for, without_sight
from app.settings.sources import CHOICE
from tests.app.settings.test_config import settings, write_file


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "models" / "t.gguf"
    path.parent.mkdir()
    path.write_bytes(b"GGUF")
    return path


def made(folder: Path, name: str) -> str:
    path = folder / name
    path.write_bytes(b"GGUF")
    return str(path)


def test_each_source_wins_over_the_next(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = made(target.parent, "mmproj-t.gguf")
    of_file, of_environment, of_flag = (made(tmp_path, f"{n}.gguf") for n in "fev")
    write_file(f"model = '{target}'")
    assert settings().pair.mmproj == own
    write_file(f"model = '{target}'\nmmproj = '{of_file}'")
    assert settings().pair.mmproj == of_file
    monkeypatch.setenv("SLIPSTREAM_MMPROJ", of_environment)
    assert settings().pair.mmproj == of_environment
    assert settings("--mmproj", of_flag).pair.mmproj == of_flag
    assert settings("--mmproj", "none").pair.mmproj is None
    assert settings("--model", str(target)).pair.mmproj == own, "flags choose a whole"
    assert settings("--pair", "demo").pair.mmproj is None
    assert settings("--pair", "demo", "--mmproj", of_flag).pair.mmproj == of_flag


def test_what_is_not_there_is_said_of_where_it_stands(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIPSTREAM_MMPROJ", "/no/mmproj.gguf")
    with pytest.raises(CatalogError, match=r"^SLIPSTREAM_MMPROJ: There is no file /no/mmproj"):
        settings()
    with pytest.raises(CatalogError, match=r"^There is no file /nowhere\.gguf; check the path"):
        settings("--mmproj", "/nowhere.gguf")


def test_the_projector_beside_a_target_is_found(target: Path) -> None:
    assert beside(target) is None and settings("--model", str(target)).pair.mmproj is None
    first = made(target.parent, "mmproj-F16.gguf")
    for name in ("t-Q4_K_M", "T-UD-IQ2_XXS", "t.f16-00001-of-00002", "t-f16-00002-of-00002"):
        made(target.parent, f"{name}.gguf")
    assert settings("--model", str(target)).pair.mmproj == first
    assert settings("--model", str(target), "--mmproj", "none").pair.mmproj is None
    assert beside(Path(first)) is None, "it is no target"
    better = made(target.parent, "mmproj-Q8_0.gguf")
    assert settings("--model", str(target)).pair.mmproj == better, "of several, the best one"
    assert beside(target.parent / "nowhere" / "t.gguf") is None


@pytest.mark.parametrize("ending", ["gguf", "GGUF"])
def test_files_are_models_however_their_endings_are_written(tmp_path: Path, ending: str) -> None:
    target = Path(made(tmp_path, f"a-Q4_K_M.{ending}"))
    projector = made(tmp_path, f"mmproj-F16.{ending}")
    assert str(beside(target)) == projector
    made(tmp_path, f"b-Q4_K_M.{ending}")
    assert beside(target) is None, "whose it is, its name does not say"


def test_among_other_models_a_projector_must_be_called_as_its_target_is(tmp_path: Path) -> None:
    seeing, blind, finer = (
        Path(made(tmp_path, f"{name}-Q4_K_M.gguf"))
        for name in (
            "Qwen2.5-VL-3B-Instruct",
            "Qwen2.5-3B-Instruct",
            "Qwen2.5-VL-3B-Instruct-tuned",
        )
    )
    made(tmp_path, "mmproj-model-f16.gguf")
    assert [beside(target) for target in (seeing, blind, finer)] == [None, None, None]
    own = Path(made(tmp_path, "mmproj-Qwen2.5-VL-3B-Instruct-f16.gguf"))
    assert [beside(target) for target in (seeing, blind, finer)] == [own, None, own]
    finest = Path(made(tmp_path, "Qwen2.5-VL-3B-Instruct-tuned.mmproj-bf16.gguf"))
    assert [beside(target) for target in (seeing, blind, finer)] == [own, None, finest]


def test_a_stored_target_finds_the_projector_of_its_repository() -> None:
    repository = Paths().models_dir / "owner" / "name"
    (repository / "Q4_K_M").mkdir(parents=True)
    target = Path(made(repository / "Q4_K_M", "m-Q4_K_M-00001-of-00002.gguf"))
    made(repository.parent, "mmproj-F16.gguf")
    assert beside(target) is None, "that is no folder of a repository"
    eyes = Path(made(repository, "mmproj-F16.gguf"))
    assert beside(target) == beside(repository / "m-Q8_0.gguf") == eyes
    near = Path(made(target.parent, "mmproj-BF16.gguf"))
    assert beside(target) == near


def test_a_pair_names_its_projector_and_none_leaves_it_out(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models.toml"
    own, gone = made(tmp_path, "eyes.gguf"), tmp_path / "gone.gguf"
    text = (
        f"[models.t]\npath='{target}'\n[models.p]\npath='%s'\n"
        "[pairs.demo]\ntitle='D'\nfor_whom='me'\ntarget='t'\nmmproj='p'"
    )
    models.write_text(text % own)
    monkeypatch.setattr("app.settings.config.load_catalog", lambda _: load_catalog(None, models))
    assert settings().pair.mmproj == own
    assert without_sight(settings()).pair.mmproj is None
    models.write_text(text % gone)
    with pytest.raises(CatalogError, match="is not there"):
        settings()
    assert settings("--mmproj", "none").pair.mmproj is None
    models.write_text(text.replace("'p'", "'q'") % own)
    with pytest.raises(CatalogError, match=r"pairs\.demo\.mmproj: there is no model named 'q'"):
        settings()


def test_the_projector_used_last_comes_back_with_its_target(target: Path, tmp_path: Path) -> None:
    eyes, other = made(tmp_path, "eyes.gguf"), made(tmp_path, "other.gguf")
    given = argparse.Namespace(model=str(target), mmproj=eyes)
    used, _ = settings_or_last(given, Last())
    last = Last().with_pair(used)
    again, notice = settings_or_last(argparse.Namespace(), last)
    assert (again.pair.target, again.pair.mmproj, notice) == (str(target), eyes, "")
    changed, _ = settings_or_last(argparse.Namespace(mmproj=other), last)
    assert (changed.pair.target, changed.pair.mmproj) == (str(target), other)
    Path(eyes).unlink()
    blind, notice = settings_or_last(argparse.Namespace(), last)
    assert (blind.pair.target, blind.pair.mmproj) == (str(target), None)
    assert notice == f"{eyes} is not there any more: t takes text only."
    seeing, notice = settings_or_last(argparse.Namespace(mmproj=other), last)
    assert (seeing.pair.mmproj, notice) == (other, "")


def test_who_wanted_no_projector_gets_none_when_the_model_comes_back(target: Path) -> None:
    made(target.parent, "mmproj-t.gguf")
    used, _ = settings_or_last(argparse.Namespace(model=str(target), mmproj="none"), Last())
    assert used.pair.mmproj is None
    again, notice = settings_or_last(argparse.Namespace(), Last().with_pair(used))
    assert (again.pair.target, again.pair.mmproj, notice) == (str(target), None, "")


def test_another_pair_is_opened_without_the_projector_of_the_start(
    target: Path, tmp_path: Path
) -> None:
    args = argparse.Namespace(model=str(target), mmproj=made(tmp_path, "eyes.gguf"))
    assert settings_for(args, {"pair": "demo"}).pair.mmproj is None
    assert "mmproj" in CHOICE


def test_a_projector_is_known_by_its_name() -> None:
    files = ["m-Q4_K_M.gguf", "mmproj-m-f16.gguf", "mmproj-m-Q8_0.gguf", "x/M-mmproj-BF16.gguf"]
    assert [is_projector(file) for file in files] == [False, True, True, True]
    assert not is_projector("mmproj/m.gguf"), "what its folder is called says nothing"
    assert best(files) == "mmproj-m-Q8_0.gguf"
    assert best(files[:2]) == files[1] and best(files[3:]) == files[3] and best(files[:1]) is None
    assert best(["mmproj-bf16.gguf", "mmproj-f16.gguf"]) == "mmproj-f16.gguf"
    assert best(["mmproj-b.gguf", "mmproj-a.gguf"]) == "mmproj-a.gguf"


def test_who_opens_files_is_told_of_the_projector(target: Path) -> None:
    made(target.parent, "mmproj-t.gguf")
    found = settings("--model", str(target))
    line = "This model takes pictures, by mmproj-t.gguf; --mmproj none leaves that out."
    assert noted_sight(found.name, found.pair, True) == [line]
    assert noted_sight("gemma", found.pair, True) == []
    assert noted_sight("", found.pair, False) == []
