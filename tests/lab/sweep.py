"""The search for llama-server's best setting: draft lengths, p-mins and its n-gram types.

A step verifies one row more than it has draft tokens, and kernels compute rows in tiles of 8, 12,
16 or 32, so lengths that just fill one are among those tried. Of many settings timed once, the
fastest was lucky too: the best few are timed again, there and back, and what they have then counts.
Knows no server: how a setting is timed is handed to it.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

LENGTHS = (1, 2, 3, 5, 7, 11, 15, 16, 31)
ALL_LENGTHS = (*range(1, 17), 31)
P_MINS, STRICT, LONG = (0.0, 0.5, 0.75), 0.9, 15
"""The last of them for drafts of at least so many tokens: in shorter ones doubt costs little."""
NGRAMS = ("ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache")
DRAFT = "DRAFT"
"""Stands for the draft model's path."""
DRAFTING = f"--spec-type draft-simple -md {DRAFT}"
FINALISTS = 5

Timed = Callable[[str], Awaitable[float]]
"""From a setting, all arguments in one line, to tokens/s. Raises RuntimeError or OSError."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Tokens/s by setting: of all timed once, and of the best few timed again; and where."""

    tasks: tuple[str, ...]
    once: dict[str, float]
    again: dict[str, float]

    @property
    def best(self) -> str:
        """The setting that won."""
        return max(self.again, key=self.again.__getitem__)

    def __str__(self) -> str:
        return f"{self.best}, of {len(self.once)} settings the fastest on {', '.join(self.tasks)}"


def settings(lengths: Sequence[int]) -> Iterator[str]:
    """Yield what is tried."""
    for n in lengths:
        for p in (*P_MINS, STRICT) if n >= LONG else P_MINS:
            yield f"{DRAFTING} --spec-draft-n-max {n} --spec-draft-p-min {p}"
    for name in NGRAMS:
        yield f"--spec-type {name}"


async def sweep(tried: Sequence[str], timed: Timed, tasks: Sequence[str]) -> Swept:
    """Time all of these, and the best few twice more. Raises RuntimeError if none of them works."""
    once: dict[str, float] = {}
    for setting in tried:
        try:
            once[setting] = await timed(setting)
        except (RuntimeError, OSError) as error:
            say(f"  {setting}: {error}")
            continue
        say(f"  {setting}: {once[setting]:.1f} tokens/s")
    if not once:
        raise RuntimeError("No setting of llama-server works; build it anew: tests.lab.peers.")
    best = sorted(once, key=once.__getitem__, reverse=True)[:FINALISTS]
    rates: dict[str, list[float]] = {setting: [] for setting in best}
    for setting in (*best, *reversed(best)):
        rates[setting].append(await timed(setting))
        say(f"  again {setting}: {rates[setting][-1]:.1f} tokens/s")
    return Swept(tuple(tasks), once, {setting: fmean(each) for setting, each in rates.items()})


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)
