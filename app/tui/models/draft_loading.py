"""Whether the draft model must be loaded before a drafter can draft, or why it never can.

A pair that is loaded for a drafter without one (`--drafter none`) leaves its draft model out.
"""

from __future__ import annotations

from app.errors import AppError
from app.settings.values import uses_draft_model
from app.terminal.sanitise import one_line
from app.tui.serving.orders import SessionSettings
from app.tui.serving.shared_engine import State
from engine import Ready

WITHOUT = "auto"
"""The drafter that uses a draft model where there is one, and does without elsewhere."""


def needs_load(drafter: str, settings: SessionSettings, state: State, ready: Ready | None) -> bool:
    """Whether the pair must be loaded again for a drafter that is chosen now.

    settings: those that are in use; ready: of the pair that is loaded, or was last. Raises AppError
    where the drafter cannot draft for this pair, or not before something else is done.
    """
    cannot = settings.pair.draft_tokens == 0 or (ready is not None and ready.rollback == "none")
    if drafter != "none" and cannot and ready is not None and ready.off:
        raise AppError(f"Nobody can draft here: {one_line(ready.off)}")
    if not uses_draft_model(drafter) or state in ("unloaded", "down"):
        return False  # what is loaded next is loaded for it
    refused = one_line(ready.draft_refused) if ready else ""
    if settings.pair.draft is None or refused:
        if drafter == WITHOUT:
            return False
        why = f"This pair's is not used: {refused}" if refused else "This pair has none."
        raise AppError(
            f"{drafter} needs a draft model. {why} Choose lookup, open another pair (/model), "
            "or start with --model-draft."
        )
    if ready is None or state == "loading":
        is_there = uses_draft_model(settings.pair.drafter)
    else:
        is_there = ready.draft is not None
    if is_there:
        return False
    if state != "ready":
        raise AppError(
            f"{drafter} needs the draft model, which is not loaded: choose it again when nothing "
            "is being loaded or answered."
        )
    return True
