"""The figures of an answer that was made in parts: cut, and gone on with.

Counts add up and every ratio is derived from them anew. Of the prompt and the time to the first
token those of the first part hold: it is the question that was waited for. A speed is all tokens
over all the time that they took, but for those of each part's first step. The speed-up is that of
the parts of which both speeds are known, and plain's speed follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import msgspec

from engine import DrafterStats, Stats


def whole_stats(first: Stats | None, then: Stats) -> Stats:
    """Return the figures of both parts as those of one answer."""
    if first is None or not first.output_tokens:
        return then
    output, steps = first.output_tokens + then.output_tokens, first.steps + then.steps
    drafted, accepted = first.drafted + then.drafted, first.accepted + then.accepted
    tested = first.tested + then.tested
    (decoded, decode_s), (decoded_then, decode_then_s) = _decoded(first), _decoded(then)
    decode_tps = _ratio(decoded + decoded_then, decode_s + decode_then_s)
    speedup = _speedup(first, then)
    return msgspec.structs.replace(
        first,
        output_tokens=output,
        steps=steps,
        drafted=drafted,
        accepted=accepted,
        tested=tested,
        acceptance_rate=_ratio(accepted, tested),
        draft_efficiency=_ratio(accepted, drafted),
        mean_acceptance_length=_ratio(output, steps),
        near_ties=[*first.near_ties, *(first.output_tokens + at for at in then.near_ties)],
        decode_tps=decode_tps,
        plain_tps=_ratio(decode_tps, speedup),
        speedup=speedup,
        drafters=_shares(first, then),
        engine_overhead_s=first.engine_overhead_s + then.engine_overhead_s,
        tested_at=_sums(first.tested_at, then.tested_at),
        accepted_at=_sums(first.accepted_at, then.accepted_at),
        first_step_tokens=output - decoded - decoded_then,
        decode_s=decode_s + decode_then_s,
    )


def _decoded(part: Stats) -> tuple[int, float]:
    """Return how many tokens came behind the first step, and the time that they took.

    Kept figures may lack the time: then it is that of all tokens, by their speed.
    """
    if part.decode_s:
        return part.output_tokens - part.first_step_tokens, part.decode_s
    if part.decode_tps:
        return part.output_tokens, part.output_tokens / part.decode_tps
    return 0, 0.0


def _speedup(*parts: Stats) -> float | None:
    took_s = plain_s = 0.0
    for part in parts:
        if part.decode_tps and part.plain_tps:
            tokens, decode_s = _decoded(part)
            took_s += decode_s
            plain_s += tokens / part.plain_tps
    return _ratio(plain_s, took_s)


def _shares(first: Stats, then: Stats) -> dict[str, DrafterStats]:
    shares = dict(first.drafters)
    for name, more in then.drafters.items():
        one = shares.get(name, DrafterStats(0, 0, 0))
        shares[name] = DrafterStats(
            one.drafted + more.drafted, one.accepted + more.accepted, one.steps + more.steps
        )
    return shares


def _sums(first: Sequence[int], then: Sequence[int]) -> list[int]:
    pairs: Iterable[tuple[int, int]] = zip_longest(first, then, fillvalue=0)
    return [one + other for one, other in pairs]


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b else None
