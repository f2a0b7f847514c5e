"""Prompt lookup: what followed the last few tokens when they stood in this conversation before.

Saxena's prompt lookup decoding, over a suffix automaton (drafting/automaton.py) in place of a
rescan: the longest suffix that occurred before is always at hand, with its most frequent
continuation and how often that was it. Where the conversation copies an earlier part of itself and
edits it, the edits are learnt, and the copy is followed through them (drafting/copying.py). Earlier
conversations are looked up too, where they are remembered. But they are about other things, and a
few tokens of any text are found in so many of them: a match there counts for less than one of its
length here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import mul
from typing import TypeAlias

from engine.cache.tokens import common_prefix
from engine.drafters import Parts
from engine.drafting.automaton import Automaton, Cursor, Guess
from engine.drafting.copying import Copying
from engine.drafting.growing import Growing, grow, never
from engine.prompt.pictures import stretches
from engine.types import Allowance, Draft, Picker, Step

SHORTEST = 2
"""A match of fewer tokens is none."""
SHORTEST_BETWEEN = 12
"""Behind another drafter's tokens a match of fewer is none."""
CHUNK = 7
"""Tokens that are looked up at a time; a draft grows by as many chunks as pay. With the token
before it, one chunk is a tile of 8 rows, and costs less than six tokens do on some CPUs."""
ELSEWHERE = 0.5
"""What each token of a match in another conversation counts beside one of a match in this."""
REMEMBERED = 0.7
"""How sure its continuation is beside that of a match of equal length in this conversation."""

Found: TypeAlias = tuple[tuple[int, ...], tuple[float, ...]]
"""Tokens and, for each, the confidence in it."""
NOTHING: Found = ((), ())


