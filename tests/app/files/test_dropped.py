"""A path that a terminal pastes for a dropped picture becomes a mention of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.attachments import attached
from app.files.dropped import dropped, path_in, text_file
from app.files.file_search import below
from tests.app.files.picture_files import png


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "my photo (1).png"
    path.write_bytes(png())
    return path


@pytest.mark.parametrize(
    "written",
    ["{}", "'{}'", '"{}"', " {}\n", "file://{url}", "file://localhost{url}", "{escaped}"],
)
def test_a_dropped_picture_is_mentioned_however_its_path_is_written(
    photo: Path, written: str
) -> None:
    escaped = str(photo).replace(" ", r"\ ").replace("(", r"\(").replace(")", r"\)")
    url = photo.as_uri().removeprefix("file://")
    text = dropped(written.format(photo, url=url, escaped=escaped))
    assert text == f'@"{photo}" '
    [found] = attached(text, Path("/elsewhere"))
    assert found.picture is not None and found.picture.path == str(photo)


@pytest.mark.parametrize(
    "name",
    ["Screenshot 2025-01-02 at 3.45.12\u202fPM.png", "two  blanks.png", "\u5199\u3000\u771f.png"],
    ids=["as macOS calls them", "two blanks", "a wide blank"],
)
def test_blanks_of_all_kinds_stay_in_a_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(png())
    text = dropped(str(path))
    assert text == f'@"{path}" '
    [found] = attached(text, Path("/elsewhere"))
    assert found.picture is not None and found.picture.path == str(path)
    assert below(name[:6], tmp_path) == [name]


def test_several_are_mentioned_in_their_order(photo: Path) -> None:
    other = photo.with_name("b.jpg")
    other.write_bytes(png())
    assert dropped(f"'{photo}' {other}") == f'@"{photo}" @{other} '


def test_a_dropped_pdf_is_mentioned_too(photo: Path) -> None:
    paper = photo.with_name("my paper.pdf")
    paper.write_bytes(b"%PDF-1.4")
    assert dropped(f"'{paper}'") == f'@"{paper}" '
    assert dropped(f"'{paper}' '{photo}'") == f'@"{paper}" @"{photo}" '


@pytest.mark.parametrize("written", ["{}", "'{}'", " {}\n", "file://{}"])
def test_the_path_of_one_text_file_is_told_from_other_pastes(written: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("x")
    assert text_file(written.format(path)) == str(path)


def test_what_is_more_than_the_path_of_a_text_file_that_can_be_sent_is_told_of_by_nobody(
    photo: Path, tmp_path: Path
) -> None:
    notes, huge = tmp_path / "notes.md", tmp_path / "huge.log"
    notes.write_text("x")
    huge.write_bytes(b"x" * 600_000)
    pastes = (
        "",
        "notes.md",
        f"see {notes}",
        f"{notes} {notes}",
        f"{notes}x",
        photo,
        huge,
        tmp_path,
    )
    assert [text_file(str(paste)) for paste in pastes] == [""] * len(pastes)


def test_what_is_no_path_of_a_picture_that_is_there_stays_a_text(
    photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text_file = tmp_path / "notes.txt"
    text_file.write_text("x")
    for text in (
        "",
        "what is x.png?",
        str(tmp_path / "gone.png"),
        photo.name,
        str(text_file),
        f"see '{photo}'",
        f"'{photo}",
        "file:///",
        "file://[PATH]/x.png",
        "see file://[::1/x.png and file://x]/y.png",
        "~\0/x.png",
        "~\ud800/x.png",
        "/" + "x" * 5000 + ".png",
    ):
        assert dropped(text) == "", text


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("x.json", "x.json"),
        (" ~/x.json ", "~/x.json"),
        ("my chats.json", "my chats.json"),
        ("'/d/my chats.json'", "/d/my chats.json"),
        ('"/d/my chats.json"', "/d/my chats.json"),
        (r"/d/my\ chats\ \(1\).json", "/d/my chats (1).json"),
        ("file:///d/my%20chats.json", "/d/my chats.json"),
        ("file://[d]/x.json", "file://[d]/x.json"),
        ("it's mine.json", "it's mine.json"),
        ("OWNER/REPO:x.gguf", "OWNER/REPO:x.gguf"),
        ("", ""),
        ("''", ""),
        ("~\0", "~\0"),
    ],
)
def test_a_path_is_read_as_it_is_typed_or_pasted(typed: str, path: str) -> None:
    assert path_in(typed) == path


@pytest.mark.parametrize("name", ["'quoted'", r"a\ b", '"'])
def test_a_file_that_is_called_so_is_meant_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).touch()
    assert path_in(name) == name
