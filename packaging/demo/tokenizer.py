"""One byte-level BPE for both models, in GPT-2's way, and the chat format.

Contract: `train` makes the tokenizer from texts; `render` gives the text which the GGUF's chat
template gives; `Coder` turns chats into token ids, special tokens by their ids. It knows nothing
about where the texts come from.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from recipe import IM_END, IM_START, SPECIAL, VOCABULARY
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def train(texts: Iterable[str]) -> Tokenizer:
    """Learn the merges from texts; the same texts give the same tokenizer."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def prompt(question: str) -> str:
    """Render one question as the chat template does, ready for the answer."""
    return f"{IM_START}user\n{question}{IM_END}\n{IM_START}assistant\n"


class Coder:
    """Encodes turns with the trained tokenizer."""

    def __init__(self, path: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(path))
        self.end = self.tokenizer.token_to_id(IM_END)
        self.pad = self.tokenizer.token_to_id(SPECIAL[0])
        self._newline = self.tokenizer.encode("\n").ids

    def turn(self, question: str, answer: str) -> tuple[list[int], list[bool]]:
        """Return a turn's token ids and which of them the model must learn to say."""
        asked = self.tokenizer.encode(prompt(question)).ids
        said = [*self.tokenizer.encode(answer).ids, self.end]
        learned = [False] * len(asked) + [True] * len(said) + [False] * len(self._newline)
        return asked + said + self._newline, learned
