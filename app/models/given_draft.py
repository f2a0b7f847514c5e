"""A draft model that was given by its path, and that the drafter leaves out: the settings file may
have had that drafter for long. Of a pair's own nothing is said: who chose a drafter for it knows
what that leaves out.
"""

from __future__ import annotations

from app.settings.values import uses_draft_model
from engine import PairSettings

NOBODY = "none"
"""The drafter that drafts nothing; that it does is said elsewhere."""
NOT_USED = "the draft model is not used"


def is_left_out(name: str, pair: PairSettings) -> bool:
    """Whether a draft model was given in vain. name: a pair's, "" for files by path."""
    if name or pair.draft is None or pair.drafter == NOBODY:
        return False
    return not uses_draft_model(pair.drafter)


def noted_draft(name: str, pair: PairSettings) -> list[str]:
    """Return the line that says so, none where it is used. name: as `is_left_out` has it."""
    if not is_left_out(name, pair):
        return []
    why = f"the drafter is {pair.drafter}"
    return [f"T{NOT_USED[1:]}: {why}; --drafter auto, or /draft auto in the chat, has both draft."]
