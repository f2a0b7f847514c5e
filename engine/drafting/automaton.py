"""What followed the longest match: a suffix automaton over a growing sequence of tokens.

A state stands for the strings that end at the same places of the text; its link leads to the
longest shorter suffix that ends at more places. So the longest suffix that occurred before is the
link of the last state: it is at hand after every token, however long the text, without a rescan.

Contract:
- A token costs amortised O(1); there are at most 2n states and 3n transitions for n tokens. Most
  states have one transition, kept in flat lists; a state that branches has a dict in a side table.
- Every transition counts how often it was taken. A token continues *all* suffixes before it, and
  repetitive texts have as many of them as tokens. So a token is counted where it is new, and at
  the COUNTED longest suffixes that it followed before: the contexts that guesses are made from.
  Counts of contexts further up are too low, never too high, and shares stay shares of what was
  counted. The empty context is neither counted nor guessed from.
- Documents do not continue each other; what occurs in several is counted in all (a generalised
  suffix automaton: a document that repeats another walks along its states).

It knows nothing of text, models or drafts: a token is an int.

Blumer, Blumer, Haussler, Ehrenfeucht, Chen, Seiferas 1985, "The smallest automaton recognizing
the subwords of a text"; a split below is their procedure of that name.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

COUNTED = 16
ROOT = 0
NOWHERE = -1

# An edge of a branching state is one int, target << SHIFT | count: counting it is adding one, and
# copying a state's edges copies their counts.
SHIFT = 32
COUNT = (1 << SHIFT) - 1


class Guess(msgspec.Struct, frozen=True):
    """A token that may follow, and what speaks for it.

    length: how many tokens before it matched. count: how often it followed that match. share: count
    over all continuations of that match, in (0, 1].
    """

    token: int
    length: int
    share: float
    count: int


class Automaton:
    """The index of one text, or of many documents; see the module's contract."""

    __slots__ = (
        "_best",
        "_end",
        "_fans",
        "_known",
        "_last",
        "_length",
        "_link",
        "_n",
        "_target",
        "_total",
    )

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything; cursors of before are of no use any more."""
        self._n = 0
        self._length = [0]  # of a state's longest string
        self._link = [NOWHERE]
        self._end = [0]  # behind which token its strings first ended
        self._best = [0]  # its most frequent continuation; of equals the latest
        self._target = [ROOT]  # where its only token leads; ROOT: it has none; ~k: see fan k
        self._total = [0]  # how many continuations were counted
        self._fans: list[dict[int, int]] = []
        self._last = ROOT
        self._known = True  # whether the last state's longest string occurred before

    def __len__(self) -> int:
        """Return how many tokens are indexed."""
        return self._n

    @property
    def states(self) -> int:
        """How many states there are: what memory grows with."""
        return len(self._length)

    def extend(self, tokens: Iterable[int]) -> None:
        """Append to the text; amortised O(1) for each token."""
        append = self._append
        for token in tokens:
            append(token)

    def start_document(self) -> None:
        """Let what follows continue nothing: no match reaches back over this point."""
        self._last, self._known = ROOT, True

    def cursor(self) -> Cursor:
        """Return a cursor at the document's longest suffix that also occurred earlier."""
        state = self._last if self._known else self._link[self._last]
        return Cursor(self, state, self._length[state])

    def _append(self, token: int) -> None:
        last, new = self._last, len(self._length)
        at = self._continue_anew(last, token, new)
        if at != last:
            self._add_state(self._length[last] + 1, self._n + 1, ROOT, 0, ROOT, 0)
        if at == NOWHERE:
            known = ROOT
        else:
            known = self._followed(at, token)
            if self._length[known] != self._length[at] + 1:
                known = self._split(at, token, known)
            if at:
                self._count(at, token)
        self._known = at == last
        if self._known:
            self._last = known
        else:
            self._link[new] = known
            self._last = new
        self._n += 1

    def _continue_anew(self, at: int, token: int, new: int) -> int:
        """Add transitions by `token` to state `new`, from `at` along the suffix links, up to the
        first state that has one already; return that, NOWHERE if none has.
        """
        best, target, total, fans = self._best, self._target, self._total, self._fans
        link = self._link
        while at != NOWHERE:
            to = target[at]
            if to == ROOT:
                target[at] = new
                best[at] = token
            elif to > 0:
                if best[at] == token:
                    return at
                target[at] = ~len(fans)
                fans.append({best[at]: to << SHIFT | total[at], token: new << SHIFT | 1})
                if total[at] == 1:
                    best[at] = token
            else:
                fan = fans[~to]
                if token in fan:
                    return at
                fan[token] = new << SHIFT | 1
                if fan[best[at]] & COUNT == 1:
                    best[at] = token
            total[at] += 1
            at = link[at]
        return NOWHERE

    def _count(self, at: int, token: int) -> None:
        """Count token as a continuation of at and its longest suffixes, which all know it."""
        best, target, total, fans = self._best, self._target, self._total, self._fans
        link = self._link
        for _ in range(COUNTED):
            total[at] += 1
            to = target[at]
            if to < 0:
                fan = fans[~to]
                edge = fan[token] = fan[token] + 1
                if best[at] != token and edge & COUNT >= fan[best[at]] & COUNT:
                    best[at] = token
            at = link[at]
            if not at:
                return

    def _split(self, at: int, token: int, state: int) -> int:
        """Clone `state` for those of its strings that are no longer than at + token.

        From now on these occur at more places than the longer ones; until now all were continued
        alike. Returns the clone.
        """
        link, target, fans = self._link, self._target, self._fans
        to, short = target[state], len(link)
        if to < 0:
            fans.append(fans[~to].copy())
            to = ~(len(fans) - 1)
        length = self._length[at] + 1
        best, total, end = self._best[state], self._total[state], self._end[state]
        self._add_state(length, end, link[state], best, to, total)
        link[state] = short
        moved = (short - state) << SHIFT
        while at != NOWHERE and self._followed(at, token) == state:
            to = target[at]
            if to < 0:
                fans[~to][token] += moved
            else:
                target[at] = short
            at = link[at]
        return short

    def _add_state(
        self, length: int, end: int, link: int, best: int, target: int, total: int
    ) -> None:
        self._length.append(length)
        self._end.append(end)
        self._link.append(link)
        self._best.append(best)
        self._target.append(target)
        self._total.append(total)

    def _followed(self, state: int, token: int) -> int:
        """Return where token leads from state; ROOT if it never followed."""
        to = self._target[state]
        if to < 0:
            return self._fans[~to].get(token, 0) >> SHIFT
        return to if self._best[state] == token else ROOT


