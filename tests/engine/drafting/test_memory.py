"""The memory is bounded, ordered, private, and whole whatever happens while it is written."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.drafting import memory
from engine.drafting.memory import LARGEST, MIN_TEXT, Held, Memory, clear, held, tokenizer_key

KEY = "0123456789abcdef"
A, B, C = ([first, *range(100, 100 + MIN_TEXT)] for first in (1, 2, 3))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "memory"


def remembering(folder: Path, *texts: list[int]) -> Memory:
    """Return a memory to which these texts were added."""
    kept = Memory(folder, KEY)
    for text in texts:
        assert kept.add(text)
    return kept


def file_of(folder: Path) -> Path:
    return folder / f"{KEY}.tokens"


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def script(folder: Path, code: str) -> list[str]:
    """Return the command line of a process that has a Memory `kept` and runs this code."""
    head = "import os, signal, sys\nfrom pathlib import Path\n"
    head += "from engine.drafting.memory import Memory\n"
    return [sys.executable, "-c", f"{head}kept = Memory(Path({str(folder)!r}), {KEY!r})\n{code}"]


def test_nothing_is_made_before_something_is_kept(folder: Path) -> None:
    kept = Memory(folder, KEY)
    assert kept.texts() == [] and not kept.add(A[: MIN_TEXT - 1])
    assert held(folder) == Held(0, 0, 0, 0) and clear(folder) == 0
    assert not folder.exists()


def test_texts_come_back_oldest_first_in_another_process_too(folder: Path) -> None:
    assert remembering(folder, B, A, C).texts() == [B, A, C]
    assert Memory(folder, KEY).texts() == [B, A, C]
    other = subprocess.run(script(folder, "print(kept.texts())"), capture_output=True, text=True)
    assert other.stdout == f"{[B, A, C]}\n"


def test_every_token_id_comes_back(folder: Path) -> None:
    ids = [0, 1, 255, 256, 2**16, 2**31 - 1, 2**32 - 2, 7]
    assert remembering(folder, ids).texts() == [ids]
    numbers = np.arange(20, dtype=np.int32)
    assert Memory(folder, KEY).add(numbers) and Memory(folder, KEY).texts()[-1] == list(range(20))


def test_tokenizers_do_not_mix(folder: Path) -> None:
    remembering(folder, A)
    other = Memory(folder, "ffff")
    assert other.texts() == [] and other.add(B)
    assert (Memory(folder, KEY).texts(), other.texts()) == ([A], [B])


@pytest.mark.parametrize("name", ["", "../x", "a/b", "A0", "0 "])
def test_a_file_name_is_a_hex_digest_and_nothing_else(folder: Path, name: str) -> None:
    with pytest.raises(ValueError, match="hex digest"):
        Memory(folder, name)


def test_the_oldest_give_way_to_the_newest(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LARGEST", 3 * len(A) + 2)
    assert remembering(folder, A, B, C).texts() == [A, B, C], "they fit to the last token"
    longer = [4, *A]
    assert remembering(folder, longer).texts() == [C, longer]
    assert remembering(folder, [5, *A, *A]).texts()[-1] == [5, *A, *A]


def test_the_file_is_bounded(folder: Path) -> None:
    kept = Memory(folder, KEY)
    for first in range(6):
        assert kept.add([first, *range(LARGEST // 4)])
    texts = kept.texts()
    assert [text[0] for text in texts] == [3, 4, 5]
    assert sum(map(len, texts)) + len(texts) - 1 <= LARGEST
    assert file_of(folder).stat().st_size <= memory.MOST_BYTES


def test_a_text_that_is_too_long_keeps_its_end(folder: Path) -> None:
    text = list(range(LARGEST + 10))
    kept = remembering(folder, A, text)
    assert kept.texts() == [text[10:]]
    assert file_of(folder).stat().st_size == memory.MOST_BYTES
    assert kept.add(text) and kept.texts() == [text[10:]], "it is the same text still"


def test_the_same_text_moves_to_the_newest_place(folder: Path) -> None:
    assert remembering(folder, A, B, C, A).texts() == [B, C, A]


def test_the_newest_text_again_writes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = remembering(folder, A, B)
    monkeypatch.setattr(os, "replace", lambda *_: pytest.fail("it was written"))
    assert kept.add(B) and kept.texts() == [A, B]


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_fault_of_the_disk_leaves_the_old_file_and_no_other(
    folder: Path, step: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = remembering(folder, A)
    before = file_of(folder).read_bytes()

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        assert not kept.add(B)
    assert file_of(folder).read_bytes() == before
    assert sorted(os.listdir(folder)) == [file_of(folder).name, memory.LOCK]
    assert kept.add(B) and kept.texts() == [A, B]


def test_a_file_that_is_cut_off_while_it_is_written_is_never_seen(folder: Path) -> None:
    remembering(folder, A)
    code = (
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "sys.exit(kept.add(range(5000)))"
    )
    assert subprocess.run(script(folder, code)).returncode == 0, "add said False"
    assert Memory(folder, KEY).texts() == [A]
    assert sorted(os.listdir(folder)) == [file_of(folder).name, memory.LOCK]


def test_a_folder_that_cannot_be_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = Memory(tmp_path / "file" / "memory", KEY)
    assert not kept.add(A) and kept.texts() == []


def test_a_file_that_cannot_be_read_now_is_not_written_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = remembering(folder, A)

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", fail)
        assert kept.texts() == [] and not kept.add(B)
    assert kept.texts() == [A]


@pytest.mark.parametrize(("step", "found"), [("fsync", [A]), ("replace", [A]), ("close", [A, B])])
def test_a_writer_may_be_killed_at_any_step(folder: Path, step: str, found: list[int]) -> None:
    remembering(folder, A)
    kill = "lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
    done = subprocess.run(script(folder, f"os.{step} = {kill}\nkept.add({B})"))
    assert done.returncode == -signal.SIGKILL
    kept = Memory(folder, KEY)
    assert kept.texts() == found
    assert kept.add(C) and kept.texts() == [*found, C], "its lock ended with it"
    assert sorted(os.listdir(folder)) == [file_of(folder).name, memory.LOCK]


def test_two_processes_at_once_lose_nothing(folder: Path) -> None:
    code = (
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for n in range(20): assert kept.add([int(sys.argv[1]), n, 0, 0, 0, 0, 0, 0])"
    )
    both = [
        subprocess.Popen(
            [*script(folder, code), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in "78"
    ]
    for process in both:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.close()  # off they go
    for process in both:
        with process:
            assert process.wait() == 0
    texts = Memory(folder, KEY).texts()
    for name in (7, 8):
        assert [text[1] for text in texts if text[0] == name] == list(range(20))


def test_a_lock_that_stays_taken_costs_the_text_not_the_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = remembering(folder, A)
    monkeypatch.setattr(memory, "LOCK_TRIES", 2)
    with (folder / memory.LOCK).open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert not kept.add(B) and kept.texts() == [A]
        with pytest.raises(TimeoutError):
            clear(folder)
    assert kept.add(B) and kept.texts() == [A, B]


def test_nobody_else_can_read_it(folder: Path) -> None:
    before = os.umask(0)
    try:
        folder.mkdir(parents=True)
        assert mode(folder) == 0o777
        remembering(folder, A, B)
    finally:
        os.umask(before)
    assert mode(folder) == 0o700
    assert [mode(path) for path in folder.iterdir()] == [0o600, 0o600]


def test_any_flipped_byte_makes_a_file_hold_nothing(folder: Path) -> None:
    kept = remembering(folder, A, B)
    whole = file_of(folder).read_bytes()
    for place in range(len(whole)):
        broken = bytearray(whole)
        broken[place] ^= 0x10
        file_of(folder).write_bytes(broken)
        assert kept.texts() == [], place
    file_of(folder).write_bytes(whole)
    assert kept.texts() == [A, B]


def test_any_cut_makes_a_file_hold_nothing(folder: Path) -> None:
    kept = remembering(folder, A, B)
    whole = file_of(folder).read_bytes()
    for length in range(len(whole)):
        file_of(folder).write_bytes(whole[:length])
        assert kept.texts() == [], length


@pytest.mark.parametrize(
    "found",
    [
        b"",
        b"GGUF" + bytes(100),
        memory.HEADER.pack(memory.MAGIC, memory.VERSION + 1, 0),
        memory._head(bytes(4 * LARGEST + 4)) + bytes(4 * LARGEST + 4),
        memory._head(b"123456789") + b"123456789",
    ],
    ids=["empty", "foreign", "of a later version", "too large", "no whole tokens"],
)
def test_what_is_not_ours_holds_nothing_and_is_written_over(folder: Path, found: bytes) -> None:
    folder.mkdir(parents=True)
    file_of(folder).write_bytes(found)
    kept = Memory(folder, KEY)
    assert kept.texts() == []
    assert kept.add(A) and kept.texts() == [A]


def test_the_count_is_of_all_tokenizers(folder: Path) -> None:
    remembering(folder, A, B)
    Memory(folder, "ff").add([*C, 1])
    (folder / "ee.tokens").write_bytes(b"damaged")
    sizes = sum(path.stat().st_size for path in folder.glob("*.tokens"))
    assert held(folder) == Held(3, 3, 3 * len(A) + 1, sizes)


def test_clear_removes_every_memory_and_nothing_else(folder: Path) -> None:
    kept = remembering(folder, A)
    Memory(folder, "ff").add(B)
    (folder / ".ff.tokens.0a.new").write_bytes(b"a writer was killed")
    (folder / "my.tokens").touch()
    assert clear(folder) == 2
    assert sorted(os.listdir(folder)) == [memory.LOCK, "my.tokens"]
    assert kept.texts() == [] and clear(folder) == 0
    assert kept.add(C) and kept.texts() == [C]


def test_tokenizers_with_other_spellings_have_other_keys() -> None:
    keys = [
        tokenizer_key(spellings)
        for spellings in (
            [],
            [b""],
            [b"ab", b"c"],
            [b"a", b"bc"],
            [b"abc"],
            [b"c", b"ab"],
            [b"ab", b"c", b""],
        )
    ]
    assert len(set(keys)) == len(keys)
    assert tokenizer_key(iter([b"ab", b"c"])) == keys[2]
    assert all(len(key) == 16 and Memory(Path(), key) for key in keys)
