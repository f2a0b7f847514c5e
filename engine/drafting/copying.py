"""How a text goes on that copies an earlier part of itself and edits it on the way.

Code with another name in it, a paragraph made into a list, a form filled in: such a text follows
its source token by token, says something of its own in place of some tokens, and comes back. That
is an edit: the tokens that are gone, and those that are put there. Where tokens that were replaced
before come up in the source again, the same edit is foreseen, and the copy behind it. A match of
suffixes (automaton.py) foresees no edit, and has to be found anew behind each.

Contract: a token costs a look at a window of the source, however long the text. What is foreseen
may be wrong, but it is made of tokens that stand in the text. A known edit counts as made when its
tokens were said, so that edits can follow each other; if the text then goes on otherwise, that is
another edit.

It knows nothing of models, drafts or policies: a token is an int, a place an index into the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat

MOST = 8
"""Tokens that an edit takes away or puts there, at most; who says more of his own has left the
source.
"""
WINDOW = 24
"""How far behind the place where it was left the source may be taken up again."""
KEPT = 4
"""Edits that are kept of those which begin at the same token: the latest, and the likeliest."""
MEMORY = 0.9
"""What an edit's earlier tests are still worth at each new one."""
DOUBT = 0.5
"""Tests that always speak against an edit, so that few say little."""
FORESEEN = 0.5
"""An edit is foreseen if its chance is above this."""
FAITHFUL = 0.8
"""The confidence in the next token of a copy that was right for long."""
LENGTH = 1.5
"""In tokens: after n right ones the confidence in the next is n / (n + LENGTH) * FAITHFUL."""
PUT = 0.95
"""The confidence in each further token of an edit, and in the source's token behind it."""
BEGUN = 0.8
"""The confidence in the next token of an edit that the text has begun with."""


class Edit:
    """Tokens of the source that are gone, and what is put there; one of both may be empty."""

    __slots__ = ("_made", "_tests", "gone", "put")

    def __init__(self, gone: list[int], put: list[int]) -> None:
        self.gone, self.put = gone, put
        self._made = self._tests = 1.0

    @property
    def chance(self) -> float:
        """How often it was made of late where it could have been."""
        return self._made / (self._tests + DOUBT)

    def tested(self, made: bool) -> None:
        """Take in whether it was made at a place where it could be."""
        self._made = MEMORY * self._made + made
        self._tests = MEMORY * self._tests + 1.0


class Edits:
    """All edits that were made in a text, by the source's token where they begin."""

    def __init__(self, text: list[int]) -> None:
        """text: grows behind their back."""
        self._text = text
        self._by_token: dict[int, list[Edit]] = {}

    def at(self, place: int) -> list[Edit]:
        """Return the edits that could be made where the source comes to this place."""
        text = self._text
        if place >= len(text):
            return []
        return [
            edit
            for edit in self._by_token.get(text[place], ())
            if text[place : place + len(edit.gone)] == edit.gone
        ]

    def likeliest(self, place: int) -> Edit | None:
        """Return the likeliest of them."""
        return max(self.at(place), key=lambda edit: edit.chance, default=None)

    def made(self, place: int, gone: list[int], put: list[int]) -> None:
        """Take in that this edit was made here; both empty: none was."""
        is_new = bool(gone or put)
        for edit in self.at(place):
            is_this = edit.gone == gone and edit.put == put
            edit.tested(is_this)
            is_new = is_new and not is_this
        if is_new:
            alike = self._by_token.setdefault(self._text[place], [])
            alike.insert(0, Edit(gone, put))
            if len(alike) > KEPT:
                alike.remove(min(alike[1:], key=lambda edit: edit.chance))


