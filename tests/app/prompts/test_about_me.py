"""What chats are to know of a person is a file of theirs: two commands change it, line by line."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from app.errors import SettingsError
from app.paths import Paths
from app.prompts.about_me import LIMIT_BYTES, forget, lines, read, remember


@pytest.fixture
def path() -> Path:
    return Paths().about_file


def refusal(do: Callable[[], object]) -> str:
    with pytest.raises(SettingsError) as refused:
        do()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_what_is_remembered_is_a_line_at_the_end_of_a_private_file(path: Path) -> None:
    assert read(path) == ""
    assert remember(path, "I write Rust.") == "- I write Rust."
    remember(path, "I live in\n  Oslo.")
    assert path.read_text() == "- I write Rust.\n- I live in Oslo.\n"
    assert path.parent == Paths().settings_file.parent
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_the_person_wrote_by_hand_stays_as_it_is(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"# Me\r\n\r\nAda, 36\r\n* tea")
    remember(path, "new")
    assert path.read_bytes() == b"# Me\r\n\r\nAda, 36\r\n* tea\n- new\n"
    assert lines(read(path)) == ["# Me", "Ada, 36", "* tea", "new"]
    forget(path, "Ada, 36")
    assert path.read_bytes() == b"# Me\r\n\r\n* tea\n- new\n"


def test_of_two_like_lines_one_is_forgotten(path: Path) -> None:
    for text in ("a", "b", "a"):
        remember(path, text)
    forget(path, "- a")
    assert read(path) == "- b\n- a"


@pytest.mark.parametrize("wanted", ["I write", "i write rust.", " "])
def test_what_is_not_there_is_not_forgotten(path: Path, wanted: str) -> None:
    remember(path, "I write Rust.")
    path.write_text(path.read_text() + "\n\n")
    before = path.read_bytes()
    told = refusal(lambda: forget(path, wanted))
    assert told.startswith("about-me.md has no line ") and path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x" * (LIMIT_BYTES + 1), "is too large: 2001 bytes, at most 2000."),
        (b"caf\xe9", "line 1 is no UTF-8 text; save the file as UTF-8."),
        (b"a\x00b", "it is no text."),
    ],
)
def test_a_file_that_cannot_be_sent_is_refused_and_left_alone(
    path: Path, content: bytes, words: str
) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    for do in (lambda: read(path), lambda: remember(path, "x"), lambda: forget(path, "x")):
        told = refusal(do)
        assert str(path) in told and told.endswith(words), told
    assert path.read_bytes() == content


def test_a_line_that_makes_it_too_large_is_refused(path: Path) -> None:
    remember(path, "x" * (LIMIT_BYTES - 10))
    before = path.read_bytes()
    assert "too large" in refusal(lambda: remember(path, "a few words"))
    assert path.read_bytes() == before
    remember(path, "tiny")
    assert len(path.read_bytes()) == LIMIT_BYTES


def test_only_a_file_is_read(path: Path) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert "is no file" in refusal(lambda: read(path))
