"""Tiny random GGUF models, written by the tests that need them: every kind of memory, no download.

Contract: `write` gives a file that llama.cpp loads and decodes on a CPU. Equal arguments give equal
bytes. Scores spread by 2 to 4 over the vocabulary and depend on tokens dozens of positions back;
control and filler tokens score near zero, so answers rarely end by themselves. A file with noise is
a draft model for the file without. Knows nothing about the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gguf import GGMLQuantizationType

from tests.tiny import dense, hybrid, recurrent
from tests.tiny.file import ModelFile, Sizes
from tests.tiny.vocabulary import CHAT_TEMPLATE, vocabulary

__all__ = ["ARCHITECTURES", "write"]

BUILDERS: dict[str, Callable[[ModelFile, Sizes], None]] = {
    "llama": dense.llama,
    "qwen2": dense.qwen2,
    "qwen2vl": dense.qwen2vl,
    "qwen3": dense.qwen3,
    "gemma3": dense.gemma3,
    "mamba": recurrent.mamba,
    "mamba2": recurrent.mamba2,
    "rwkv7": recurrent.rwkv7,
    "granitehybrid": hybrid.granitehybrid,
    "lfm2": hybrid.lfm2,
    "qwen35": hybrid.qwen35,
}
ARCHITECTURES = tuple(BUILDERS)


def write(
    arch: str,
    path: Path,
    *,
    seed: int = 0,
    n_vocab_extra: int = 0,
    noise: float = 0.0,
    noise_seed: int = 1,
    n_ctx: int = 1024,
    weight_type: GGMLQuantizationType = GGMLQuantizationType.F32,
    controls: Sequence[str] = (),
    template: str = CHAT_TEMPLATE,
    defined: Sequence[str] = (),
    wraps: bool = False,
) -> Path:
    """Write a model of `arch` (one of ARCHITECTURES) to `path`, and return that.

    n_vocab_extra: filler tokens after the others, whose weights they leave as they are.
    noise: every weight is multiplied by 1 + noise * N(0, 1), drawn from noise_seed.
    weight_type: of matrices whose rows fill its blocks; all else is F32.
    controls: control tokens beside ChatML's; template: the chat template; defined: user-defined
    tokens, which llama.cpp parses in any text. wraps: a text begins with BOS and ends with EOS.
    """
    tokens = vocabulary(n_vocab_extra, controls, template, defined, wraps)
    file = ModelFile(arch, seed, noise, noise_seed, weight_type)
    BUILDERS[arch](file, Sizes(n_vocab=len(tokens.texts), n_named=tokens.n_named, n_ctx=n_ctx))
    tokens.describe(file.keys)
    return file.save(path)
