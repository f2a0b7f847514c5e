"""figures.py: a file says of itself what gguf reads in it; what is not known stays unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from gguf.quants import quantize

from app.models.catalog import ModelSpec, load_catalog
from app.models.figures import Figures, of_file, of_spec
from tests import tiny
from tests.pair import DRAFT, TARGET

TRANSFORMERS = ("llama", "qwen2", "qwen3", "gemma3")
KEEP_STATES = ("mamba", "mamba2", "rwkv7", "granitehybrid", "lfm2", "qwen35")


@pytest.mark.parametrize("path", [TARGET, DRAFT])
def test_the_catalogue_agrees_with_the_embedded_files(path: Path) -> None:
    catalog = load_catalog()
    spec = next(spec for spec in catalog.models.values() if spec.embedded == path.name)
    said, read = of_spec(spec), of_file(path)
    for name in (*ESSENTIAL, "context"):
        assert getattr(said, name) == getattr(read, name), name


@pytest.mark.parametrize("arch", TRANSFORMERS)
def test_a_file_is_read_as_gguf_reads_it(arch: str, tmp_path: Path) -> None:
    path = tiny.write(arch, tmp_path / "tiny.gguf", n_vocab_extra=7)
    found = of_file(path)
    reader = GGUFReader(path)

    def field(name: str) -> int:
        return int(reader.fields[f"{arch}.{name}"].contents())

    width = field("attention.key_length") + field("attention.value_length")
    assert found.layers == field("block_count")
    assert found.heads == field("attention.head_count")
    assert found.vocabulary == len(reader.fields["tokenizer.ggml.tokens"].contents())
    assert found.context == field("context_length")
    assert found.embedding == field("embedding_length")
    assert found.kv_bytes_per_token == (2 * found.layers * field("attention.head_count_kv") * width)
    assert found.weights_bytes == path.stat().st_size
    assert not found.missing


@pytest.mark.parametrize("arch", KEEP_STATES)
def test_a_model_that_keeps_more_than_positions_has_an_unknown_cache(
    arch: str, tmp_path: Path
) -> None:
    found = of_file(tiny.write(arch, tmp_path / "tiny.gguf"))
    assert found.kv_bytes_per_token is None
    assert found.missing


def test_heads_may_be_given_for_each_layer(tmp_path: Path) -> None:
    path = tmp_path / "listed.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(3)
    writer.add_embedding_length(64)
    writer.add_head_count([4, 8, 4])
    writer.add_head_count_kv([1, 2, 1])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    found = of_file(path)
    assert (found.heads, found.kv_bytes_per_token) == (8, 2 * 4 * (8 + 8))
    assert found.vocabulary is None


def test_of_a_file_in_parts_the_size_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "model-00001-of-00003.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_uint16("split.count", 3)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    assert of_file(path).weights_bytes is None


def test_what_is_no_whole_header_has_a_size_and_no_figures(tmp_path: Path) -> None:
    whole = TARGET.read_bytes()[:4000]
    for n, data in enumerate((b"", b"GGUF", b"no model at all" * 9, whole, whole[:300])):
        path = tmp_path / f"{n}.gguf"
        path.write_bytes(data)
        assert of_file(path) == Figures(weights_bytes=len(data)), data[:20]


def test_what_the_catalogue_leaves_out_stays_unknown() -> None:
    spec = ModelSpec(repo="a/b", file="c-Q4_K_M.gguf", vocabulary=9)
    assert of_spec(spec) == Figures(vocabulary=9)
    assert of_spec(spec).missing == ["size", "layers", "heads", "cache bytes per token"]


def test_packed_weights_grow_where_the_kind_is_q8_0() -> None:
    of_kind = {
        kind: of_spec(ModelSpec(repo="a/b", file=f"c-{kind}.gguf", size=3400)).packed_bytes
        for kind in ("Q8_0", "Q4_K_M")
    }
    assert of_kind == {"Q8_0": 3800, "Q4_K_M": 3400}


def test_an_embedding_table_that_is_the_output_too_is_there_twice_once_packed() -> None:
    tensors = {tensor.name: tensor for tensor in GGUFReader(TARGET).tensors}
    assert "output.weight" not in tensors
    found, size = of_file(TARGET), TARGET.stat().st_size
    assert found.tied_bytes == tensors["token_embd.weight"].n_bytes
    assert found.packed_bytes == int(size * 38 / 34) + found.tied_bytes
    assert found.weights_bytes == size


@pytest.mark.parametrize(
    ("weight_type", "has_output"), [("Q8_0", True), ("F16", False), ("Q8_0", False)]
)
def test_only_what_is_packed_is_there_twice(
    tmp_path: Path, weight_type: str, has_output: bool
) -> None:
    path, kind = tmp_path / "m.gguf", GGMLQuantizationType[weight_type]
    writer = GGUFWriter(path, "llama")
    for name in ("token_embd.weight", *(["output.weight"] * has_output)):
        table = quantize(np.zeros((4, 64), dtype=np.float32), kind)
        writer.add_tensor(name, table, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    is_twice = weight_type == "Q8_0" and not has_output
    assert of_file(path).tied_bytes == (4 * 64 * 34 // 32 if is_twice else 0)


ESSENTIAL = ("weights_bytes", "layers", "heads", "kv_bytes_per_token", "vocabulary")


@pytest.mark.parametrize("odd", ["block_count", "embedding_length", "context_length"])
def test_a_number_that_is_a_text_or_a_list_is_unknown(odd: str, tmp_path: Path) -> None:
    for value in ("many", [1, 2]):
        path = tmp_path / "odd.gguf"
        writer = GGUFWriter(path, "llama")
        writer.add_uint32("split.count", 1)
        if isinstance(value, str):
            writer.add_string(f"llama.{odd}", value)
        else:
            writer.add_array(f"llama.{odd}", value)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        found = of_file(path)
        assert (found.layers, found.embedding, found.context) == (None, None, None)
