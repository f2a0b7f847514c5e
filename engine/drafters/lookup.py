"""Prompt lookup: what followed the last few tokens when they stood in this conversation before.

Saxena's prompt lookup decoding, with an index instead of a rescan: for every n-gram of 2 to 6
tokens the position behind its latest occurrence is kept, so a token costs a few dictionary entries
and a proposal none, however long the context. The longest n-gram that occurred before wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cache import common_prefix
from engine.drafters import Parts
from engine.types import NO_DRAFT, Allowance, Draft, Picker, Step

SHORTEST, LONGEST = 2, 6


class Lookup:
    """Indexes committed tokens as they come; proposes the continuation of the latest match."""

    name = "lookup"
    members = (name,)
    decode_s = 0.0

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._behind: dict[tuple[int, ...], int] = {}
        self._match = (0, 0)  # length of the latest match, and where its continuation begins

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Index the prompt; only what is new of it, if it continues what is known."""
        if common_prefix(self._tokens, context) < len(self._tokens):
            self._tokens, self._behind = [], {}
        self._extend(context[len(self._tokens) :])

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Propose what followed the longest suffix of the context that occurred before."""
        length, behind = self._match
        if not length:
            return NO_DRAFT
        confidence = match_confidence(length)
        if not allowance.go_on(confidence):
            return NO_DRAFT
        tokens = tuple(self._tokens[behind : behind + allowance.limit])
        return Draft(tokens, self.name, (confidence,) * len(tokens))

    def observe(self, step: Step) -> None:
        """Index what was committed, whoever drafted it."""
        self._extend(step.tokens)

    def _extend(self, tokens: Sequence[int]) -> None:
        known = self._tokens
        for token in tokens:
            known.append(token)
            end = len(known)
            self._match = (0, 0)
            for length in range(SHORTEST, min(LONGEST, end) + 1):
                key = tuple(known[end - length :])
                behind = self._behind.get(key)
                if behind is not None:
                    self._match = (length, behind)
                self._behind[key] = end


def match_confidence(length: int) -> float:
    """Return a rough chance that the token behind a match of this length is right."""
    return length / (length + 2)


def build(parts: Parts) -> Lookup:
    """Build it; every pair can look up."""
    return Lookup()