class Cursor:
    """A place in a text: the longest suffix of what was fed that occurs there.

    It stays good when its automaton is extended: its match occurs for ever, and its counts are of
    the moment that it is asked. Only the word "longest" may go stale, towards caution: of what was
    fed, a suffix longer than `length` may occur in what was appended since.
    `Cursor(automaton)` is at the empty match.
    """

    __slots__ = ("_state", "_text", "length")

    def __init__(self, text: Automaton, state: int = ROOT, length: int = 0) -> None:
        self._text = text
        self._state = state
        self.length = length  # how many tokens match

    def copy(self) -> Cursor:
        """Return another cursor at the same place."""
        return Cursor(self._text, self._state, self.length)

    @property
    def place(self) -> int:
        """The end of the match's first occurrence, in tokens since the automaton was empty. In a
        single document: the index of the token that followed it there.
        """
        return self._text._end[self._settled()]

    def feed(self, tokens: Iterable[int]) -> None:
        """Advance by tokens that are not part of the text; amortised O(1) for each."""
        text = self._text
        link, lengths, followed = text._link, text._length, text._followed
        state, length = self._settled(), self.length
        for token in tokens:
            to = followed(state, token)
            while not to and state:
                state = link[state]
                length = lengths[state]
                to = followed(state, token)
            if to:
                state = to
                length += 1
        self._state, self.length = state, length

    def guess(self, limit: int, shortest: int = 1) -> list[Guess]:
        """Return the likeliest continuation, up to limit tokens; the cursor stays where it is.

        Each token is the one that followed the match most often, of equals the latest, and makes
        the match longer by one. Where nothing followed it, its longest suffix that something
        followed is the match. The guess ends where fewer than `shortest` tokens (1 or more) match.
        """
        text = self._text
        link, lengths, best, target = text._link, text._length, text._best, text._target
        total, fans = text._total, text._fans
        state, length = self._settled(), self.length
        found: list[Guess] = []
        while len(found) < limit:
            while state and not target[state]:
                state = link[state]
                length = lengths[state]
            if not state or length < shortest:
                break
            token, to, count = best[state], target[state], total[state]
            share = 1.0
            if to < 0:
                edge = fans[~to][token]
                to = edge >> SHIFT
                share = (edge & COUNT) / count
                count = edge & COUNT
            found.append(Guess(token, length, share, count))
            state = to
            length += 1
        return found

    def _settled(self) -> int:
        """Return the state that holds the match now: splits move short strings up the links."""
        link, lengths = self._text._link, self._text._length
        state = self._state
        while state and lengths[link[state]] >= self.length:
            state = link[state]
        self._state = state
        return state
