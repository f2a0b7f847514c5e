"""The figures of an answer that was made in parts: cut, and gone on with.

Counts add up and every ratio is derived from them anew. Of the prompt and the time to the first
token those of the first part hold: it is the question that was waited for. A speed is all tokens
over all the time that they took; `Stats` keeps no times, so a part's is its tokens over its speed.
The speed-up is that of the parts of which both speeds are known, and plain's speed follows from it.
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
    decode_tps = _speed(
        (first.output_tokens, first.decode_tps), (then.output_tokens, then.decode_tps)
    )
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
    )


def _speed(*parts: tuple[int, float | None]) -> float | None:
    """Return the speed over all parts whose speed is known, None if none is."""
    known = [(tokens, speed) for tokens, speed in parts if speed and tokens]
    return _ratio(sum(tokens for tokens, _ in known), sum(n / speed for n, speed in known))


def _speedup(*parts: Stats) -> float | None:
    both = [part for part in parts if part.decode_tps and part.plain_tps]
    return _ratio(
        _speed(*((part.output_tokens, part.decode_tps) for part in both)),
        _speed(*((part.output_tokens, part.plain_tps) for part in both)),
    )


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
