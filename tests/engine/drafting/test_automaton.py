"""What the automaton finds, against a rescan that a reader can check by eye."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.drafting import automaton
from engine.drafting.automaton import COUNTED, NOWHERE, Automaton, Cursor, Guess

Tokens = list[int]
LIMIT = 6
# So short that no context has more than COUNTED suffixes: every count is exact.
EXACT = COUNTED


def texts(max_size: int) -> st.SearchStrategy[Tokens]:
    """Texts over two to four letters."""
    return st.integers(1, 3).flatmap(lambda n: st.lists(st.integers(0, n), max_size=max_size))


@dataclass
class Shelf:
    """Documents, and what a rescan says about them."""

    documents: list[Tokens]

    def index(self) -> Automaton:
        indexed = Automaton()
        for document in self.documents:
            indexed.start_document()
            indexed.extend(document)
        return indexed

    def behind(self, match: Tokens) -> Tokens:
        """Every token that followed the match, in the order of the text."""
        size = len(match)
        return [
            document[start + size]
            for document in self.documents
            for start in range(len(document) - size)
            if document[start : start + size] == match
        ]

    def occurrences(self, match: Tokens) -> int:
        return sum(
            document[start : start + len(match)] == match
            for document in self.documents
            for start in range(len(document) - len(match) + 1)
        )

    def longest(self, fed: Tokens, least: int = 1) -> int:
        """How long the longest suffix of fed is that occurs at least so often."""
        sizes = range(len(fed), 0, -1)
        return next((n for n in sizes if self.occurrences(fed[-n:]) >= least), 0)


def likeliest(followers: Tokens) -> int:
    """The most frequent of them, of equals the one that came last."""
    return max(
        followers,
        key=lambda t: (followers.count(t), len(followers) - followers[::-1].index(t)),
    )


def expected(shelf: Shelf, match: Tokens, limit: int, shortest: int = 1) -> list[Guess]:
    """The continuation that a rescan gives."""
    rows: list[Guess] = []
    while len(rows) < limit:
        while match and not shelf.behind(match):
            match = match[1:]
        if len(match) < max(shortest, 1):
            break
        followers = shelf.behind(match)
        token = likeliest(followers)
        count = followers.count(token)
        rows.append(Guess(token, len(match), count / len(followers), count))
        match = [*match, token]
    return rows


def edges(indexed: Automaton) -> int:
    return sum(
        len(indexed._fans[~to]) if to < 0 else int(to > 0)
        for state, to in enumerate(indexed._target)
    )


def suffix(tokens: Tokens, size: int) -> Tokens:
    return tokens[len(tokens) - size :]


@settings(max_examples=300)
@given(text=texts(40))
def test_the_match_is_the_longest_suffix_that_occurred_before_at_every_prefix(text: Tokens) -> None:
    indexed = Automaton()
    for end, token in enumerate(text, start=1):
        indexed.extend([token])
        assert indexed.cursor().length == Shelf([text[:end]]).longest(text[:end], least=2)
        assert len(indexed) == end


@settings(max_examples=400)
@given(text=texts(EXACT), shortest=st.integers(0, 4))
@example(text=[0, 1, 0, 2, 0], shortest=1)
@example(text=[0, 2, 0, 1, 0, 2, 0, 1, 0], shortest=1)
def test_a_guess_is_the_most_frequent_continuation_and_of_equals_the_latest(
    text: Tokens, shortest: int
) -> None:
    shelf = Shelf([text])
    cursor = shelf.index().cursor()
    match = suffix(text, cursor.length)
    assert cursor.guess(LIMIT, shortest) == expected(shelf, match, LIMIT, shortest)


def test_a_guess_is_exact_in_long_texts_too_where_every_suffix_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(automaton, "COUNTED", 1_000)
    rng = random.Random(1)
    for letters in (1, 2, 3, 4, 4, 4):
        shelf = Shelf([[rng.randrange(letters) for _ in range(120)]])
        cursor = shelf.index().cursor()
        match = suffix(shelf.documents[0], cursor.length)
        assert cursor.guess(LIMIT) == expected(shelf, match, LIMIT)


@settings(max_examples=150)
@given(text=texts(90), period=st.integers(1, 30))
def test_every_guessed_token_followed_its_match_at_least_as_often_as_is_said(
    text: Tokens, period: int
) -> None:
    text = text + (text[-period:] * 90)[: 90 - len(text)]
    shelf = Shelf([text])
    said = [*text]
    for guess in shelf.index().cursor().guess(LIMIT):
        followers = shelf.behind(suffix(said, guess.length))
        assert 1 <= guess.count <= followers.count(guess.token)
        assert 0 < guess.share <= 1
        said.append(guess.token)


def test_only_the_longest_suffixes_that_occurred_before_are_counted() -> None:
    cursor = Cursor(Shelf([[7] * 50]).index())
    cursor.feed([7])
    assert cursor.guess(1)[0].count == 1 + COUNTED  # where it was new, then as a suffix


def test_a_guess_goes_on_over_the_end_of_the_text_by_a_shorter_match() -> None:
    indexed = Automaton()
    indexed.extend([7, 7, 7, 7])
    assert [(guess.token, guess.length) for guess in indexed.cursor().guess(3)] == [(7, 3)] * 3


def test_it_stops_where_fewer_tokens_match_than_asked_for() -> None:
    indexed = Automaton()
    indexed.extend([1, 2, 3, 9, 1, 2])
    assert [guess.token for guess in indexed.cursor().guess(4, shortest=2)] == [3, 9, 1, 2]
    assert indexed.cursor().guess(4, shortest=3) == []
    assert indexed.cursor().guess(0) == []
    assert Automaton().cursor().guess(4, shortest=0) == []


@settings(max_examples=300)
@given(documents=st.lists(texts(10), min_size=1, max_size=5), fed=texts(10))
@example(documents=[[0, 1], [2, 0, 1], [0], []], fed=[0, 1])
def test_documents_do_not_match_across(documents: list[Tokens], fed: Tokens) -> None:
    shelf = Shelf(documents)
    indexed = shelf.index()
    last = documents[-1]
    assert indexed.cursor().length == shelf.longest(last, least=2)
    assert len(indexed) == sum(map(len, documents))
    cursor = Cursor(indexed)
    cursor.feed(fed)
    assert cursor.length == shelf.longest(fed)


@settings(max_examples=300)
@given(documents=st.lists(texts(8), min_size=1, max_size=5), fed=texts(8))
@example(documents=[[0, 1, 2], [0, 1, 3], [0, 1, 2]], fed=[0, 1])
def test_what_follows_in_several_documents_is_counted_in_all(
    documents: list[Tokens], fed: Tokens
) -> None:
    shelf = Shelf(documents)
    cursor = Cursor(shelf.index())
    cursor.feed(fed)
    assert cursor.guess(LIMIT) == expected(shelf, suffix(fed, cursor.length), LIMIT)


@settings(max_examples=300)
@given(text=texts(30), fed=texts(20))
def test_feeding_finds_the_longest_match_at_every_prefix(text: Tokens, fed: Tokens) -> None:
    shelf = Shelf([text])
    step_by_step = Cursor(shelf.index())
    for end, token in enumerate(fed, start=1):
        step_by_step.feed(iter([token]))
        assert step_by_step.length == shelf.longest(fed[:end])


@settings(max_examples=200)
@given(text=texts(EXACT), fed=texts(6))
def test_feeding_goes_on_from_the_text_s_own_match(text: Tokens, fed: Tokens) -> None:
    shelf = Shelf([text])
    cursor = shelf.index().cursor()
    said = [*suffix(text, cursor.length), *fed]
    cursor.feed(fed)
    assert cursor.length == shelf.longest(said)
    assert cursor.guess(LIMIT) == expected(shelf, suffix(said, cursor.length), LIMIT)


@settings(max_examples=400)
@given(before=texts(8), fed=texts(8), after=texts(8), more=texts(4))
@example(before=[0, 1], fed=[1], after=[1], more=[])
def test_a_cursor_never_claims_too_much_when_its_text_grows(
    before: Tokens, fed: Tokens, after: Tokens, more: Tokens
) -> None:
    indexed = Shelf([before]).index()
    cursor = Cursor(indexed)
    cursor.feed(fed)
    matched = suffix(fed, cursor.length)
    indexed.extend(after)
    grown = Shelf([before + after])
    assert cursor.copy().guess(LIMIT) == expected(grown, matched, LIMIT)
    cursor.feed(more)
    assert cursor.length == grown.longest([*matched, *more])
    assert cursor.length <= grown.longest([*fed, *more])


@given(text=texts(20), fed=texts(6))
def test_a_guess_moves_no_cursor_and_a_copy_goes_its_own_way(text: Tokens, fed: Tokens) -> None:
    cursor = Shelf([text]).index().cursor()
    guess, length = cursor.guess(LIMIT), cursor.length
    other = cursor.copy()
    other.feed(fed)
    assert cursor.guess(LIMIT) == guess
    assert cursor.length == length


class Watched(list[int]):
    """Links that count how often they are followed."""

    followed = 0

    def __getitem__(self, at: int) -> int:  # type: ignore[override]
        self.followed += 1
        return super().__getitem__(at)


def fibonacci_word(size: int) -> Tokens:
    """The text with the most repeats that are not periods."""
    shorter, longer = [1], [0]
    while len(longer) < size:
        shorter, longer = longer, longer + shorter
    return longer[:size]


@pytest.mark.parametrize(
    "text",
    [
        [0] * 20_000,
        [0, 1] * 10_000,
        [*range(100)] * 200,
        fibonacci_word(20_000),
        [0] * 10_000 + [1] * 10_000,
        [0, *([1] * 99)] * 200,
    ],
    ids=["a", "ab", "long period", "fibonacci", "halves", "a and many b"],
)
def test_repetitive_texts_cost_a_bounded_number_of_operations_per_token(text: Tokens) -> None:
    indexed = Automaton()
    links = indexed._link = Watched([NOWHERE])
    indexed.extend(text)
    assert len(text) < indexed.states <= 2 * len(text)
    assert edges(indexed) <= 3 * len(text)
    assert 0 < links.followed <= (COUNTED + 4) * len(text)


@settings(max_examples=200)
@given(documents=st.lists(texts(30), max_size=4))
def test_shares_are_of_all_that_was_counted(documents: list[Tokens]) -> None:
    indexed = Shelf(documents).index()
    for state in range(1, indexed.states):
        to = indexed._target[state]
        if to < 0:
            counts = [edge & automaton.COUNT for edge in indexed._fans[~to].values()]
            assert sum(counts) == indexed._total[state]
            best = indexed._fans[~to][indexed._best[state]] & automaton.COUNT
            assert best == max(counts)
        assert indexed._length[indexed._link[state]] < indexed._length[state]


def test_a_match_knows_where_it_ended_first() -> None:
    automaton = Automaton()
    text = [1, 2, 3, 4, 5, 2, 3, 6, 9, 2, 3]
    automaton.extend(text)
    cursor = automaton.cursor()
    assert (cursor.length, cursor.place) == (2, 3)
    assert text[cursor.place] == 4


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_the_match_stands_before_its_place(text: list[int]) -> None:
    automaton = Automaton()
    automaton.extend(text)
    cursor = automaton.cursor()
    place, n = cursor.place, cursor.length
    assert text[place - n : place] == text[len(text) - n :]
    assert place < len(text) or n == 0
