"""Every constant of the recipe, in one place.

Contract: constants and paths only. The order of the training data is a function of `SEED` and the
step's number, so a run that was stopped continues as if it had not been.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

HERE = Path(__file__).parent
BUILD = HERE / "build"
OBJECTS = BUILD / "objects.jsonl"
TOKENIZER = BUILD / "tokenizer.json"
SHIPPED = HERE.parent.parent / "app" / "demo"

SEED = 20_261_121
VOCABULARY = 4096
CONTEXT = 2048
TOKENS_PER_STEP = 4096
SHORT_ROW = 256
LONG_EVERY = 10

IM_START, IM_END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
SPECIAL = (PAD, IM_START, IM_END)


@dataclass(frozen=True, slots=True)
class Plan:
    """One model's sizes and how it is trained."""

    width: int
    layers: int
    heads: int
    kv_heads: int
    feed_forward: int
    steps: int
    loose_steps: int
    matrix_rate: float
    vector_rate: float
    warm_up: int = 100

    @property
    def all_steps(self) -> int:
        """The steps of both phases: the facts first, then looser questions about them."""
        return self.steps + self.loose_steps


PLANS = MappingProxyType(
    {
        "draft": Plan(
            192, 3, 3, 1, 512, steps=1600, loose_steps=200, matrix_rate=0.003, vector_rate=3e-3
        ),
        "target": Plan(
            512, 6, 8, 2, 1536, steps=1300, loose_steps=400, matrix_rate=0.003, vector_rate=3e-3
        ),
    }
)
