"""Replay: every emitted token drawn once more, from a one-row batch, by other code.

The answer is fed to the target token by token, without loop, session or drafter, and the draw is
made by reference.py. What comes out must be the token that was emitted, or its position must have
been reported as a near-tie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.arrays import Row
from engine.proof.answers import Said
from engine.proof.reference import noisy_scores
from engine.sampling.width_noise import NO_NOISE, WidthNoise
from engine.settings import SamplingSettings
from engine.types import Decoder


@dataclass(slots=True)
class Replayed:
    """Tokens that came out the same, at near-ties, and otherwise; and how far rows were from those
    that were drawn from in wide batches.
    """

    same: int = 0
    near_ties: int = 0
    wrong: int = 0
    noise: WidthNoise = NO_NOISE


def replay(
    decoder: Decoder,
    prompt: Sequence[int],
    said: Said,
    sampling: SamplingSettings,
    wide_rows: Mapping[int, Row],
    into: Replayed,
) -> list[str]:
    """Replay one answer, and describe what is wrong. wide_rows: rows by position in the text."""
    tokens = [*prompt, *said.tokens]
    _prefill(decoder, prompt[:-1])
    found = []
    for i, token in enumerate(said.tokens):
        at = len(prompt) + i
        row = decoder.decode([tokens[at - 1]], at - 1, 1)[0]
        scores = noisy_scores(row, sampling, tokens[:at], at)
        drawn = int(scores.argmax())
        if at in wide_rows:
            into.noise |= WidthNoise.between(row, wide_rows[at])
        if drawn == token:
            into.same += 1
        elif i in said.near_ties:
            into.near_ties += 1
        else:
            into.wrong += 1
            found.append(
                f"replay, temperature {sampling.temperature}: token {i} is {drawn} at batch width "
                f"1, {token} was emitted, and no near-tie was reported"
            )
    return found


def _prefill(decoder: Decoder, tokens: Sequence[int]) -> None:
    decoder.drop(0)
    chunk = decoder.n_batch
    for start in range(0, len(tokens), chunk):
        decoder.decode(tokens[start : start + chunk], start, 0)
