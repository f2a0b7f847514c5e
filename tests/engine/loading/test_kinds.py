"""Models that do not go on with a text, word by word, are refused with what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gguf import GGMLQuantizationType, PoolingType

from engine.assemble import Engine
from engine.errors import ModelFileError
from engine.settings import PairSettings
from tests import tiny
from tests.engine.in_process import loaded
from tests.tiny import dense
from tests.tiny.file import ModelFile, Sizes
from tests.tiny.vocabulary import vocabulary

N, N_FF, N_CTX, BUCKETS, HEADS = 64, 96, 512, 32, 4


def bert(file: ModelFile, n_vocab: int) -> None:
    """What embeddings are made with: it has no memory, and says nothing."""
    file.keys.add_layer_norm_eps(1e-5)
    file.keys.add_causal_attention(False)
    file.keys.add_token_type_count(2)
    file.keys.add_pooling_type(PoolingType.MEAN)
    for name, n_out in (("token_embd", n_vocab), ("position_embd", N_CTX), ("token_types", 2)):
        file.matrix(name, n_out, N)
    for norm in ("token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"):
        file.norm(norm, N)
        file.spread(f"{norm}.bias", (N,), -0.1, 0.1)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        file.matrix(f"blk.0.{name}", N, N)
    file.matrix("blk.0.ffn_up", N_FF, N)
    file.matrix("blk.0.ffn_down", N, N_FF)


def t5(file: ModelFile, n_vocab: int) -> None:
    """A translator: it says what follows only behind what its other half has read."""
    file.keys.add_layer_norm_rms_eps(1e-5)
    file.keys.add_relative_attn_buckets_count(BUCKETS)
    file.matrix("token_embd", n_vocab, N)
    for half, attentions in (("enc", ("attn",)), ("dec", ("attn", "cross_attn"))):
        block = f"{half}.blk.0"
        file.norm(f"{half}.output_norm", N)
        file.spread(f"{block}.attn_rel_b.weight", (BUCKETS, HEADS), -0.1, 0.1)
        for attention in attentions:
            file.norm(f"{block}.{attention}_norm", N)
            for name in "qkvo":
                file.matrix(f"{block}.{attention}_{name}", N, N)
        file.norm(f"{block}.ffn_norm", N)
        file.matrix(f"{block}.ffn_up", N_FF, N)
        file.matrix(f"{block}.ffn_down", N, N_FF)


def written(build: Callable[[ModelFile, int], None], path: Path) -> str:
    file, tokens = ModelFile(build.__name__, 0, 0.0, 1, GGMLQuantizationType.F32), vocabulary(0)
    file.keys.add_context_length(N_CTX)
    file.keys.add_embedding_length(N)
    file.keys.add_block_count(1)
    file.keys.add_feed_forward_length(N_FF)
    file.keys.add_head_count(HEADS)
    build(file, len(tokens.texts))
    tokens.describe(file.keys)
    return str(file.save(path))


@pytest.mark.parametrize("build", [bert, t5])
def test_a_model_that_goes_on_with_no_text_is_refused_with_what_it_is(
    build: Callable[[ModelFile, int], None], tmp_path: Path
) -> None:
    path = written(build, tmp_path / "model.gguf")
    with pytest.raises(ModelFileError, match="does not go on with a text") as refused:
        Engine(PairSettings(target=path, threads=1, gpu_layers=0))
    assert path in str(refused.value) and build.__name__ in str(refused.value)
    target = str(tiny.write("llama", tmp_path / "target.gguf"))
    with loaded(PairSettings(target=target, draft=path, threads=1, gpu_layers=0)) as engine:
        assert "does not go on with a text" in engine.ready(1).draft_refused


def test_a_model_made_for_embeddings_is_used_and_doubted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pooling(file: ModelFile, sizes: Sizes) -> None:
        dense.qwen3(file, sizes)
        file.keys.add_pooling_type(PoolingType.LAST)

    usual = str(tiny.write("qwen3", tmp_path / "usual.gguf"))
    with loaded(PairSettings(target=usual, threads=1, gpu_layers=0)) as engine:
        assert not [each for each in engine.ready(1).notices if "embeddings" in each]
    monkeypatch.setitem(tiny.BUILDERS, "qwen3", pooling)
    made_for_it = str(tiny.write("qwen3", tmp_path / "embedding.gguf"))
    with loaded(PairSettings(target=made_for_it, threads=1, gpu_layers=0)) as engine:
        assert [each for each in engine.ready(1).notices if "made for embeddings" in each]
