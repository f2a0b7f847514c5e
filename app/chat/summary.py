"""The statistics of an answer in one line; before there are any, how far the question is read."""

from __future__ import annotations

from math import isfinite

from app.chat.gain import gain, is_slower_than_measured
from app.sizes import counted
from engine import FinishReason, Started, Stats

ENDINGS: dict[FinishReason, str] = {
    "stop": "",
    "length": "cut at --predict",
    "context": "cut: the context is full",
    "cancelled": "stopped",
}
MINUTE_S, LONG_S = 60, 10
NOTHING = "nothing drafted"
NOT_WORTH_IT = f"{NOTHING}: no guess seemed worth its time"
NOBODY = f"{NOTHING}: the drafter is none"
TOO_DEAR = "guesses cost too much here"


def reading(started: Started) -> str:
    """Say how much of a question is being read, and how far that is."""
    fresh, read = started.prompt_tokens - started.cached_tokens, started.read_tokens
    done = f" {100 * read // fresh} %" if 0 < read <= fresh else ""
    return f"reading {counted(fresh, 'token')}…{done}" if fresh > 0 else "reading…"


def summary(stats: Stats, nothing: str = NOTHING) -> str:
    """Return an answer's figures as one quiet line. nothing: said where nothing was drafted, if
    anything is.
    """
    parts = [counted(stats.output_tokens, "token")]
    if (seconds := took_s(stats)) is not None and isfinite(seconds):
        parts.append(_time(seconds))
    if stats.decode_tps is not None:
        parts.append(f"{stats.decode_tps:.1f} tok/s")
    if not stats.steps:  # stopped before anybody could draft
        return " · ".join(parts)
    if not stats.drafted:
        is_in_vain = is_slower_than_measured(stats, None) is False
        why = f"{NOTHING}: {TOO_DEAR}" if is_in_vain else nothing
        parts += [why] if why else []
    elif (factor := gain(stats)) is not None:
        parts.append(f"{times(factor)} plain")
    return " · ".join(parts)


def took_s(stats: Stats) -> float | None:
    """Return the seconds from the question to the answer's end, None if nobody knows.

    Kept figures may lack the time behind the first step: then it is that of all steps but one, each
    as long as any.
    """
    if stats.ttft_s is None:
        return None
    if stats.decode_s:
        return stats.ttft_s + stats.decode_s
    if not stats.decode_tps or not stats.steps:
        return stats.ttft_s
    return stats.ttft_s + stats.output_tokens * (1 - 1 / stats.steps) / stats.decode_tps


def _time(seconds: float) -> str:
    if seconds < LONG_S:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < MINUTE_S else f"{whole // MINUTE_S} min {whole % MINUTE_S} s"


def times(factor: float) -> str:
    """Return a speed-up, marked as the estimate that it is."""
    return f"≈{factor:.1f}\N{MULTIPLICATION SIGN}"


def summary_line(stats: Stats, reason: FinishReason, seed: int, nothing: str) -> str:
    """Return what `ask` says at its end, unknown figures left out. nothing: as `summary` has it."""
    parts = [summary(stats, nothing)]
    if stats.acceptance_rate is not None:
        parts.append(f"{stats.acceptance_rate:.0%} of tested guesses accepted")
    if stats.ttft_s is not None:
        parts.append(f"first token after {1000 * stats.ttft_s:.0f} ms")
    if stats.near_ties:
        parts.append(counted(len(stats.near_ties), "near-tie"))
    parts.append(f"seed {seed}")
    if ENDINGS[reason]:
        parts.append(ENDINGS[reason])
    return " · ".join(parts)
