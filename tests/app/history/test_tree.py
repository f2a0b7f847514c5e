"""Whatever is edited, regenerated and walked, the path shown is one branch, whole."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.history import Chat, History
from app.history.tree import Tree
from tests.app.history.chats import said

MOVES = st.lists(
    st.tuples(st.sampled_from(["ask", "edit", "regenerate", "walk", "show"]), st.integers(0, 99)),
    max_size=25,
)


@st.composite
def trees(draw: st.DrawFn) -> list[tuple[int, int | None]]:
    """Draw messages, each with a parent among those before it."""
    size = draw(st.integers(1, 30))
    return [(n, draw(st.none() | st.integers(0, n - 1)) if n else None) for n in range(size)]


@given(trees())
def test_every_message_is_on_the_path_to_its_newest_leaf(messages: list[tuple[int, int]]) -> None:
    tree, parents = Tree(messages), dict(messages)
    for message, parent in messages:
        leaf = tree.newest_leaf(message)
        path = tree.path(leaf)
        below = [other for other in parents if message in tree.path(other)]
        assert leaf == max(below) and message in path and parents[path[0]] is None
        assert all(parents[b] == a for a, b in pairwise(path))
        assert tree.siblings(message) == [m for m in parents if parents[m] == parent]


@given(trees(), st.integers(-3, 3))
def test_walking_to_a_sibling_and_back_returns(messages: list[tuple[int, int]], by: int) -> None:
    tree = Tree(messages)
    for message, _ in messages:
        there = tree.beside(message, by)
        siblings = tree.siblings(message)
        if not 0 <= siblings.index(message) + by < len(siblings):
            assert there is None
            continue
        sibling = siblings[siblings.index(message) + by]
        assert there == tree.newest_leaf(sibling)
        assert tree.beside(sibling, -by) == tree.newest_leaf(message)


def test_parents_that_make_a_loop_end_somewhere() -> None:
    tree = Tree([(1, 3), (2, 1), (3, 2), (4, 4)])
    assert tree.path(3) == [1, 2, 3]
    assert tree.path(4) == [4]


def moved(history: History, chat: Chat, move: str, number: int) -> list[str]:
    """Do one thing that a person can do; return the path it should lead to, as texts."""
    path = chat.path()
    texts = [message.content for message in path]
    place = number % len(path) if path else 0
    if move == "ask" or not path:
        after = path[-1].id if path else None
        history.add(chat.info.id, after, "user", f"ask {number}")
        return [*texts, f"ask {number}"]
    at = path[place]
    if move in ("edit", "regenerate"):
        role = "user" if move == "edit" else "assistant"
        history.add(chat.info.id, at.parent, role, f"{move} {number}")
        return [*texts[:place], f"{move} {number}"]
    by_id = {message.id: message.content for message in chat.messages}
    leaf = chat.tree.beside(at.id, number % 5 - 2)
    if move == "walk" and leaf is None:
        return texts
    shown = leaf if leaf is not None and move == "walk" else at.id
    history.show(chat.info.id, shown)
    return [by_id[id] for id in chat.tree.path(chat.tree.newest_leaf(shown))]


@given(MOVES)
@settings(max_examples=30)
def test_any_sequence_of_moves_shows_the_branch_it_led_to(moves: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History.open(Path(folder) / "history.db")
        id = said(history, "first")
        history.flush()
        for move, number in moves:
            before = history.chat(id)
            expected = moved(history, before, move, number)
            assert history.flush()
            chat = history.chat(id)
            assert [message.content for message in chat.path()] == expected
            assert len(chat.messages) >= len(before.messages), "nothing is lost"
        assert history.close()
