"""Which chats are open and in which order, and how the line that says so fits: no widget runs."""

from __future__ import annotations

import pytest
from textual._xterm_parser import XTermParser

from app.tui.chats.open_chats import Label, OpenChat, OpenChats
from app.tui.terminal import alt_digits
from app.tui.widgets.chat_tabs import NEWS, RUNS, Cell, fitted

TITLES = ["What is a path?", "Names", "A title that is much longer than there is room for it here"]


def opened(n: int) -> tuple[OpenChats, list[OpenChat]]:
    made = [OpenChat(kept=number) for number in range(n)]
    chats = OpenChats(made[0])
    chats.surround([], made[1:])
    return chats, made


def words(cells: list[Cell]) -> str:
    return "".join(cell.content.plain for cell in cells)


def labels(n: int, current: int) -> list[Label]:
    return [Label(f"chat number {at}", at == current) for at in range(n)]


def test_behind_the_last_chat_comes_the_first_and_before_the_first_the_last() -> None:
    chats, made = opened(3)
    assert chats.beside(1) is made[1] and chats.beside(-1) is made[2] and chats.beside(3) is made[0]


def test_a_chat_is_found_by_its_place_and_by_its_number() -> None:
    chats, made = opened(3)
    assert chats.at(3) is made[2] and chats.find(2) is made[2]
    assert chats.at(0) is None and chats.at(4) is None and chats.find(9) is None


def test_the_shown_chat_is_never_taken_out() -> None:
    chats, made = opened(2)
    chats.remove(made[0])
    assert list(chats) == made
    chats.go(made[1])
    chats.remove(made[0])
    assert list(chats) == [made[1]]


def test_after_a_chat_comes_the_next_one_else_the_one_before_else_none() -> None:
    chats, made = opened(3)
    assert chats.after(made[1]) is made[2] and chats.after(made[2]) is made[1]
    alone, only = opened(1)
    assert alone.after(only[0]) is None


def test_a_chat_that_was_not_open_is_the_last_one() -> None:
    chats, made = opened(2)
    new = OpenChat()
    chats.go(new)
    assert list(chats) == [*made, new] and chats.current is new


def test_what_comes_back_keeps_its_order_around_the_shown_one() -> None:
    chats = OpenChats(shown := OpenChat(kept=5))
    before, behind = [OpenChat(kept=1), OpenChat(kept=2)], [OpenChat(kept=9)]
    chats.surround(before, behind)
    assert list(chats) == [*before, shown, *behind]


@pytest.mark.parametrize("width", [40, 60, 80, 160])
@pytest.mark.parametrize("n", [2, 3, 9, 40, 400])
def test_the_shown_chat_is_seen_whole_however_many_there_are(n: int, width: int) -> None:
    for current in {0, 1, n // 2, n - 1}:
        cells = fitted(labels(n, current), width)
        line = words(cells)
        assert sum(cell.content.cell_length for cell in cells) <= width
        assert f"[{current + 1} chat" in line and line.count("[") == 1
        assert all(1 <= cell.place <= n for cell in cells)


def test_titles_are_cut_before_chats_are_left_out() -> None:
    both = [Label(TITLES[2], True), Label(TITLES[2])]
    assert words(fitted(both, 160)).count("A title that is much longer") == 2
    narrow = words(fitted(both, 40))
    assert "[1 A title" in narrow and " 2 A title" in narrow and "…" in narrow


def test_chats_out_of_sight_are_counted_and_what_is_new_there_is_marked() -> None:
    many = labels(30, 15)
    many[0], many[29] = Label("first", has_news=True), Label("last", runs=True)
    line = words(fitted(many, 60))
    left, right = line.split("[")[0].split()[0], line.rstrip()
    assert left.startswith("\N{LEFTWARDS ARROW}") and NEWS in line.split("[")[0]
    assert RUNS in right[-2:] and "\N{RIGHTWARDS ARROW}" in right[-6:]


def test_what_runs_and_what_is_new_is_said_without_a_colour() -> None:
    line = words(fitted([Label("a", True), Label("b", runs=True), Label("c", has_news=True)], 80))
    assert line == f"[1 a] 2 b {RUNS}  3 c {NEWS} "


@pytest.mark.parametrize("digit", "123456789")
def test_alt_and_a_digit_is_a_key_in_every_terminal(digit: str) -> None:
    alt_digits.are_keys()
    parser = XTermParser(False)
    keys = [*parser.feed(f"\x1b{digit}")]
    while not keys:  # it waits a moment for the rest of what may be a longer sequence
        keys = [*parser.tick()]
    assert [getattr(key, "key", "") for key in keys] == [f"alt+{digit}"]
