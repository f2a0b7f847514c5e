"""How far models reach: a target as far as its context is asked to, which may be beyond what it was
made for; a draft model no further than that, where its guesses would be worth nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator


def draft_context(n_ctx: int, made_for: int) -> int:
    """Return the draft model's context beside a target's of n_ctx tokens."""
    return min(n_ctx, made_for)


def notices(n_ctx: int, made_for: int, draft_ctx: int | None) -> Iterator[str]:
    """Say what a target's context of n_ctx tokens is too long for. made_for: the target's own;
    draft_ctx: the draft model's context, None without one.
    """
    if n_ctx > made_for:
        yield (
            f"The context of {n_ctx} tokens is longer than the {made_for} that this model was "
            "trained for."
        )
    if draft_ctx is not None and n_ctx > draft_ctx:
        yield (
            f"The draft model was made for {draft_ctx} tokens, and the context has {n_ctx}: behind "
            "those it drafts nothing."
        )
