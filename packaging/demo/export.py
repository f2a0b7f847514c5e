"""Write a trained model as a GGUF file which llama.cpp runs.

    python export.py draft|target FILE [--exact]

Contract: matrices become Q8_0 (float32 with --exact, for comparing logits), norms stay float32; the
file carries the tokenizer, the chat template, its licence and its end-of-turn token.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Quantization
from gguf.quants import quantize
from model import Shape
from recipe import BUILD, CONTEXT, IM_END, PAD, PLANS, SPECIAL, TOKENIZER
from tokenizer import CHAT_TEMPLATE
from train import load

LICENCE_LINK = "https://docs.python.org/3/license.html"
NAMES = {
    "embed.weight": "token_embd.weight",
    "norm.weight": "output_norm.weight",
    "attention_norm.weight": "attn_norm.weight",
    "attention.q.weight": "attn_q.weight",
    "attention.k.weight": "attn_k.weight",
    "attention.v.weight": "attn_v.weight",
    "attention.out.weight": "attn_output.weight",
    "feed_norm.weight": "ffn_norm.weight",
    "feed.gate.weight": "ffn_gate.weight",
    "feed.up.weight": "ffn_up.weight",
    "feed.down.weight": "ffn_down.weight",
}


def gguf_name(name: str) -> str:
    """Return a weight's name in a GGUF file: `blocks.0.feed.up.weight` is `blk.0.ffn_up.weight`."""
    if not name.startswith("blocks."):
        return NAMES[name]
    _, number, rest = name.split(".", 2)
    return f"blk.{number}.{NAMES[rest]}"


def add_sizes(writer: gguf.GGUFWriter, shape: Shape) -> None:
    """Write the architecture's numbers."""
    writer.add_vocab_size(shape.vocab)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(shape.head_dim)
    writer.add_value_length(shape.head_dim)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.norm_eps)


def add_about(writer: gguf.GGUFWriter, model: str) -> None:
    """Write the name, the licence and what the text was."""
    writer.add_name(f"Slipstream demo {model}")
    writer.add_description("Answers questions about Python's standard library from its docstrings.")
    writer.add_author("the Slipstream authors")
    writer.add_license("MIT AND PSF-2.0")
    writer.add_license_name("Weights: MIT. Text, from Python's documentation strings: PSF-2.0.")
    writer.add_license_link(LICENCE_LINK)
    writer.add_languages(["en"])


def add_tokenizer(writer: gguf.GGUFWriter, path: Path) -> None:
    """Write the byte-level BPE, its special tokens and the chat template."""
    saved = json.loads(path.read_text("utf-8"))["model"]
    tokens = sorted(saved["vocab"], key=saved["vocab"].__getitem__)
    merges = [m if isinstance(m, str) else " ".join(m) for m in saved["merges"]]
    control, normal = gguf.TokenType.CONTROL, gguf.TokenType.NORMAL
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([control if token in SPECIAL else normal for token in tokens])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index(PAD))
    writer.add_eos_token_id(tokens.index(IM_END))
    writer.add_eot_token_id(tokens.index(IM_END))
    writer.add_pad_token_id(tokens.index(PAD))
    writer.add_add_bos_token(False)
    writer.add_add_eos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def add_weights(writer: gguf.GGUFWriter, weights: dict[str, Any], exact: bool) -> None:
    """Write every weight; matrices quantised unless `exact`."""
    for name, weight in weights.items():
        values = weight.numpy().astype(np.float32)
        if values.ndim == 1 or exact:
            writer.add_tensor(gguf_name(name), values)
        else:
            blocks = quantize(values, Quantization.Q8_0)
            writer.add_tensor(gguf_name(name), blocks, raw_dtype=Quantization.Q8_0)


def export(model: str, file: Path, *, exact: bool = False) -> None:
    """Write the newest checkpoint of `model` to `file`."""
    state = load(BUILD / f"{model}.pt")
    fresh = file.with_suffix(".new")
    writer = gguf.GGUFWriter(fresh, "llama")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32 if exact else gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    add_about(writer, model)
    add_sizes(writer, Shape(**state["shape"]))
    add_tokenizer(writer, TOKENIZER)
    add_weights(writer, state["optimiser"]["weights"], exact)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    fresh.replace(file)
    print(f"{file}: step {state['step']}, {file.stat().st_size:,} bytes")


def main() -> None:
    """Export the model which the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=sorted(PLANS))
    parser.add_argument("file", type=Path)
    parser.add_argument("--exact", action="store_true")
    chosen = parser.parse_args()
    export(chosen.model, chosen.file, exact=chosen.exact)


if __name__ == "__main__":
    main()
