"""Train the pair's tokenizer on questions and answers as the models will meet them.

    python learn_tokens.py

Contract: reads the collected objects, writes `build/tokenizer.json`; the same objects give the same
file. It knows nothing about models.
"""

from __future__ import annotations

import random

import collect
from phrasing import Phrasing
from recipe import OBJECTS, TOKENIZER
from tokenizer import train

TOKENIZER_SEED = 0
MIXED_TURNS = 1500


def texts(items: list[collect.Documented]) -> list[str]:
    """Return one question and answer about every object, and a mixture of turns."""
    rng = random.Random(TOKENIZER_SEED)
    phrasing = Phrasing.about(items)
    turns = [phrasing.about_object(item, rng) for item in items]
    turns += [phrasing.turn(rng) for _ in range(MIXED_TURNS)]
    return [text for turn in turns for text in turn]


def main() -> None:
    """Write the tokenizer."""
    tokenizer = train(texts(collect.read(OBJECTS)))
    tokenizer.save(str(TOKENIZER))
    print(f"tokenizer: {tokenizer.get_vocab_size()} tokens", flush=True)


if __name__ == "__main__":
    main()
