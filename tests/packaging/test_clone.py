"""What a clone holds, wherever it was made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_clone_by_git_for_windows_runs_in_wsl(tmp_path: Path) -> None:
    source, clone = tmp_path / "source", tmp_path / "clone"
    source.mkdir()
    for name in (".gitattributes", "packaging/run", "app/demo/draft.gguf"):
        shutil.copy(ROOT / name, source)
    asked = (["init", "-q"], ["add", "."], ["commit", "-qm", "all"])
    person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
    for command in asked:
        subprocess.run(["git", *person, *command], cwd=source, check=True, capture_output=True)
    windows = ["git", "-c", "core.autocrlf=true", "clone", "-q", str(source), str(clone)]
    subprocess.run(windows, check=True, capture_output=True)
    for name in ("run", "draft.gguf"):
        assert (clone / name).read_bytes() == (source / name).read_bytes()
