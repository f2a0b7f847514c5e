"""A GGUF file, run through llama.cpp's own calls.

Contract: `Runner` holds one model and one sequence; it decodes tokens and returns their logits. It
knows nothing about chats or questions.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

import llama_cpp as llama
import numpy as np
from numpy.typing import NDArray


@llama.llama_log_callback
def _silent(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Swallow llama.cpp's log."""


class Runner:
    """One loaded model with an empty sequence."""

    def __init__(self, path: Path, context: int, threads: int) -> None:
        llama.llama_log_set(_silent, ctypes.c_void_p(0))
        model_options = llama.llama_model_default_params()
        model_options.n_gpu_layers = 0
        self.model = llama.llama_model_load_from_file(str(path).encode(), model_options)
        if not self.model:
            raise SystemExit(f"{path} could not be loaded; export it again")
        options = llama.llama_context_default_params()
        options.n_ctx = options.n_batch = context
        options.n_threads = options.n_threads_batch = threads
        self.context = llama.llama_init_from_model(self.model, options)
        self.vocab = llama.llama_model_get_vocab(self.model)
        self.size = llama.llama_vocab_n_tokens(self.vocab)
        self.batch = llama.llama_batch_init(context, 0, 1)
        self.used = 0

    def clear(self) -> None:
        """Forget the sequence."""
        llama.llama_memory_clear(llama.llama_get_memory(self.context), True)
        self.used = 0

    def decode(self, tokens: list[int]) -> NDArray[np.float32]:
        """Append tokens; return the logits behind each, [len(tokens), size] float32."""
        self.batch.n_tokens = len(tokens)
        for place, token in enumerate(tokens):
            self.batch.token[place] = token
            self.batch.pos[place] = self.used + place
            self.batch.n_seq_id[place] = 1
            self.batch.seq_id[place][0] = 0
            self.batch.logits[place] = 1
        status = llama.llama_decode(self.context, self.batch)
        if status != 0:
            raise SystemExit(f"llama.cpp could not decode {len(tokens)} tokens: status {status}")
        self.used += len(tokens)
        first = llama.llama_get_logits(self.context)
        return np.ctypeslib.as_array(first, (len(tokens), self.size)).copy()

    def greedy(self, prompt: list[int], most: int) -> list[int]:
        """Continue a prompt by its likeliest tokens, up to and with the end of the turn."""
        self.clear()
        token = int(self.decode(prompt)[-1].argmax())
        said = [token]
        while len(said) < most and not llama.llama_vocab_is_eog(self.vocab, token):
            token = int(self.decode([token])[-1].argmax())
            said.append(token)
        return said

    def tokenize(self, text: str) -> list[int]:
        """Return a text's tokens, special ones recognised and none added."""
        raw = text.encode()
        room = len(raw) + 8
        tokens = (llama.llama_token * room)()
        count = llama.llama_tokenize(self.vocab, raw, len(raw), tokens, room, False, True)
        return list(tokens[:count])
