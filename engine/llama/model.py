"""A loaded GGUF model: its weights, metadata and vocabulary; text to tokens and back.

Knows no context, cache or sampling.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import llama_cpp

from engine.errors import ModelFileError
from engine.llama import log
from engine.llama.devices import CPU, device_name, rearranges_weights
from engine.llama.refusal import refusal
from engine.prompt.tags import MARK, apart, controlled

GGUF_MAGIC = b"GGUF"
ALL_LAYERS = -1
NO_DEVICES = (ctypes.c_void_p * 1)(None)
"""The list of devices ends with a null."""
PIECE_BYTES = 256
NO_VOCABULARY = 0
GPU_FULL = "Try fewer --gpu-layers, for a draft model --gpu-layers-draft, or a smaller model."
MEMORY_FULL = "Close other programs, or try a smaller model."


class Model:
    """One model in memory. Call `free` when done; contexts over it must be freed before.

    gpu_layers: None offloads every layer that the build can offload; with 0 no GPU is touched:
    llama.cpp would else compute batches of prompts there, layer by layer.
    use_extra_bufts: lets llama.cpp rearrange weights for its quickest kernels. progress: called
    with 0…1 while the file loads.
    Raises ModelFileError if the file is missing, no GGUF, or refused by llama.cpp; NoRoom for want
    of memory.
    """

    def __init__(
        self,
        path: str,
        gpu_layers: int | None = None,
        use_extra_bufts: bool = True,
        progress: Callable[[float], None] = lambda _: None,
    ) -> None:
        check_file(path)
        self.path = path
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = ALL_LAYERS if gpu_layers is None else gpu_layers
        if gpu_layers == 0:
            params.devices = ctypes.addressof(NO_DEVICES)
        params.use_extra_bufts = use_extra_bufts
        if use_extra_bufts and rearranges_weights(gpu_layers):
            params.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE

        def report(done: float, _user_data: object) -> bool:
            progress(done)
            return True  # go on loading

        callback = llama_cpp.llama_progress_callback(report)
        params.progress_callback = callback
        log.forget()
        self.handle = llama_cpp.llama_model_load_from_file(path.encode(), params)
        if not self.handle:
            is_on_gpu = device_name(gpu_layers) != CPU
            raise refusal(f"load {path}", GPU_FULL if is_on_gpu else MEMORY_FULL)
        self._vocab = llama_cpp.llama_model_get_vocab(self.handle)
        if self.vocab_type == NO_VOCABULARY:
            self.free()
            raise ModelFileError(f"{path} has no tokenizer.", "Give a model that has one.")
        self.n_vocab: int = llama_cpp.llama_vocab_n_tokens(self._vocab)
        self.n_ctx_train: int = llama_cpp.llama_model_n_ctx_train(self.handle) % 2**32
        self._pieces: dict[int, bytes] = {}
        self._piece_buffer = ctypes.create_string_buffer(PIECE_BYTES)
        self._ends: dict[int, bool] = {}
        self._tags = {
            token for tag in controlled(self.tokenize) for token in self.tokenize(tag, special=True)
        }

    def free(self) -> None:
        """Release the weights. Safe to call twice."""
        if self.handle:
            llama_cpp.llama_model_free(self.handle)
            self.handle = None

    @property
    def bos(self) -> int:
        """The token that begins a text, -1 if there is none."""
        return int(llama_cpp.llama_vocab_bos(self._vocab))

    @property
    def eos(self) -> int:
        """The token that ends a text, -1 if there is none."""
        return int(llama_cpp.llama_vocab_eos(self._vocab))

    @property
    def architecture(self) -> str:
        """What the file calls the kind of its model, such as "llama"."""
        return self._said("general.architecture")

    @property
    def pools(self) -> bool:
        """Whether the file says that one vector is to be made of a whole text: an embedding."""
        return self._said(f"{self.architecture}.pooling_type") not in ("", "0")

    def _said(self, key: str) -> str:
        """Return what the file says under this key, a short text; "": nothing."""
        found = ctypes.create_string_buffer(64)
        llama_cpp.llama_model_meta_val_str(self.handle, key.encode(), found, len(found))
        return found.value.decode("utf-8", "replace")

    @property
    def is_recurrent(self) -> bool:
        """Whether some or all layers keep a running state in place of positions."""
        return bool(
            llama_cpp.llama_model_is_recurrent(self.handle)
            or llama_cpp.llama_model_is_hybrid(self.handle)
        )

    @property
    def adds_bos(self) -> bool:
        """Whether prompts begin with `bos`."""
        return bool(llama_cpp.llama_vocab_get_add_bos(self._vocab))

    @property
    def vocab_type(self) -> int:
        """llama.cpp's kind of vocabulary (SPM, BPE, …); 0 means that the file has none."""
        return int(llama_cpp.llama_vocab_type(self._vocab))

    @property
    def chat_template(self) -> str | None:
        """The file's own Jinja chat template."""
        found = llama_cpp.llama_model_chat_template(self.handle, None)
        return found.decode("utf-8", "replace") if found else None

    def is_end(self, token: int) -> bool:
        """Whether the token ends generation (EOS, EOT and their like)."""
        found = self._ends.get(token)
        if found is None:
            found = self._ends[token] = bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))
        return found

    def token_text(self, token: int) -> bytes:
        """Return the vocabulary's own spelling of a token, for comparing vocabularies."""
        return llama_cpp.llama_vocab_get_text(self._vocab, token) or b""

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Split text into tokens. special: text such as "<|im_end|>" becomes control tokens.

        llama.cpp takes tokens that a vocabulary's makers defined for what they spell in any text;
        here the marks among them are cut apart, so that none comes of it. No list of them is read
        at load, which would take a large vocabulary long: each mark that a text spells is tried.
        """
        marks = () if special else list(filter(self._is_parsed, set(MARK.findall(text))))
        parts = apart(marks).split(text) if marks else [text]
        tokens = self._tokenized(parts[0], special)
        for part in parts[1:]:
            tokens += self._tokenized(part, special)
        return tokens

    def _is_parsed(self, mark: str) -> bool:
        """Whether a mark becomes the token of this spelling, although it stands in plain text."""
        return mark.encode("utf-8", "replace") in map(self.token_text, self._tokenized(mark, False))

    def _tokenized(self, text: str, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        while True:
            tokens = (llama_cpp.llama_token * size)()
            n = llama_cpp.llama_tokenize(self._vocab, data, len(data), tokens, size, False, special)
            if n >= 0:
                return list(tokens[:n])
            size = -n

    def piece(self, token: int) -> bytes:
        """Return the bytes that a token adds to the text; b"" for control tokens, unless thinking
        tags are made of them.
        """
        found = self._pieces.get(token)
        if found is None:
            found = self._pieces[token] = self._read_piece(token)
        return found

    def spelling(self, token: int) -> bytes:
        """Return the bytes of a token that is text; b"" for control tokens, tags, and pictures."""
        return b"" if token < 0 or token in self._tags else self.piece(token)

    def _read_piece(self, token: int) -> bytes:
        buffer, is_tag = self._piece_buffer, token in self._tags
        n = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, is_tag)
        if n < 0:
            self._piece_buffer = ctypes.create_string_buffer(-n)
            return self._read_piece(token)
        return buffer.raw[:n]


def check_file(path: str) -> None:
    """Raise ModelFileError if there is no such file, or it does not begin as a GGUF."""
    found = Path(path)
    try:
        if found.exists() and not (found.is_file() or found.is_dir()):  # opening a pipe may hang
            raise ModelFileError(f"{path} is no regular file.", "Give a .gguf model.")
        with found.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelFileError(
            f"Cannot open the model {path}: {reason}.", "Check the path."
        ) from None
    if magic != GGUF_MAGIC:
        raise ModelFileError(
            f"{path} is no GGUF file: it does not begin as one.", "Give a .gguf model."
        )
