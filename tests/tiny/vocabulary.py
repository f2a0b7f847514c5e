"""A byte-level BPE vocabulary that can spell every text: bytes, a few merges, ChatML's controls.

Order: the 256 bytes, the merges' results, the control tokens, then fillers that no text becomes.
A test may have more control tokens and defined ones, behind the others, and a chat template of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gguf import GGUFWriter, TokenType

END_OF_TEXT, START, END = CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGES = ("t h", "th e", "Ġ t", "Ġt he", "Ġ a", "i n", "e r", "o n", "a n", "Ġ Ġ")
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Token texts in llama.cpp's spelling. n_named: those that spell text, before all others."""

    texts: list[str]
    types: list[TokenType]
    n_named: int
    template: str = CHAT_TEMPLATE
    wraps: bool = False

    def describe(self, keys: GGUFWriter) -> None:
        """Add the tokenizer's metadata to a file."""
        keys.add_tokenizer_model("gpt2")
        keys.add_tokenizer_pre("qwen2")
        keys.add_token_list(self.texts)
        keys.add_token_types(self.types)
        keys.add_token_merges(MERGES)
        keys.add_bos_token_id(self.texts.index(END_OF_TEXT))
        keys.add_eos_token_id(self.texts.index(END))
        keys.add_pad_token_id(self.texts.index(END_OF_TEXT))
        keys.add_add_bos_token(self.wraps)
        keys.add_add_eos_token(self.wraps)
        keys.add_chat_template(self.template)


def vocabulary(
    n_extra: int,
    controls: Sequence[str] = (),
    template: str = CHAT_TEMPLATE,
    defined: Sequence[str] = (),
    wraps: bool = False,
) -> Vocabulary:
    """Return the vocabulary with these control and user-defined tokens more, and n_extra fillers at
    its end.
    """
    named = byte_symbols() + [merge.replace(" ", "") for merge in MERGES]
    fillers = [f"[PAD{i}]" for i in range(n_extra)]
    return Vocabulary(
        texts=[*named, *CONTROLS, *controls, *defined, *fillers],
        types=[TokenType.NORMAL] * len(named)
        + [TokenType.CONTROL] * (len(CONTROLS) + len(controls))
        + [TokenType.USER_DEFINED] * len(defined)
        + [TokenType.UNUSED] * n_extra,
        n_named=len(named),
        template=template,
        wraps=wraps,
    )


def byte_symbols() -> list[str]:
    """Return the printable stand-in of each byte, by GPT-2's rule.

    A printable Latin-1 character stands for itself, the rest for 256, 257, … in their order.
    """
    printable = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("ÿ") + 1)} - {0xAD}
    rest = [byte for byte in range(256) if byte not in printable]
    return [chr(byte if byte in printable else 256 + rest.index(byte)) for byte in range(256)]
