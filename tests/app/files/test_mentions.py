"""A mention is found where one was meant, and completed without reading more than is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app.files.mentions
from app.files.mentions import Mention, as_mention, being_typed, complete, mentions


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("@notes.txt", ["notes.txt"]),
        ("Read @notes.txt, please", ["notes.txt"]),
        ("(see @a/b.py) and @c.md.", ["a/b.py", "c.md"]),
        ('what is in @"with spaces.md"?', ["with spaces.md"]),
        ("""@'it "is".txt' x""", ['it "is".txt']),
        ("@~/x and @./Makefile and @../y and @/etc/hosts", ["~/x", "./Makefile", "../y"]),
        ("write to me@example.txt", []),
        ("@alice@example.txt hello", []),
        ("`@notes.txt` and ``@b.txt``", []),
        ("```\n@notes.txt\n```\n@c.txt", ["c.txt"]),
        ("````\n```\n@a.txt\n````\n@c.txt", ["c.txt"]),
        ("```py\n@notes.txt", []),
        ("````\n```\n@notes.txt", []),
        ('@app.route("/x.py")\n@f(x.py)', []),
        ("@ and @, and @", []),
        ("don`t @c.txt\nwon`t", ["c.txt"]),
        ("> see @a.txt\n>\n> @b.txt\n\n@c.txt", ["c.txt"]),
        ("2 > 1 in @c.txt", ["c.txt"]),
    ],
)
def test_a_mention_is_what_can_only_be_a_file(text: str, paths: list[str]) -> None:
    certain = [mention.path for mention in mentions(text) if mention.certain]
    assert certain[:3] == paths
    for mention in mentions(text):
        assert mention.path in text[mention.start : mention.end]
        assert text[mention.start] == "@"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.txt", "A.md", ".env", "with spaces.md", "new\nline", "a'\"b"):
        (tmp_path / name).touch()
    (tmp_path / "abc").mkdir()
    (tmp_path / "abc" / "inner.py").touch()
    return tmp_path


def test_a_path_is_completed(folder: Path) -> None:
    assert complete("", folder) == ["A.md", "abc/", "b.txt", "with spaces.md"]
    assert complete("a", folder) == ["A.md", "abc/"]
    assert complete(".", folder) == [".env"]
    assert complete("abc/i", folder) == ["abc/inner.py"]
    assert complete(f"{folder}/b", Path("/")) == [f"{folder}/b.txt"]
    assert complete("nowhere/x", folder) == [] == complete("b.txt/", folder)
    assert complete("~", folder) == ["~/"]


def test_a_huge_folder_is_not_read_to_its_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.files.mentions, "MOST_SCANNED", 3)
    assert len(complete("", folder)) <= 3


def test_of_many_paths_the_first_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app.files.mentions, "MOST_OFFERED", 2)
    assert complete("", folder) == ["A.md", "abc/"]


def test_what_is_being_typed_is_found() -> None:
    def typed(text: str) -> str | None:
        found = being_typed(text, len(text))
        return None if found is None else found.path

    assert typed("see @no") == "no" and typed("see @") == ""
    assert typed('@"with sp') == "with sp" and typed("@abc/") == "abc/"
    assert typed("see @no ") is None and typed("me@no") is None and typed("```\n@no") is None
    assert being_typed("@no more", 3) == Mention("no", 0, 3, certain=False)


NAMES = st.text(st.sampled_from("ab .,é@'()"), min_size=1, max_size=8).map(str.strip)


@given(NAMES.filter(bool))
def test_a_path_written_as_a_mention_is_read_again(name: str) -> None:
    written = as_mention(name)
    assert [mention.path for mention in mentions(f"x {written} y")] == [name]


def test_the_quotes_of_a_folder_stay_open_for_more() -> None:
    assert as_mention("abc/") == "@abc/" and as_mention("a b/") == '@"a b/'
    assert as_mention("a b/c.md") == '@"a b/c.md"'


def test_a_link_to_itself_is_completed_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert complete("lo", tmp_path) == ["loop"]
