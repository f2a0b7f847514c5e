"""What is said of a picture is true to its file, and it is kept as long as it is wanted."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from app.files.attachable import LIMIT_BYTES as TEXT_LIMIT_BYTES
from app.files.attachable import tokens_about
from app.files.attachments import AttachmentError, for_model, kept, pictures_of, read
from app.files.folder import file_at
from app.files.pictures import LEFT_OVER_S, LIMIT_BYTES, MOST_PIXELS, Album, sha256_of
from app.sizes import size
from tests.app.files.picture_files import bmp, gif, jpeg, old_bmp, png, png_header
from tests.tiny.photo import exif, photo


@pytest.mark.parametrize(
    ("content", "kind", "pixels"),
    [
        (png(64, 48), "PNG", (64, 48)),
        (jpeg(640, 480), "JPEG", (640, 480)),
        (jpeg(1, 65535, marker=0xC2), "JPEG", (1, 65535)),
        (bmp(5, 7), "BMP", (5, 7)),
        (old_bmp(5, 7), "BMP", (5, 7)),
        (gif(300, 200), "GIF", (300, 200)),
    ],
)
def test_a_picture_is_known_by_its_bytes_whatever_it_is_called(
    tmp_path: Path, content: bytes, kind: str, pixels: tuple[int, int]
) -> None:
    for name in ("photo.png", "photo", "photo.txt"):
        path = tmp_path / name
        path.write_bytes(content)
        found = read(path)
        assert found.picture is not None
        assert (found.encoding, found.pixels, found.text) == (kind, pixels, "")
        assert found.picture.path == str(path)
        assert found.picture.id == hashlib.sha256(content).hexdigest()
    by = "\N{MULTIPLICATION SIGN}"
    shown = f"photo.txt ({kind}, {pixels[0]} {by} {pixels[1]} pixels, {size(len(content))})"
    assert found.label == shown


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_size_of_a_photo_is_that_of_what_is_seen(tmp_path: Path, orientation: int) -> None:
    content = photo(np.zeros((3, 5)), exif(orientation))
    path = tmp_path / "photo.jpg"
    path.write_bytes(content)
    found = kept(read(path), Album(tmp_path / "pictures"))
    assert found.pixels == ((24, 40) if orientation > 4 else (40, 24))
    assert found.picture is not None and Path(found.picture.path).read_bytes() == content
    assert found.picture.id == hashlib.sha256(content).hexdigest()


def refusal(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(AttachmentError) as refused:
        read(path)
    return str(refused.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (png()[:20], "is no picture that can be read: it is damaged, or something else."),
        (png_header(0, 5), "is no picture that can be read"),
        (jpeg(3, 3)[:-15], "is no picture that can be read"),
        (b"\xff\xd8\xff\xe0\x00\x00\x00", "is no picture that can be read"),
        (b"\xff\xd8\xff\xd8\xff\xd9", "is no picture that can be read"),
        (jpeg(3, 3, marker=0xC3), "is a JPEG of a rare kind: save it as PNG and attach that."),
        (png_header(2**31 - 1, 1), "has 2148 million pixels, at most 50 can be read: make it sm"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "is a WebP picture: save it as PNG or JPEG and attach"),
        (b"\x00\x00\x00\x18ftypheic\x00", "is a HEIC picture: save it as PNG or JPEG"),
        (b"II*\x00\x08\x00", "is a TIFF picture: save it as PNG or JPEG"),
        (b"\x00\x01", "is no picture that can be read"),
    ],
)
def test_what_the_engine_could_not_read_is_refused_with_what_to_do(
    tmp_path: Path, content: bytes, words: str
) -> None:
    assert refusal(tmp_path / "x.png", content).startswith(f"x.png {words}")


def test_a_picture_at_the_limits_is_taken_and_one_beyond_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    content = png_header(MOST_PIXELS, 1)
    path.write_bytes(content + bytes(LIMIT_BYTES - len(content)))
    assert read(path).size_bytes == LIMIT_BYTES
    assert "50 can be read" in refusal(path, png_header(MOST_PIXELS + 1, 1))
    too_large = refusal(path, content + bytes(LIMIT_BYTES + 1 - len(content)))
    assert too_large == "x.png is too large: 20,000,001 bytes, at most 20,000,000."


@pytest.mark.parametrize("name", ["photo", "2024.11", "scan.bin"])
def test_a_large_picture_is_one_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(png() + bytes(TEXT_LIMIT_BYTES))
    assert read(path).encoding == "PNG"
    entry = file_at(str(path), tmp_path)
    assert entry.why_not == "" and tokens_about(name, entry.size_bytes) == 0
    why = f"{name} is a WebP picture: save it as PNG or JPEG and attach that."
    webp = b"RIFF\x10\x00\x00\x00WEBPVP8 "
    assert refusal(path, webp + bytes(TEXT_LIMIT_BYTES)) == why
    assert file_at(str(path), tmp_path).why_not == why
    assert "at most 512,000" in refusal(path, b"a" * (TEXT_LIMIT_BYTES + 1))
    assert "at most 512,000" in file_at(str(path), tmp_path).why_not


def test_a_text_that_begins_as_a_bitmap_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "cars.txt"
    for n_bytes in range(2, 32):
        path.write_text("BMW makes cars and motorcycles.\n"[:n_bytes])
        assert read(path).encoding == "UTF-8"
    path = tmp_path / "x.png"
    path.write_bytes(b"a" * 513_000)
    with pytest.raises(AttachmentError, match="is too large: 513 kB, at most 512 kB"):
        read(path)


def test_the_model_is_told_of_a_picture_that_it_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "cat.png"
    path.write_bytes(png())
    found = read(path)
    assert for_model("What is it?", [found]) == "What is it?"
    assert pictures_of([found]) == [found.picture]
    words = "What is it?\n\n[The picture cat.png is not shown here.]"
    assert for_model("What is it?", [found], sees=False) == words
    path.write_bytes(png(9, 9))
    assert for_model("What is it?", [found]) == words, "it is another by now"
    path.unlink()
    assert for_model("What is it?", [found]) == words and pictures_of([found]) == []
    assert found.label.endswith(", gone: no longer sent)")


def test_a_picture_is_kept_once_privately_and_whole(tmp_path: Path) -> None:
    album, content = Album(tmp_path / "pictures"), png()
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(content)
        found = kept(read(tmp_path / name), album)
        assert found.picture is not None and found.name == name
    [path] = album.folder.iterdir()
    assert found.picture.path == str(path) and path.read_bytes() == content
    assert path.name == f"{sha256_of(content)}.png"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(album.folder.stat().st_mode) == 0o700
    (tmp_path / "b.png").unlink()
    assert not found.is_gone


def test_what_cannot_be_kept_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(png())
    found = read(path)
    path.write_bytes(png(shade=3))
    with pytest.raises(AttachmentError, match=r"^a\.png has just changed: send it again\.$"):
        kept(found, Album(tmp_path / "pictures"))
    assert not (tmp_path / "pictures").exists()
    (tmp_path / "taken").write_text("")
    with pytest.raises(AttachmentError, match=r"^a\.png cannot be kept with the chat: .*--private"):
        kept(read(path), Album(tmp_path / "taken"))


def test_what_is_left_over_goes_after_a_day_unless_it_is_wanted_again(tmp_path: Path) -> None:
    album, now = Album(tmp_path / "pictures"), 1e9
    for shade in range(4):
        album.add(png(shade=shade), "PNG")
        path = album.path_of(sha256_of(png(shade=shade)), "PNG")
        os.utime(path, (now, now - (0 if shade == 3 else LEFT_OVER_S + 1)))
    wanted, again = (sha256_of(png(shade=shade)) for shade in (0, 1))
    source = tmp_path / "again.png"
    source.write_bytes(png(shade=1))
    album.keep(source, again, "PNG")
    album.sweep({wanted}, now)
    left = {path.stem for path in album.folder.iterdir()}
    assert left == {sha256_of(png(shade=shade)) for shade in (0, 1, 3)}
    album.remove({wanted}, now)
    assert wanted in {path.stem for path in album.folder.iterdir()}, "its message is on its way"
    album.settle({wanted})
    album.remove({wanted}, now)
    assert wanted not in {path.stem for path in album.folder.iterdir()}
