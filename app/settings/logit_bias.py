"""Biases of tokens, as flags, variables and the settings file write them. Pure."""

from __future__ import annotations

import math
import re
from typing import Annotated

from pydantic import BeforeValidator, Field

from app.refusals import wanted

BIAS = re.compile(r"([0-9]{1,10})(-inf|[+-](?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
BIAS_WANTED = "should be a token's id and a bias, like 15043+1, 15043-1.5 or 15043-inf"
BANNED = -1e30
"""What -inf becomes: as good, and JSON can carry it to the engine."""


def biases(value: object) -> object:
    """Parse words like the flag's, or several in one text separated by commas. A token's biases add
    up, as in llama.cpp. Only the file gives a table.
    """
    if isinstance(value, dict):
        return {token: BANNED if bias == -math.inf else bias for token, bias in value.items()}
    if not isinstance(value, str):
        return value
    biases: dict[int, float] = {}
    for word in filter(None, value.split(",")):
        parts = BIAS.fullmatch(word.strip())
        if parts is None:
            raise wanted(BIAS_WANTED)
        token, bias = int(parts[1]), max(float(parts[2]), BANNED)
        biases[token] = biases.get(token, 0.0) + bias
    return biases


TokenId = Annotated[int, Field(ge=0, lt=2**31)]
Bias = Annotated[float, Field(strict=True, ge=BANNED, le=-BANNED)]  # true is none
LogitBias = Annotated[dict[TokenId, Bias], BeforeValidator(biases)]
