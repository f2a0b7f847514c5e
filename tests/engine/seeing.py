"""Tiny models that see, what tests ask them, and a reference of few lines.

The reference hands the whole prompt to mtmd's own helper and draws by argmax, with no engine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import llama_cpp
import numpy as np
from llama_cpp import mtmd_cpp as mtmd

from engine.llama import log
from engine.llama.context import Context
from engine.llama.model import Model
from engine.messages import Message, Picture
from engine.settings import PairSettings, SamplingSettings
from tests import tiny
from tests.tiny.projector import write_projector

WIDTH = 64
AROUND = ("<fake_token_around_image>", "<global-img>", "\n\n")
"""What a tiled picture has around it."""
WARM = SamplingSettings(temperature=0.8, seed=7)
DIGITS = SamplingSettings(
    temperature=0.0, logit_bias={token: -1e6 for token in range(266) if not 48 <= token < 58}
)
"""Has a tiny model say what is tokenized as it was said, which noise seldom is."""
QUESTION = "What is this, and what is that?"


@dataclass(frozen=True, slots=True)
class Pair:
    """A target that sees, a draft model that does not, and the files of both."""

    target: Path
    draft: Path
    projector: Path

    def settings(self, **others: object) -> PairSettings:
        given: dict[str, object] = {
            "target": str(self.target),
            "draft": str(self.draft),
            "mmproj": str(self.projector),
            "draft_tokens": 4,
            "threads": 1,
            "gpu_layers": 0,  # as the reference's
            **others,
        }
        return PairSettings(**given)  # type: ignore[arg-type]


def written(kind: str, arch: str, folder: Path, controls: Sequence[str] = AROUND) -> Pair:
    """Write the files of a pair. controls: of `tiny.write`."""
    target = tiny.write(arch, folder / "target.gguf", controls=controls)
    draft = tiny.write(arch, folder / "draft.gguf", controls=controls, noise=0.02)
    return Pair(target, draft, write_projector(kind, folder / "mmproj.gguf", WIDTH))


def user(text: str, *pictures: Picture) -> Message:
    return Message(role="user", content=text, pictures=list(pictures))


def reference(pair: Pair, question: str, pictures: Sequence[Picture], n: int) -> list[int]:
    """Return what plain greedy decoding says to pictures and a question, by mtmd's own helper."""
    log.capture()
    model = Model(str(pair.target), gpu_layers=0)
    context = Context(model, 512, threads=1)
    params = mtmd.mtmd_context_params_default()
    params.use_gpu, params.n_threads = False, 1
    projector = mtmd.mtmd_init_from_file(str(pair.projector).encode(), model.handle, params)
    marker = mtmd.mtmd_default_marker().decode()
    prompt = (
        f"<|im_start|>user\n{marker * len(pictures)}{question}<|im_end|>\n<|im_start|>assistant\n"
    ).encode()
    text = mtmd.mtmd_input_text(prompt, len(prompt), False, True)
    bitmaps = [
        mtmd.mtmd_helper_bitmap_init_from_file(projector, picture.path.encode(), False)
        for picture in pictures
    ]
    array = (ctypes.c_void_p * len(bitmaps))(*bitmaps)
    chunks = mtmd.mtmd_input_chunks_init()
    try:
        assert not mtmd.mtmd_tokenize(projector, chunks, ctypes.byref(text), array, len(bitmaps))
        past = llama_cpp.llama_pos(0)
        assert not mtmd.mtmd_helper_eval_chunks(
            projector, context.handle, chunks, 0, 0, context.n_batch, True, ctypes.byref(past)
        )
        return list(_greedy(context, past.value, n))
    finally:
        mtmd.mtmd_input_chunks_free(chunks)
        for bitmap in bitmaps:
            mtmd.mtmd_bitmap_free(bitmap)
        mtmd.mtmd_free(projector)
        context.free()
        model.free()


def _greedy(context: Context, at: int, n: int) -> Iterator[int]:
    row = llama_cpp.llama_get_logits_ith(context.handle, -1)
    token = int(np.ctypeslib.as_array(row, (context.n_vocab,)).argmax())
    for i in range(n):
        yield token
        token = int(context.decode([token], at + i, 1)[0].argmax())