class Lookup:
    """Indexes committed tokens as they come; proposes what followed them before."""

    name = "lookup"
    members = (name,)
    failure = ""
    decode_s = 0.0

    def __init__(
        self, memory: Automaton | None = None, is_end: Callable[[int], bool] = never
    ) -> None:
        """memory: what was said in earlier conversations; it may grow between answers."""
        self._is_end = is_end
        self._tokens: list[int] = []
        self._text, self._copying = Automaton(), Copying()
        self._memory = memory
        self._recalled: Cursor | None = None
        self._ahead: list[Cursor] = []
        self._follower = self._copying.follower()
        self._fed: list[int] = []
        self._found = NOTHING
        self._n_paying = 0  # of these
        self._longest = 0

    def begin(self, context: Sequence[int], picker: Picker) -> None:
        """Index the prompt; only what is new of it, if it continues what is known."""
        if common_prefix(self._tokens, context) < len(self._tokens):
            self._tokens, self._text, self._copying = [], Automaton(), Copying()
        if self._memory is not None:
            self._recalled = Cursor(self._memory)
            self._recalled.feed(context)
        self._index_prompt(context[len(self._tokens) :])

    def propose(self, context: Sequence[int], allowance: Allowance) -> Draft:
        """Propose what followed the longest suffix of the context that occurred before."""
        return grow([self], context, allowance, self._is_end)

    def outlook(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> float:
        """Look up what follows context and draft, and return what that brings."""
        is_own = not draft or draft.drafters[-1] == self.name
        if not is_own and self._longest + len(draft) < SHORTEST_BETWEEN:
            return 0.0  # each token makes the match longer by one at most
        shortest = SHORTEST if is_own else SHORTEST_BETWEEN
        self._look(draft.tokens, min(CHUNK, allowance.limit - len(draft)), shortest)
        tokens, confidences = self._found
        if not tokens:
            return 0.0
        if not draft:
            allowance.note(self.name, tokens, confidences)
        self._n_paying, gain = allowance.value(self.name, confidences)
        return gain

    def extend(self, context: Sequence[int], draft: Growing, allowance: Allowance) -> None:
        """Add what was looked up, as much of it as pays."""
        tokens, confidences = self._found
        for i in range(self._n_paying):
            draft.add(self.name, tokens[i], confidences[i])
        allowance.take(self.name, confidences[: self._n_paying])

    def observe(self, step: Step) -> None:
        """Index what was committed, whoever drafted it."""
        if self._recalled is not None:
            self._recalled.feed(step.tokens)
        self._index(step.tokens)

    def _index_prompt(self, tokens: Sequence[int]) -> None:
        """Index what is text. No match reaches over a picture, though a copy may go on behind one;
        none is ever proposed.
        """
        before, *behind = stretches(tokens)
        self._text.extend(before)
        self._copying.read(before)
        for text in behind:
            self._text.start_document()
            self._text.extend(text)
            self._copying.read(text)
        self._tokens.extend(tokens)
        self._look_anew()

    def _index(self, tokens: Sequence[int]) -> None:
        self._tokens.extend(tokens)
        self._text.extend(tokens)
        self._copying.extend(tokens)
        self._look_anew()

    def _look_anew(self) -> None:
        """Forget what was looked up, and follow what the longest match stands in if nothing is."""
        self._ahead = []
        match = self._text.cursor()
        if self._copying.is_lost and match.length >= SHORTEST:
            self._copying.begin(match.place, match.length)

    def _look(self, drafted: Sequence[int], limit: int, shortest: int) -> None:
        """Find the continuation of the committed tokens and these."""
        self._advance(drafted)
        if not drafted:
            self._longest = max(cursor.length for cursor in self._ahead)
        found = self._matched(limit, shortest)
        if shortest == SHORTEST:  # behind another's tokens only a long match counts
            copied = self._follower.foresee(limit)
            if _expected(copied[1]) > _expected(found[1]):
                found = copied
        self._found = self._ended(found)

    def _advance(self, drafted: Sequence[int]) -> None:
        """Have the cursors and the follower stand behind the committed tokens and these."""
        if not self._ahead or drafted[: len(self._fed)] != self._fed:
            recalled = [] if self._recalled is None else [self._recalled.copy()]
            self._ahead, self._fed = [self._text.cursor(), *recalled], []
            self._follower = self._copying.follower()
        new = drafted[len(self._fed) :]
        if new:
            self._fed = list(drafted)
            for cursor in self._ahead:
                cursor.feed(new)
            for token in new:
                self._follower.feed(token)

    def _matched(self, limit: int, shortest: int) -> Found:
        """Return what followed the longest match, a match elsewhere counting for less."""
        here, *elsewhere = self._ahead
        longest, worth = here, 1.0
        match = here.length if here.length >= shortest else 0
        for cursor in elsewhere:
            if cursor.length >= shortest and ELSEWHERE * cursor.length > match:
                longest, worth = cursor, REMEMBERED
        if longest.length < shortest:
            return NOTHING
        guesses = longest.guess(limit, SHORTEST)
        tokens = tuple([guess.token for guess in guesses])
        return tokens, tuple([confidence(guess, worth) for guess in guesses])

    def _ended(self, found: Found) -> Found:
        """Cut off what is behind a token that ends the answer."""
        tokens, confidences = found
        is_end = self._is_end
        for n, token in enumerate(tokens, 1):
            if is_end(token):
                return tokens[:n], confidences[:n]
        return found


def _expected(sure: Sequence[float]) -> float:
    """Return how many tokens of these confidences, in a row, will be right."""
    total: float = sum(accumulate(sure, mul))
    return total


def confidence(guess: Guess, worth: float = 1.0) -> float:
    """Return a rough chance: it grows with the match, and with how often and how unanimously it was
    followed so.
    """
    length, count = guess.length, guess.count
    return worth * guess.share * length / (length + 1.5) * count / (count + 0.25)


def build(parts: Parts) -> Lookup:
    """Build it; every pair can look up."""
    return Lookup(parts.memory, parts.is_end)
