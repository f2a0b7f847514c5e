"""A row of the chats: its columns fit, its marks are where the words are, its time is short."""

from __future__ import annotations

import time

import pytest

from app.history import ChatInfo, Hit, Mark
from app.tui.chats.chat_row import WHEN, ChatRow, ago, header, marked
from tests.app.terminal.test_sanitise import HOSTILE

NOW = 1_800_000_000.0
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


def info(title: str = "A title", pair: str = "demo") -> ChatInfo:
    return ChatInfo(1, title, False, NOW, NOW, True, pair, 12)


def hit(snippet: str, n_found: int = 3) -> Hit:
    return Hit(info(), 7, "user", snippet, (Mark(0, 3),), (Mark(2, 7),), n_found)


@pytest.mark.parametrize(
    "age, told",
    [
        (-HOUR, "now"),
        (59.0, "now"),
        (MINUTE, "1 min"),
        (59.9 * MINUTE, "59 min"),
        (HOUR, "1 h"),
        (23.9 * HOUR, "23 h"),
        (DAY, "1 d"),
        (6.9 * DAY, "6 d"),
    ],
)
def test_a_time_is_told_by_how_long_ago_it_was(age: float, told: str) -> None:
    assert ago(NOW - age, NOW) == told


def test_long_ago_is_a_date() -> None:
    then = time.mktime((2026, 3, 2, 12, 0, 0, 0, 0, -1))
    assert ago(then, then + 30 * DAY) == "2 Mar"
    assert ago(then, then + 400 * DAY) == "2026-03"


@pytest.mark.parametrize("width", [0, 1, 5, 19, 40, 71, 72, 77, 120])
@pytest.mark.parametrize("title", ["", "A title", "long " * 40, "日本語の文章" * 9])
def test_a_line_is_never_wider_than_the_list(width: int, title: str) -> None:
    found = Hit(info(title), 7, "user", "snippet " * 20, (), (), 2)
    lines = ChatRow(info(title, "pair" * 30), found).lines(width, NOW, True)
    assert len(lines) == 2
    assert all(line.cell_length <= width for line in [*lines, header(width)])


@pytest.mark.parametrize("width", [40, 72, 100])
def test_what_does_not_fit_ends_with_an_ellipsis(width: int) -> None:
    title = "word " * 60
    (line,) = ChatRow(info(title, "pair" * 30)).lines(width, NOW, False)
    words = line.plain[3:].split("  ")[0]
    assert words.endswith("…")
    assert title.startswith(words[:-1])


def test_the_marks_are_where_the_words_are() -> None:
    line = marked("one two three", (Mark(4, 7),))
    assert [line.plain[span.start : span.end] for span in line.spans] == ["two"]
    first, second = ChatRow(info(), hit("abc def")).lines(100, NOW, False)
    assert "title" in [first.plain[span.start : span.end] for span in first.spans]
    assert "abc" in [second.plain[span.start : span.end] for span in second.spans]
    assert second.plain.rstrip().endswith("3 found")


def test_marks_that_would_be_elsewhere_are_left_out() -> None:
    assert not marked("one \x1b[31mtwo", (Mark(4, 7),)).spans
    assert not marked("one", (Mark(2, 9), Mark(-1, 2), Mark(2, 2))).spans


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_one_harmless_line(text: str) -> None:
    found = Hit(info(text), 7, text, text, (Mark(0, 1),), (Mark(0, 1),), 1)
    for line in ChatRow(info(text, text), found).lines(100, NOW, False):
        assert line.plain.isprintable()


def test_every_time_fits_its_column() -> None:
    ages = [0, MINUTE, 59 * MINUTE, 23 * HOUR, 6 * DAY, 20 * DAY, 4000 * DAY, NOW]
    assert all(len(ago(NOW - age, NOW)) <= WHEN for age in ages)
