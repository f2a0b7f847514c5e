"""Plain decoding: never proposes anything."""

from __future__ import annotations

from collections.abc import Sequence

from engine.drafters import Parts
from engine.types import NO_DRAFT, Allowance, Draft, Picker, Step


class Plain:
    """The drafter that drafts nothing."""

    name = "none"
    members = ()
    failure = ""
    decode_s = 0.0

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Nothing to prepare."""

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Return the empty draft."""
        return NO_DRAFT

    def observe(self, step: Step) -> None:
        """Nothing to learn."""


def build(parts: Parts) -> Plain:
    """Build it; every pair can decode plainly."""
    return Plain()
