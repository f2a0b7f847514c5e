"""The header is read as gguf writes it, or refused in one of two ways, whatever the bytes are."""

from __future__ import annotations

import os
import random
import struct
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from hypothesis import given
from hypothesis import strategies as st

from app.models import header
from app.models.header import MOST_KEPT, MOST_READ, Header, read_header
from tests.pair import DRAFT, TARGET


def written(path: Path, *tensors: tuple[int, ...], **values: object) -> Path:
    """Write a file with values of each kind by gguf's own writer."""
    writer = GGUFWriter(path, "llama")
    for name, value in values.items():
        if isinstance(value, list):
            writer.add_array(name, value)
        elif isinstance(value, str):
            writer.add_string(name, value)
        else:
            kind, number = value  # type: ignore[misc]
            getattr(writer, f"add_{kind}")(name, number)
    for i, shape in enumerate(tensors):
        writer.add_tensor(f"t{i}", np.zeros(shape, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def raw(*parts: bytes, tensors: int = 0, keys: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + b"".join(parts)


def text(word: str | bytes) -> bytes:
    encoded = word if isinstance(word, bytes) else word.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def read(content: bytes, folder: Path) -> Header:
    path = folder / "x.gguf"
    path.write_bytes(content)
    return read_header(path)


def test_every_kind_of_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    values = {
        "uint8": 255,
        "int8": -128,
        "uint16": 65535,
        "int16": -32768,
        "uint32": 2**32 - 1,
        "int32": -(2**31),
        "uint64": 2**64 - 1,
        "int64": -(2**63),
        "float32": 0.5,
        "float64": 1e300,
        "bool": True,
    }
    kinds = {f"a_{kind}": (kind, value) for kind, value in values.items()}
    path = written(
        tmp_path / "x.gguf", a_text="größer\n", numbers=[1, 2, 3], floats=[0.5, -1.5], **kinds
    )
    keys = read_header(path).keys
    assert {kind: keys[f"a_{kind}"] for kind in values} == values
    assert (keys["a_text"], keys["general.architecture"]) == ("größer\n", "llama")
    assert (keys["numbers"], keys["floats"]) == ((1, 2, 3), (0.5, -1.5))


@pytest.mark.parametrize("path", [TARGET, DRAFT], ids=lambda path: path.name)
def test_the_embedded_files_are_read_as_gguf_reads_them(path: Path) -> None:
    found, reader = read_header(path), GGUFReader(path)
    names = {name for name in reader.fields if not name.startswith("GGUF.")}
    assert found.keys.keys() == names
    assert found.n_weights == sum(int(np.prod(tensor.shape)) for tensor in reader.tensors)
    for name, value in found.keys.items():
        content = reader.fields[name].contents()
        if isinstance(content, list) and not isinstance(value, tuple):
            content = len(content)
        assert value == (tuple(content) if isinstance(value, tuple) else content), name


def test_long_lists_are_counted_and_short_ones_kept(tmp_path: Path) -> None:
    words = ["", "ü", "x" * 5000, *(f"token {i}" for i in range(200_000))]
    path = written(
        tmp_path / "x.gguf",
        (3, 5),
        (7,),
        words=words,
        kept=list(range(MOST_KEPT)),
        counted=list(range(MOST_KEPT + 1)),
        behind="all of them",
    )
    found = read_header(path)
    assert found.keys["words"] == len(words)
    assert found.keys["kept"] == tuple(range(MOST_KEPT))
    assert found.keys["counted"] == MOST_KEPT + 1
    assert found.keys["behind"] == "all of them"
    assert found.n_weights == 3 * 5 + 7


def test_a_file_cut_anywhere_in_its_header_is_refused(tmp_path: Path) -> None:
    ends = {(): b"the end", (2,): b"\0" * 8}
    for shape, end in ends.items():
        tensors = [shape] if shape else []
        path = written(
            tmp_path / "x.gguf", *tensors, numbers=[1, 2], long=list(range(5000)), last="the end"
        )
        whole = path.read_bytes()
        last = whole.index(b"the end") + len(b"the end")
        entry = struct.calcsize("<Q2sIQIQ") if shape else 0
        assert whole[: last + entry].endswith(end)
        read(whole[: last + entry], tmp_path)
        for size in {*range(120), *range(120, last, 997), *range(last - 60, last + entry)}:
            with pytest.raises(ValueError):
                read(whole[:size], tmp_path)


HOSTILE = {
    "empty": b"",
    "another file": b"PK\x03\x04" + bytes(64),
    "big-endian": b"GGUF" + struct.pack(">IQQ", 3, 0, 0),
    "a version to come": raw(version=4),
    "more keys than bytes": raw(keys=2**64 - 1),
    "more tensors than bytes": raw(tensors=2**64 - 1),
    "a text without end": raw(struct.pack("<Q", 2**64 - 1), keys=1),
    "a text beyond the end": raw(text("k"), struct.pack("<IQ", 8, 100), b"short", keys=1),
    "a list without end": raw(text("k"), struct.pack("<IIQ", 9, 0, 2**64 - 1), keys=1),
    "a long list beyond the end": raw(text("k"), struct.pack("<IIQ", 9, 0, 5000), keys=1),
    "texts without end": raw(text("k"), struct.pack("<IIQ", 9, 8, 2**64 - 1), keys=1),
    "a list of lists": raw(text("k"), struct.pack("<IIQ", 9, 9, 1), keys=1),
    "a kind that is none": raw(text("k"), struct.pack("<I", 13), bytes(64), keys=1),
    "a key twice": raw((text("k") + struct.pack("<IB", 0, 1)) * 2, keys=2),
    "a tensor of many dimensions": raw(
        text("t"), struct.pack("<I", 10**6), struct.pack("<Q", 2**63) * 10**4, tensors=1
    ),
    "zeros that are keys": raw(bytes(10**6), keys=2**63),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_header_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(content, tmp_path)


def test_damaged_bytes_are_read_or_refused_and_nothing_else(tmp_path: Path) -> None:
    begin, n_refused = DRAFT.read_bytes()[: 2**12], 0
    for seed in range(300):
        rng = random.Random(seed)
        content = bytearray(begin + bytes(rng.randrange(2**12)))
        for _ in range(rng.randrange(1, 40)):
            content[rng.randrange(4, rng.choice((200, len(content))))] = rng.randrange(256)
        try:
            assert read(bytes(content), tmp_path).n_weights >= 0
        except (ValueError, OSError) as error:
            n_refused += 1
            assert str(error)
    assert n_refused


@given(st.binary(max_size=200), st.integers(0, 4), st.integers(0, 4))
def test_random_bytes_are_read_or_refused(content: bytes, tensors: int, keys: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = read(raw(content, tensors=tensors, keys=keys), Path(folder))
        except (ValueError, OSError):
            return
        assert len(found.keys) == keys


def test_what_cannot_be_opened_is_an_error_of_the_system(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.gguf"):
        with pytest.raises(OSError):
            read_header(path)


def test_counts_beyond_reason_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.gguf"
    texts = raw(text("k"), struct.pack("<IIQ", 9, 8, 2**40), keys=1)
    for content in (texts, raw(keys=2**20), raw(tensors=2**20)):
        path.write_bytes(content)
        os.truncate(path, 2**36)
        with pytest.raises(ValueError, match=f"{2**40} texts|{2**20} (keys|tensors)"):
            read_header(path)


def test_more_text_than_any_header_has_is_refused_and_not_read(tmp_path: Path) -> None:
    path, long = tmp_path / "sparse.gguf", struct.pack("<Q", MOST_READ + 1)
    key = raw(long, keys=1)
    value = raw(text("k"), struct.pack("<I", 8), long, keys=1)
    name = raw(long, tensors=1)
    for content in (key, value, name):
        path.write_bytes(content)
        os.truncate(path, 2**36)
        tracemalloc.start()
        with pytest.raises(ValueError, match=r"^\d+ bytes of text$"):
            read_header(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < MOST_READ


def test_texts_that_are_too_much_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(header, "MOST_READ", 10)
    entries = [text(word) + struct.pack("<I", 8) + text(b"1234") for word in "abc"]
    assert read(raw(*entries[:2], keys=2), tmp_path).keys == {"a": "1234", "b": "1234"}
    with pytest.raises(ValueError, match="11 bytes of text"):
        read(raw(*entries, keys=3), tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(ValueError, match="regular file"):
        read_header(tmp_path / "pipe.gguf")


def test_bytes_that_are_no_text_are_replaced(tmp_path: Path) -> None:
    content = raw(text("k"), struct.pack("<I", 8), text(b"\xff\xfe"), keys=1)
    assert read(content, tmp_path).keys == {"k": "\N{REPLACEMENT CHARACTER}" * 2}


def test_weights_are_counted_whatever_they_are_stored_as(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    writer = GGUFWriter(path, "llama")
    block = np.zeros((4, 34), dtype=np.uint8)
    writer.add_tensor("q", block, raw_dtype=GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert read_header(path).n_weights == 4 * 32
