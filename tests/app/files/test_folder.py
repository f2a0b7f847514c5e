"""A folder is listed as a person looks for a file, and what cannot be attached says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.files import folder
from app.files.attachable import LIMIT_BYTES, tokens_about, why_not
from app.files.folder import Entry, file_at, look
from app.files.mentions import as_mention, mentions, short_path


def listed(path: Path, shows_all: bool = False) -> list[str]:
    found = look(str(path), str(path), path, shows_all)
    return [each.name + "/" * each.is_folder for each in found.entries]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("b", "A", "node_modules", "out", ".git", "A/made"):
        (tmp_path / name).mkdir()
    for name in ("Zoo.md", "apple.txt", ".env", "old.log"):
        (tmp_path / name).write_text("text\n")
    (tmp_path / ".gitignore").write_text("out/\nold.log\n/A/made\n")
    return tmp_path


def test_folders_come_first_and_what_is_hidden_ignored_or_made_by_tools_is_left_out(
    home: Path,
) -> None:
    assert listed(home) == ["A/", "b/", "apple.txt", "Zoo.md"]
    everything = [".git/", "A/", "b/", "node_modules/", "out/", ".env", ".gitignore"]
    assert listed(home, shows_all=True) == [*everything, "apple.txt", "old.log", "Zoo.md"]


def test_a_path_that_is_ignored_is_so_below_the_folder_with_the_gitignore(home: Path) -> None:
    assert look(str(home / "A"), str(home), home, shows_all=False).entries == ()
    [made] = look(str(home / "A"), str(home), home, shows_all=True).entries
    assert made.is_quiet


def test_what_cannot_be_read_is_said_in_one_line(home: Path, tmp_path: Path) -> None:
    gone = look(str(home / "gone"), str(home), home, shows_all=False)
    assert gone.trouble == "gone cannot be read: No such file or directory."
    assert look("a\0b", str(home), home, shows_all=False).trouble.startswith(
        "a\0b cannot be read: "
    )
    assert gone.entries == ()


def test_a_folder_that_may_not_be_read_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    assert look(str(home), str(home), home, False).trouble == (
        f"{home.name} cannot be read: Permission denied."
    )


def test_of_a_huge_folder_the_first_ones_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_SHOWN", 3)
    for n in range(6):
        (tmp_path / f"{n}.txt").write_text("")
    found = look(str(tmp_path), str(tmp_path), tmp_path, shows_all=False)
    assert [each.name for each in found.entries] == ["0.txt", "1.txt", "2.txt"]
    assert (found.n_more, found.is_cut) == (3, False)
    monkeypatch.setattr(folder, "MOST_SCANNED", 5)
    cut = look(str(tmp_path), str(tmp_path), tmp_path, shows_all=False)
    assert (len(cut.entries), cut.n_more, cut.is_cut) == (3, 2, True)


def test_each_file_says_how_large_it_is_and_why_it_cannot_be_attached(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_text("x")
    (tmp_path / "b.txt").write_bytes(bytes(LIMIT_BYTES + 1))
    (tmp_path / "c\nd.txt").write_text("x")
    (tmp_path / "e.txt").write_text("12345")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    found = look(str(tmp_path), str(tmp_path), tmp_path, shows_all=False).entries
    why = {each.name: each.why_not for each in found}
    assert "is an office document" in why["a.docx"]
    assert "is too large: 512,001 bytes, at most 512,000." in why["b.txt"]
    assert "cannot be named in a message" in why["c\nd.txt"]
    assert why["e.txt"] == ""
    assert why["link"] == "link cannot be read: No such file or directory."
    assert "is a device or a pipe" in why["pipe"]
    assert {each.name: each.size_bytes for each in found}["e.txt"] == 5


def test_a_link_to_a_folder_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert listed(tmp_path) == ["link/", "real/"]


def test_a_link_that_leads_nowhere_or_to_itself_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    (tmp_path / "notes.txt").write_text("x")
    found = look(str(tmp_path), str(tmp_path), tmp_path, shows_all=False)
    assert [each.name for each in found.entries] == ["loop.txt", "notes.txt"]
    assert found.entries[0].why_not.startswith("loop.txt cannot be read: Too many levels of symb")
    assert found.entries[1].why_not == ""


def test_only_what_is_named_in_a_message_must_be_such_as_can_be_named(tmp_path: Path) -> None:
    base = tmp_path / """it's "x\""""
    base.mkdir()
    (base / "a.txt").write_text("x")
    for where, is_fine in ((base, True), (tmp_path, False)):
        [entry] = look(str(base), str(base), where, shows_all=False).entries
        assert entry == file_at(entry.path, where)
        assert (not entry.why_not) is is_fine


def test_one_file_is_as_it_would_be_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("12345")
    assert file_at(str(path), tmp_path) == Entry(str(path), "a.txt", size_bytes=5)
    gone = file_at(str(tmp_path / "b.txt"), tmp_path)
    assert gone.why_not == "b.txt cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("name", "n_bytes", "tokens"), [("a.py", 4000, 1000), ("a.pdf", 4000, 0), ("a.png", 4000, 0)]
)
def test_tokens_are_guessed_of_texts_alone(name: str, n_bytes: int, tokens: int) -> None:
    assert tokens_about(name, n_bytes) == tokens
    assert why_not(name, n_bytes) == ""


def test_a_file_is_named_shortly_and_means_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    base = tmp_path / "home" / "work"
    named = {
        base / "src" / "a.py": "src/a.py",
        base / "~b.txt": "./~b.txt",
        tmp_path / "home" / "c d.txt": "~/c d.txt",
        tmp_path / "e.txt": str(tmp_path / "e.txt"),
    }
    for path, name in named.items():
        assert short_path(path, base) == name
        [mention] = mentions(as_mention(name))
        assert Path(os.path.join(base, os.path.expanduser(mention.path))) == path or (
            name == "./~b.txt" and mention.path == name
        )
