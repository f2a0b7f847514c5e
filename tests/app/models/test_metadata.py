"""What a file says of itself is told as it is, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf import GGUFReader, GGUFWriter, LlamaFileType

from app.errors import CatalogError
from app.models.metadata import KINDS, read_metadata
from tests import tiny
from tests.pair import DRAFT, TARGET


@pytest.mark.parametrize("path", [TARGET, DRAFT], ids=lambda path: path.name)
def test_the_embedded_files_are_told_as_gguf_reads_them(path: Path) -> None:
    found, reader = read_metadata(path), GGUFReader(path)

    def field(name: str) -> object:
        return reader.fields[name].contents()

    assert (found.name, found.architecture) == (field("general.name"), "llama")
    assert found.quantisation == "Q8_0"
    assert found.layers == field("llama.block_count")
    assert found.context == field("llama.context_length")
    assert found.vocabulary == 4096
    assert found.licence == field("general.license")
    assert found.has_template


def test_the_kinds_are_llama_cpps() -> None:
    theirs = {kind.value: kind.name.removeprefix("MOSTLY_") for kind in LlamaFileType}
    theirs[LlamaFileType.ALL_F32] = "F32"
    assert {number: theirs[number] for number in KINDS} == KINDS


@pytest.mark.parametrize("arch", ["gemma3", "mamba", "lfm2"])
def test_other_architectures_are_told_too(arch: str, tmp_path: Path) -> None:
    found = read_metadata(tiny.write(arch, tmp_path / "tiny.gguf"))
    assert found.architecture == arch
    assert found.layers and found.vocabulary and found.n_weights


def test_what_a_file_leaves_out_or_says_in_a_foreign_way_is_none(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_uint32("general.name", 7)
    writer.add_string("general.file_type", "Q8_0")
    writer.add_array("general.license", [1, 2])
    writer.add_array("llama.block_count", [1, 2])
    writer.add_float32("llama.context_length", 0.5)
    writer.add_string("tokenizer.ggml.tokens", "abc")
    writer.add_uint32("tokenizer.chat_template", 1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    found = read_metadata(path)
    assert found.architecture == "llama"
    told = (found.name, found.quantisation, found.layers, found.context, found.vocabulary)
    assert (*told, found.licence, found.has_template) == (None,) * 6 + (False,)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"PK\x03\x04" * 20], ids=repr)
def test_what_is_no_model_is_said_in_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(CatalogError) as refused:
        read_metadata(path)
    assert str(refused.value).startswith(f"{path} cannot be read as GGUF: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("left", [0.1, 0.5, 0.9])
def test_a_file_that_is_cut_off_is_not_told_as_a_model(left: float, tmp_path: Path) -> None:
    whole = DRAFT.read_bytes()
    path = tmp_path / "x.gguf"
    path.write_bytes(whole[: int(len(whole) * left)])
    with pytest.raises(CatalogError, match=r"x\.gguf is cut off: of more than .* it has .*B\."):
        read_metadata(path)


def test_what_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="No such file"):
        read_metadata(tmp_path / "x.gguf")
