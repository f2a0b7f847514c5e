"""What has come of a file: kept for the same file only, hashed as it lies on the disk, and named in
one step."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.errors import PullError
from app.models.partial_file import Origin, Part

ORIGIN = Origin(repo="a/b", file="m.gguf", commit="1" * 40, size=100, sha256="a" * 64, etag='"e"')
BYTES = b"GGUF" + bytes(range(96))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "m.gguf"


def part_of(target: Path) -> Path:
    return target.with_name("m.gguf.part")


def left(target: Path, origin: Origin = ORIGIN, count: int = 40) -> Path:
    """Leave a part behind."""
    with Part(target, origin) as part:
        part.add(BYTES[:count])
        part.knows(origin.etag)
    return part_of(target)


def resumed(target: Path, origin: Origin) -> tuple[int, str | None]:
    """Return how many bytes are gone on with, and the ETag they came with."""
    with Part(target, origin) as part:
        part.read(lambda done: None)
        assert part.sha256 == hashlib.sha256(BYTES[: part.size]).hexdigest()
        return part.size, part.origin.etag


def test_a_part_of_the_same_file_is_gone_on_with(target: Path) -> None:
    left(target)
    assert resumed(target, msgspec.structs.replace(ORIGIN, etag=None)) == (40, '"e"')


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"commit": "2" * 40}, 40),  # the hash says that it is the same
        ({"sha256": "b" * 64}, 0),
        ({"sha256": None}, 40),
        ({"sha256": None, "commit": "2" * 40}, 0),
        ({"sha256": None, "file": "n.gguf"}, 0),
        ({"sha256": None, "repo": "a/c"}, 0),
    ],
)
def test_a_part_of_another_file_is_not(
    target: Path, change: dict[str, str | None], kept: int
) -> None:
    left(target)
    other = msgspec.structs.replace(ORIGIN, etag=None, **change)
    assert resumed(target, other) == (kept, '"e"' if kept else None)


@pytest.mark.parametrize("state", [None, b"", b"{", b'{"repo": 1}', b"\xff\xfe"])
@pytest.mark.parametrize(("sha256", "kept"), [("a" * 64, 40), (None, 0)])
def test_bytes_of_nobody_knows_what_are_gone_on_with_where_a_hash_will_tell(
    target: Path, state: bytes | None, sha256: str | None, kept: int
) -> None:
    left(target)
    path = target.with_name("m.gguf.part.json")
    path.unlink() if state is None else path.write_bytes(state)
    assert resumed(target, msgspec.structs.replace(ORIGIN, sha256=sha256)) == (kept, None)


def test_the_state_is_on_the_disk_before_it_has_its_name(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, brought = target.with_name("m.gguf.part.json.new"), []

    def fsync(descriptor: int) -> None:
        brought.append((os.fstat(descriptor).st_ino == new.stat().st_ino, new.read_bytes()))

    monkeypatch.setattr(os, "fsync", fsync)
    with Part(target, ORIGIN):
        state = target.with_name("m.gguf.part.json").read_bytes()
        assert state and brought == [(True, state)]
        monkeypatch.undo()


def test_a_crash_never_leaves_bytes_of_one_file_under_the_state_of_another(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left(target)

    def crash(part: Part) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Part, "_save", crash)
    with pytest.raises(KeyboardInterrupt):
        Part(target, msgspec.structs.replace(ORIGIN, sha256="b" * 64))
    assert not part_of(target).exists()


@pytest.mark.parametrize("sizes", [(100,), (1,) * 100, (3, 1, 0, 50, 46)])
def test_the_hash_is_that_of_the_bytes_however_they_came(
    target: Path, sizes: tuple[int, ...]
) -> None:
    with Part(target, ORIGIN) as part:
        for size in sizes:
            part.add(BYTES[part.size : part.size + size])
        assert part.sha256 == hashlib.sha256(BYTES).hexdigest()
        part.settle()
        part.finish()
    assert target.read_bytes() == BYTES
    assert list(target.parent.iterdir()) == [target]


def test_a_disk_that_cannot_flush_a_folder_costs_no_finished_file(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush = os.fsync

    def of_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", of_files)
    with Part(target, ORIGIN) as part:
        part.add(BYTES)
        part.settle()
        part.finish()
    assert target.read_bytes() == BYTES
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("chunks", [(b"<html>",), (b"G", b"G", b"U", b"X"), (b"GGU", b"f" * 9)])
def test_what_does_not_begin_like_a_model_is_thrown_away(
    target: Path, chunks: tuple[bytes, ...]
) -> None:
    with Part(target, ORIGIN) as part:
        with pytest.raises(PullError, match=r"a/b:m\.gguf is no GGUF file"):
            for chunk in chunks:
                part.add(chunk)
        assert part.size == 0
    assert part_of(target).read_bytes() == b""


@pytest.mark.parametrize("begun", [b"", b"G", b"GGU"])
def test_what_is_too_short_for_a_model_gets_no_name(target: Path, begun: bytes) -> None:
    with Part(target, ORIGIN) as part:
        part.add(begun)
        with pytest.raises(PullError, match="is no GGUF file"):
            part.settle()
    assert not target.exists()


class FullDisk:
    """A file that takes so many bytes, a few at a time, and then fails."""

    def __init__(self, part: Part, room: int, code: int) -> None:
        self._write: Callable[[bytes], int] = part._file.write
        self._room, self._code = room, code

    def write(self, chunk: bytes) -> int:
        if not self._room:
            raise OSError(self._code, os.strerror(self._code))
        taken = self._write(chunk[: min(7, self._room)])
        self._room -= taken
        return taken


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (errno.ENOSPC, r"The disk of .* is full\. What was downloaded is kept"),
        (errno.EDQUOT, r"The disk of .* is full\. What was downloaded is kept"),
        (errno.EIO, r"Cannot write .*: Input/output error\. What was downloaded is kept"),
    ],
)
def test_a_disk_that_fails_keeps_what_it_took(
    target: Path, code: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Part(target, ORIGIN) as part:
        disk = FullDisk(part, 50, code)
        with monkeypatch.context() as patch:
            patch.setattr(part, "_file", disk)
            with pytest.raises(PullError, match=line):
                part.add(BYTES)
        assert part.sha256 == hashlib.sha256(BYTES[:50]).hexdigest()
    assert resumed(target, ORIGIN)[0] == 50


def test_where_nothing_came_nothing_is_said_to_be_kept(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Part(target, ORIGIN) as part:
        monkeypatch.setattr(part, "_file", FullDisk(part, 0, errno.ENOSPC))
        with pytest.raises(PullError, match=r"is full: make room and try again"):
            part.add(BYTES)
        monkeypatch.undo()


def test_bytes_that_the_disk_lost_on_the_way_are_no_whole_file(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [errno.EIO]

    def fsync(_: int) -> None:
        if told:
            raise OSError(told.pop(), os.strerror(errno.EIO))

    monkeypatch.setattr("app.models.partial_file.FLUSH_BYTES", 40)
    with Part(target, ORIGIN) as part:
        monkeypatch.setattr(os, "fsync", fsync)
        part.add(BYTES[:50])
        for _ in range(2):
            with pytest.raises(PullError, match="Input/output error"):
                part.settle()
        with pytest.raises(PullError, match="Input/output error"):
            part.add(BYTES[50:])
    assert not told and not target.exists()


def test_what_comes_after_a_restart_is_flushed_as_what_came_before(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    monkeypatch.setattr("app.models.partial_file.FLUSH_BYTES", 40)
    with Part(target, ORIGIN) as part:
        part.add(BYTES[:90])
        part.restart()
        part._check_flush()  # what is under way is done
        monkeypatch.setattr(os, "fsync", lambda _: flushed.append(part.size))
        part.add(BYTES[:50])
        part._check_flush()
    assert flushed[:1] == [50]
    assert len(flushed) == 2, "one on the way, one at the end"


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.gguf.part").mkdir()
    with pytest.raises(PullError, match=r"Cannot write .*m\.gguf: "):
        Part(tmp_path / "m.gguf", ORIGIN)


def test_settling_takes_an_older_file_away_before_it_gets_a_record(target: Path) -> None:
    target.write_bytes(b"older")
    with Part(target, ORIGIN) as part:
        part.add(BYTES)
        assert target.read_bytes() == b"older"
        part.settle()
        assert not target.exists()
        part.finish()
    assert target.read_bytes() == BYTES


@pytest.mark.parametrize("is_replaced", [False, True])
def test_only_the_bytes_that_were_hashed_get_the_name(target: Path, is_replaced: bool) -> None:
    with Part(target, ORIGIN) as part:
        part.add(BYTES)
        part_of(target).unlink()
        if is_replaced:
            part_of(target).write_bytes(b"GGUF of somebody else")
        part.settle()
        with pytest.raises(PullError, match="was deleted on the way"):
            part.finish()
    assert not target.exists()


def test_a_long_part_is_read_in_order(target: Path) -> None:
    content = b"GGUF" + random.Random(1).randbytes(2_500_000)
    with Part(target, ORIGIN) as part:
        part.add(content)
    told: list[int] = []
    with Part(target, ORIGIN) as part:
        part.read(told.append)
        assert part.sha256 == hashlib.sha256(content).hexdigest()
    assert told == sorted(told) and told[-1] == len(content)