class Follower:
    """Where a text stands in its source. place: that of the source's next token; None: it has
    none. said: what was said since the source was left there. It is in one of these states:

    lost         no place
    following    nothing said: the source's token is expected, or an edit
    just edited  following, with place = _behind_edit: a known edit ended here, so none begins
    editing      something said: until that is a known edit, or ends with two neighbours in the
                 source

    The source f n o p q n r s is followed from its n on, and M is said in place of n:

        token  place  state        learnt
        M      1      editing
        o      1      editing
        p      4      following    M for n: o p are neighbours. Foreseen now: q M r s
        q      5      following    no edit of q
        M      6      just edited  M for n, once more
        r      7      following    nothing, so close behind an edit
        s      8      following    no edit of s

    Of a source that was not edited yet it foresees nothing: what followed a match before is the
    automaton's to say, which counts all that did.
    """

    __slots__ = ("_behind_edit", "_edits", "_has_edited", "_run", "_text", "place", "said")

    def __init__(self, text: list[int], edits: Edits) -> None:
        self._text, self._edits = text, edits
        self._run = 0  # tokens in a row that were foreseen
        self._has_edited = False
        self._behind_edit: int | None = None  # the place behind the last known edit that was made
        self.place: int | None = None
        self.said: list[int] = []

    def copy(self) -> Follower:
        """Return another one at the same place."""
        other = Follower(self._text, self._edits)
        other._run, other._has_edited = self._run, self._has_edited
        other._behind_edit = self._behind_edit
        other.place, other.said = self.place, list(self.said)
        return other

    def begin(self, place: int, length: int) -> None:
        """Follow the source from this place on, which is not the first: the last `length` tokens
        that were said stand before it.
        """
        self._return(place, length)
        self._has_edited, self._behind_edit = False, None

    def lose(self) -> None:
        """Follow nothing."""
        self.place, self.said = None, []

    def feed(self, token: int) -> tuple[list[int], list[int]] | None:
        """Take in what was said next. Returns what is gone and what is put there if that ends an
        edit, which began at the former place; both empty if the source's token was said; None if
        there is nothing to learn.
        """
        text, place, said = self._text, self.place, self.said
        if place is None:
            return None
        if not said and place < len(text) and text[place] == token:
            self.place = place + 1
            self._run += 1
            return None if place == self._behind_edit else ([], [])
        said.append(token)
        self._run += 1
        edit = max(self._known(place), key=lambda edit: len(edit.put), default=None)
        if edit is not None and len(said) == (len(edit.put) or 1):
            self._behind_edit = place + len(edit.gone)
            self._return(self._behind_edit + (not edit.put), self._run)
            return edit.gone, edit.put
        return self._look_for_the_source(place)

    def foresee(self, limit: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return what may be said next, and how sure that is: at most `limit` tokens."""
        found = list(islice(self._walk(), limit))
        return tuple(token for token, _ in found), tuple(sure for _, sure in found)

    def _walk(self) -> Iterator[tuple[int, float]]:
        """Yield what may be said next: the source, with its edits."""
        text, place, run = self._text, self.place, self._run
        if place is None or not self._has_edited:
            return
        if self.said:
            begun = max(self._known(place), key=lambda edit: edit.chance, default=None)
            if begun is None:
                return
            yield from self._edited(begun.put[len(self.said) :], place + len(begun.gone), BEGUN)
            place += len(begun.gone) + 1
        while place < len(text):
            sure = FAITHFUL * run / (run + LENGTH)
            edit = None if place == self._behind_edit else self._edits.likeliest(place)
            if edit is None:
                yield text[place], sure
            elif edit.chance <= FORESEEN:
                yield text[place], sure * (1.0 - edit.chance)
            else:
                place += len(edit.gone)
                yield from self._edited(edit.put, place, edit.chance)
            place += 1
            run += 1

    def _edited(self, put: list[int], place: int, first: float) -> Iterator[tuple[int, float]]:
        """Yield the tokens of an edit, and the source's behind it; first: how sure the first is."""
        tokens = [*put, *self._text[place : place + 1]]
        yield from zip(tokens, chain((first,), repeat(PUT)), strict=False)

    def _known(self, place: int) -> list[Edit]:
        """Return the edits that begin with what was said; what ends one that only takes tokens away
        is the next one of the source.
        """
        text, said, known = self._text, self.said, []
        for edit in self._edits.at(place):
            behind = place + len(edit.gone)
            if said == ((edit.put or text[behind : behind + 1])[: len(said)]):
                known.append(edit)
        return known

    def _look_for_the_source(self, place: int) -> tuple[list[int], list[int]] | None:
        """Follow it again if the last two tokens are its, and return the edit that was made."""
        text, said = self._text, self.said
        back = self._found_again(place)
        if back is None:
            if len(said) > MOST + 2:
                self.lose()
            return None
        gone, put = text[place : back - min(len(said), 2)], said[:-2]
        self._return(back, 2)
        return gone, put

    def _return(self, place: int, run: int) -> None:
        self.place, self.said, self._run = place, [], run
        self._has_edited = True

    def _found_again(self, place: int) -> int | None:
        """Return the place behind two neighbours in the source that were the last two tokens."""
        text, said = self._text, self.said
        if len(said) == 1 and place == self._behind_edit:
            return None  # the token before was an edit's
        before = said[-2] if len(said) > 1 else text[place - 1]
        at, end = place, min(len(text) - len(said) + 1, place + WINDOW)
        while True:
            try:
                at = text.index(before, at, end) + 1
            except ValueError:
                return None
            if at < len(text) and text[at] == said[-1]:
                return at + 1


class Copying:
    """A text, and its copying from itself."""

    def __init__(self) -> None:
        self._text: list[int] = []
        self._edits = Edits(self._text)
        self._follower = Follower(self._text, self._edits)

    @property
    def is_lost(self) -> bool:
        """Whether it follows nothing."""
        return self._follower.place is None

    def follower(self) -> Follower:
        """Return a follower at the text's end, to go on with what may be said next."""
        return self._follower.copy()

    def read(self, tokens: Iterable[int]) -> None:
        """Append what is only a source, and nothing is copied in."""
        self._text.extend(tokens)
        self._follower.lose()

    def begin(self, place: int, length: int) -> None:
        """Follow the text from this place on; the last `length` tokens stand before it, too."""
        self._follower.begin(place, length)

    def extend(self, tokens: Iterable[int]) -> None:
        """Append what was said, and learn from it how the source is edited."""
        follower, edits = self._follower, self._edits
        for token in tokens:
            place = follower.place
            change = follower.feed(token)
            if place is not None and change is not None and max(map(len, change)) <= MOST:
                edits.made(place, *change)
            self._text.append(token)
