"""What the walk through the standard library finds, in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import collect
import pytest
from collect import Documented, read

from tests.patience import PATIENCE_S

RECIPE = Path(collect.__file__).parent
WALK = "import sys, pathlib, collect; collect.write(collect.collect(), pathlib.Path(sys.argv[1]))"


def walk(folder: Path, hash_seed: str) -> Path:
    """Collect in a fresh interpreter, since the walk imports the whole standard library."""
    path = folder / f"objects-{hash_seed}.jsonl"
    subprocess.run(
        [sys.executable, "-c", WALK, str(path)],
        cwd=RECIPE,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        timeout=PATIENCE_S,
    )
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("objects")
    return walk(folder, "1"), walk(folder, "2")


@pytest.fixture(scope="module")
def objects(files: tuple[Path, Path]) -> dict[str, Documented]:
    return {item.name: item for item in read(files[0])}


def test_at_least_2500_objects_are_documented(objects: dict[str, Documented]) -> None:
    assert len(objects) >= 2500


def test_two_walks_find_the_same(files: tuple[Path, Path]) -> None:
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    "name", ["os.path.join", "len", "str.join", "json.dumps", "collections.Counter.most_common"]
)
def test_objects_have_the_name_a_person_types(name: str, objects: dict[str, Documented]) -> None:
    assert name in objects


def test_no_private_name_is_collected(objects: dict[str, Documented]) -> None:
    assert not [name for name in objects if any(p.startswith("_") for p in name.split("."))]


def test_boilerplate_is_left_out(objects: dict[str, Documented]) -> None:
    assert not [item for item in objects.values() if item.sentence.startswith("Initialize self")]
