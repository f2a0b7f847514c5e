"""The ranges of settings. No numpy: the app checks before anything is loaded."""

from __future__ import annotations

import math

from engine.errors import SettingError
from engine.settings import SamplingSettings

MIN_CTX = 64
DEFAULT_MAX_CTX = 8192
"""What a model is given of its context where nobody asks for another."""
MAX_DRAFT_TOKENS = 128
MAX_PROMPT_CHARS = 4 << 20
MAX_SEED = (1 << 64) - 1
LARGEST_PENALTY = 1000.0
LARGEST_BIAS = 1e30
"""With the largest penalty, or divided by the smallest, still a float32."""


def check_sampling(settings: SamplingSettings) -> None:
    """Raise SettingError for the first setting that is out of its range."""

    def moderate(value: float) -> bool:
        return abs(value) <= LARGEST_PENALTY

    ranges = {
        "temperature": (0 <= settings.temperature < math.inf, "0 or more"),
        "top_k": (settings.top_k >= 0, "0 (all) or more"),
        "typical_p": (0 < settings.typical_p <= 1, "above 0 and at most 1 (off)"),
        "top_p": (0 < settings.top_p <= 1, "above 0 and at most 1 (off)"),
        "min_p": (0 <= settings.min_p <= 1, "from 0 (off) to 1"),
        "repeat_penalty": (
            1 / LARGEST_PENALTY <= settings.repeat_penalty <= LARGEST_PENALTY,
            "from 0.001 to 1000 (1 is none)",
        ),
        "presence_penalty": (moderate(settings.presence_penalty), "from -1000 to 1000 (0 is none)"),
        "frequency_penalty": (
            moderate(settings.frequency_penalty),
            "from -1000 to 1000 (0 is none)",
        ),
        "repeat_last_n": (settings.repeat_last_n >= -1, "-1 (all), 0 (off) or more"),
        "seed": (0 <= settings.seed <= MAX_SEED, "from 0 to 2^64 - 1"),
    }
    for name, (holds, values) in ranges.items():
        if not holds:
            wanted, found = f"must be {values}", getattr(settings, name)
            raise SettingError(f"{name} {wanted}, found {found}.", wanted=wanted)
    for token, bias in settings.logit_bias.items():
        if token < 0 or not abs(bias) <= LARGEST_BIAS:
            raise SettingError(
                f"logit_bias must give token ids a bias of at most 1e30, found {token}: {bias}."
            )
