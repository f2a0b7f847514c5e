"""The statistics of an answer in one line."""

from __future__ import annotations

from app.chat.gain import gain
from engine import FinishReason, Stats

ENDINGS: dict[FinishReason, str] = {
    "stop": "",
    "length": "cut at --predict",
    "context": "cut: the context is full",
    "cancelled": "stopped",
}


NOT_WORTH_IT = "nothing drafted: no guess seemed worth its time"


def summary_line(stats: Stats, reason: FinishReason, seed: int, may_draft: bool) -> str:
    """Return the figures that matter, unknown ones left out.

    may_draft: whether somebody was there to draft, so that it has a reason if nobody did.
    """
    parts = [f"{stats.output_tokens} tokens"]
    if stats.decode_tps is not None:
        parts.append(f"{stats.decode_tps:.1f} tokens/s")
    if stats.drafted and (factor := gain(stats)) is not None:
        parts.append(f"≈{factor:.1f}x plain")
    if may_draft and not stats.drafted:
        parts.append(NOT_WORTH_IT)
    if stats.acceptance_rate is not None:
        parts.append(f"{stats.acceptance_rate:.0%} of tested guesses accepted")
    if stats.ttft_s is not None:
        parts.append(f"first token after {1000 * stats.ttft_s:.0f} ms")
    parts.append(f"seed {seed}")
    if ENDINGS[reason]:
        parts.append(ENDINGS[reason])
    return " · ".join(parts)
