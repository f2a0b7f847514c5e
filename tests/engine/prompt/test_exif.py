"""A photo is seen as the camera was held, whichever way its pixels are stored."""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path

import numpy as np
import pytest

from engine.llama import mtmd
from engine.messages import Picture
from engine.prompt.exif import orientation_of, upright
from tests.engine.in_process import answer, loaded
from tests.engine.seeing import QUESTION, Pair, user, written
from tests.tiny.photo import exif, photo, pixels, segment
from tests.tiny.projector import png

SEEN = np.array([[0, 40, 80], [120, 160, 200]])
LYING = {
    1: lambda seen: seen,
    2: lambda seen: seen[:, ::-1],
    3: lambda seen: seen[::-1, ::-1],
    4: lambda seen: seen[::-1],
    5: lambda seen: seen.T,
    6: lambda seen: np.rot90(seen, 1),
    7: lambda seen: seen.T[::-1, ::-1],
    8: lambda seen: np.rot90(seen, -1),
}
"""How a camera stores what it sees, by what it notes; 6 and 8 are those of a phone held upright."""
COMMENT = segment(0xFE, b"\xff\xe1" + exif(3))
XMP = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
TURNED = exif(6)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("orientation", LYING)
def test_what_the_camera_noted_is_read(orientation: int, order: str) -> None:
    assert orientation_of(photo(SEEN, exif(orientation, order))) == orientation


@pytest.mark.parametrize(
    "before",
    [(XMP,), (COMMENT,), (b"\xff\xff\xff",), (b"\xff\x01",), (segment(0xE0, bytes(14)), XMP)],
    ids=["xmp", "comment", "filler", "alone", "jfif"],
)
def test_it_is_found_behind_other_segments(before: tuple[bytes, ...]) -> None:
    assert orientation_of(photo(SEEN, *before, TURNED)) == 6
    assert orientation_of(photo(SEEN, *before)) == 1


@pytest.mark.parametrize(
    "segments",
    [
        (),
        (exif(0),),
        (exif(9),),
        (exif(6, kind=7),),
        (segment(0xE1, TURNED[4:10]),),
        (segment(0xE1, TURNED[4:14]),),
        (segment(0xE1, TURNED[4:34]),),
        (TURNED.replace(b"MM\0*", b"XX\0*"),),
        (TURNED.replace(b"MM\0*", b"II*\0"),),
        (TURNED.replace(b"MM\0*\0\0\0\x08", b"MM\0*\xff\xff\xff\xff"),),
        (TURNED.replace(b"Exif", b"exif"),),
        (b"\xff\xfe\0\0", TURNED[2:]),
        (b"\0\0", TURNED),
    ],
)
def test_what_is_broken_or_says_nothing_counts_as_upright(segments: tuple[bytes, ...]) -> None:
    assert orientation_of(photo(SEEN, *segments)) == 1


def test_a_file_may_end_anywhere() -> None:
    whole = photo(SEEN, XMP, TURNED)
    n_told = whole.index(TURNED) + len(TURNED)
    found = [orientation_of(whole[:n]) for n in range(len(whole))]
    assert found[0] == 1 and set(found[n_told:]) == {6} and found == sorted(found)


def test_what_is_no_jpeg_has_no_such_note() -> None:
    for content in (b"", b"\xff\xd8", png(pixels(SEEN)), b"BM" + TURNED, b"GIF89a" + TURNED):
        assert orientation_of(content) == 1


@pytest.mark.parametrize("orientation", LYING)
def test_pixels_are_turned_and_mirrored_as_they_were_seen(orientation: int) -> None:
    stored = LYING[orientation](SEEN)
    assert np.array_equal(upright(pixels(stored), orientation), pixels(SEEN))


def test_a_six_is_turned_clockwise_and_an_eight_back() -> None:
    stored = np.array([[1, 2], [3, 4]])[:, :, None]
    assert upright(stored, 6)[:, :, 0].tolist() == [[3, 1], [4, 2]]
    assert upright(stored, 8)[:, :, 0].tolist() == [[2, 4], [1, 3]]


# through the engine


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return written("qwen2vl_merger", "qwen2vl", tmp_path_factory.mktemp("pair"))


def kept(path: Path, content: bytes) -> Picture:
    path.write_bytes(content)
    return Picture(path=str(path), id=hashlib.sha256(content).hexdigest())


def test_the_model_is_shown_every_photo_upright(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[np.ndarray] = []
    parts = mtmd.Projector._parts
    library = mtmd.mtmd

    def spy(projector: mtmd.Projector, bitmap: int) -> object:
        size = library.mtmd_bitmap_get_ny(bitmap), library.mtmd_bitmap_get_nx(bitmap), 3
        data = ctypes.cast(library.mtmd_bitmap_get_data(bitmap), ctypes.POINTER(ctypes.c_uint8))
        shown.append(np.ctypeslib.as_array(data, size).copy())
        return parts(projector, bitmap)

    greys = np.random.default_rng(7).integers(0, 256, (9, 15))
    said = set()
    with loaded(pair.settings(draft=None)) as engine:
        monkeypatch.setattr(mtmd.Projector, "_parts", spy)
        for orientation, lying in LYING.items():
            content = photo(lying(greys), exif(orientation))
            picture = kept(tmp_path / f"{orientation}.jpg", content)
            for _ in range(2):  # it is read once
                said.add(tuple(answer(engine, [user(QUESTION, picture)]).token_ids))
            assert len(shown) == orientation and np.array_equal(shown[-1], pixels(greys))
            assert Path(picture.path).read_bytes() == content
        untold = kept(tmp_path / "untold.jpg", photo(LYING[6](greys)))
        assert tuple(answer(engine, [user(QUESTION, untold)]).token_ids) not in said
    assert len(said) == 1
