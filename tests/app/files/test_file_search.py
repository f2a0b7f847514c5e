"""A file below is found by a part of its name, whatever lies around it, in little time."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.files import file_search
from app.files.file_search import MOST_S, begins, below


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path in (
        "src/deep/notes.md",
        "src/my_notes.txt",
        "docs/a/b/Notes.py",
        "node_modules/notes.js",
        "src/__pycache__/notes.pyc",
        ".venv/lib/notes.py",
        "src/.notes.md",
        "out/notes.o",
        "src/made/notes.c",
        "other/made/notes.h",
    ):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    (tmp_path / ".gitignore").write_text("# notes\n/src/made/\nout/\n*.md\n!keep\n\n")
    return tmp_path


def test_names_that_begin_so_come_first_then_the_nearer_ones(tree: Path) -> None:
    assert below("notes", tree) == [
        "other/made/notes.h",
        "src/deep/notes.md",
        "docs/a/b/Notes.py",
        "src/my_notes.txt",
    ]
    assert below("NOTES.P", tree) == ["docs/a/b/Notes.py"]


def test_it_begins_in_the_folder_that_is_typed(tree: Path) -> None:
    assert below("src/notes", tree) == ["src/deep/notes.md", "src/my_notes.txt"]
    assert below(f"{tree}/docs/notes", Path("/")) == [f"{tree}/docs/a/b/Notes.py"]


@pytest.mark.parametrize("typed", ["", "n", "src/", "src/n", "nowhere/notes", "zzz", "no\0tes"])
def test_too_little_or_nothing_of_the_kind_finds_nothing(tree: Path, typed: str) -> None:
    assert below(typed, tree) == []


def test_links_are_no_circle_and_what_cannot_be_written_is_not_offered(tree: Path) -> None:
    (tree / "src" / "deep" / "up").symlink_to(tree)
    (tree / "src" / "linked notes.md").symlink_to(tree / "src" / "my_notes.txt")
    (tree / "src" / "gone notes.md").symlink_to(tree / "nothing")
    (tree / "src" / "bad\x1bnotes").write_text("x")
    os.mkfifo(tree / "src" / "pipe notes")
    found = [path for path in below("notes", tree) if path.startswith("src/")]
    assert found == ["src/deep/notes.md", "src/linked notes.md", "src/my_notes.txt"]


def test_a_link_to_itself_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "loop notes.md").symlink_to("loop notes.md")
    (tmp_path / "notes.md").write_text("x")
    assert below("notes", tmp_path) == ["notes.md"]


def test_what_cannot_be_looked_at_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Untyped:
        """An entry of a file system that says no kinds, in a folder that cannot be entered."""

        name = "far notes"

        def is_dir(self, *, follow_symlinks: bool = True) -> bool:
            raise PermissionError(13, "Permission denied")

        is_file = is_dir

    (tmp_path / "notes.md").write_text("x")
    scandir = os.scandir

    @contextmanager
    def entries(folder: str) -> Iterator[Iterator[object]]:
        with scandir(folder) as found:
            yield iter([Untyped(), *found])

    monkeypatch.setattr(os, "scandir", entries)
    assert below("notes", tmp_path) == ["notes.md"]


def test_all_is_hidden_and_ignored_files_too(tree: Path) -> None:
    found = below("notes", tree, shows_all=True)
    assert {".venv/lib/notes.py", "node_modules/notes.js", "out/notes.o", "src/.notes.md"} < {
        *found
    }


def test_no_more_than_so_many_entries_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        (tmp_path / f"note {number}").write_text("x")
    monkeypatch.setattr(file_search, "MOST_ENTRIES", 7)
    assert len(below("note", tmp_path)) == 7


def test_it_ends_when_its_time_is_over(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"note {number}").write_text("x")

    def ticking() -> Iterator[float]:
        return itertools.count(100.0, MOST_S / 4.5)

    ticks = ticking()
    assert len(below("note", tmp_path, clock=lambda: next(ticks))) == 4


def test_no_more_than_the_limit_is_returned(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"note {number}").write_text("x")
    assert below("note", tmp_path, limit=2) == ["note 0", "note 1"]


@pytest.mark.parametrize(
    "path, typed, does",
    [
        ("a/notes.md", "not", True),
        ("a/notes/", "a/NOT", True),
        ("a/my_notes.md", "not", False),
        ("notes.md", "", False),
        ("a/notes.md", "a/", False),
    ],
)
def test_a_name_begins_as_it_is_typed_or_not(path: str, typed: str, does: bool) -> None:
    assert begins(path, typed) == does
