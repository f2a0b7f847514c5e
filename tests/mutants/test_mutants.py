"""The tests can fail: each fault that is named here is found by the test that is named with it.

A copy of the engine and its tests is made once; each mutant edits one file of it, and its killer
runs there in a process of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.mutants.deciding import DECIDING
from tests.mutants.drawing import DRAWING
from tests.mutants.following import FOLLOWING
from tests.mutants.looping import LOOPING
from tests.mutants.mutant import Mutant
from tests.mutants.seeing import SEEING
from tests.mutants.verifying import VERIFYING
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
COPIED = ("engine", "app", "tests/engine", "tests/lab", "tests/tiny")
SINGLE = ("pyproject.toml", "tests/__init__.py", "tests/conftest.py", "tests/pair.py")
MUTANTS = (*VERIFYING, *LOOPING, *FOLLOWING, *DRAWING, *DECIDING, *SEEING)
ASSERTION = re.compile(r"^E +(assert |AssertionError|Failed: DID NOT RAISE)", re.MULTILINE)
GUARD = """
from pathlib import Path
import engine
assert Path(engine.__file__).parents[1].samefile(Path(__file__).parent), "not the copy is tested"
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is to be edited and what finds that out; it refuses to test anything else."""
    root = tmp_path_factory.mktemp("copy")
    left_out = shutil.ignore_patterns("__pycache__", "*.gguf")
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=left_out)
    for name in SINGLE:
        shutil.copy(ROOT / name, root / name)
    (root / "conftest.py").write_text(GUARD)
    return root


def run(root: Path, tests: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run tests of the copy, without plugins and without a trace.

    Their temporary folders are the copy's own: in the folder that all pytests share they clear away
    each other's old ones, and who finds one half gone ends with a warning in place of a result.
    """
    folders = ("--rootdir", str(root), "--basetemp", str(root / "temporary"))
    options = ("-x", "-q", "--tb=short", "-p", "no:cacheprovider", *folders)
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=root,
        env={**env, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def mutated(source: str, mutant: Mutant) -> str:
    """Return the source with the mutant's edit."""
    found = source.count(mutant.old)
    assert found == 1, f"engine/{mutant.file} has {found} times: {mutant.old}"
    return source.replace(mutant.old, mutant.new)


def test_without_an_edit_every_killer_passes(copy: Path) -> None:
    killers = sorted({mutant.killer for mutant in MUTANTS})
    done = run(copy, killers)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_is_killed(mutant: Mutant, copy: Path) -> None:
    file = copy / "engine" / mutant.file
    source = file.read_text()
    file.write_text(mutated(source, mutant))
    try:
        done = run(copy, [mutant.killer])
    finally:
        file.write_text(source)
    assert done.returncode == 1, f"{mutant.killer} lets it live:\n{done.stdout}{done.stderr}"
    assert ASSERTION.search(done.stdout), f"no assertion found it:\n{done.stdout}"


def test_no_two_mutants_bear_one_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
