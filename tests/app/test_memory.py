"""`slipstream memory` says what is kept, and removes it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app import cli
from app.paths import Paths
from engine import Memory

TEXT = list(range(1200))


def kept(*keys: str) -> Path:
    """Keep a text for each of these tokenizers and return the folder."""
    for key in keys:
        assert Memory(Paths().memory_dir, key).add(TEXT)
    return Paths().memory_dir


def test_it_says_that_nothing_is_kept_and_makes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = Paths().memory_dir
    assert cli.main(["memory"]) == 0
    where, what = capsys.readouterr().out.splitlines()
    assert str(folder) in where and "empty" in what
    assert cli.main(["memory", "clear"]) == 0
    assert "nothing to remove" in capsys.readouterr().out
    assert not folder.exists()


def test_it_says_where_and_how_much(capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept("ab", "cd")
    n_bytes = sum(file.stat().st_size for file in folder.glob("*.tokens"))
    assert cli.main(["memory"]) == 0
    where, what, how = capsys.readouterr().out.splitlines()
    assert str(folder) in where and "slipstream memory clear" in how
    assert what == f"It holds 2,400 tokens in 2 texts for 2 tokenizers, {n_bytes:,} bytes."


def test_one_is_not_spoken_of_as_many(capsys: pytest.CaptureFixture[str]) -> None:
    kept("ab")
    cli.main(["memory"])
    assert "1,200 tokens in 1 text for 1 tokenizer, " in capsys.readouterr().out


def test_clear_removes_it_and_says_how_much(capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept("ab", "cd")
    assert cli.main(["memory", "clear"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Removed 2,400 tokens in 2 texts for 2 tokenizers, ")
    assert str(folder) in said
    assert Memory(folder, "ab").texts() == [] and not list(folder.glob("*.tokens"))


def test_clear_removes_what_is_damaged_too(capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept("ab")
    (folder / "ab.tokens").write_bytes(b"damaged")
    assert cli.main(["memory", "clear"]) == 0
    assert "Removed 0 tokens" in capsys.readouterr().out
    assert not list(folder.glob("*.tokens"))


@pytest.mark.parametrize("words", [["memory"], ["memory", "clear"]], ids=" ".join)
def test_a_failure_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Paths().ensure().memory_dir.write_text("a file where the folder should be")
    assert cli.main(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(Paths().memory_dir) in line and "Not a directory" in line
    assert "defect" not in line


def test_what_cannot_be_removed_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept("ab")

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", fail)
        patch.setattr(Path, "unlink", fail)
        assert cli.main(["memory", "clear"]) == 1
    captured = capsys.readouterr()
    assert "Cannot remove the memory" in captured.err and captured.err.count("\n") == 1
    assert captured.out == "" and Memory(folder, "ab").texts() == [TEXT]


def test_any_other_word_is_a_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept("ab")
    with pytest.raises(SystemExit) as ended:
        cli.main(["memory", "clean"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert Memory(folder, "ab").texts() == [TEXT]
