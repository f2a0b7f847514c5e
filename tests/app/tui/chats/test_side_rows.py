"""The list beside the chat as lines: which days there are, what is marked, how titles are cut."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from app.history import ChatInfo
from app.tui.chats.open_chats import Label, OpenChat
from app.tui.chats.side_rows import Heading, SideRow, arranged, day
from tests.app.terminal.test_sanitise import HOSTILE

NOON = time.mktime((2027, 1, 15, 12, 0, 0, 0, 0, -1))
DAY_S = 86_400.0
WIDTH = 28
PLAIN = ChatInfo(7, "Names", False, NOON, NOON, False, "demo", 1)


def line(row: SideRow | Heading, width: int = WIDTH) -> str:
    (only,) = row.lines(width, NOON, False)
    return only.plain


def listed(*infos: ChatInfo, opened: list[tuple[OpenChat, Label]] | None = None) -> list[str]:
    rows = arranged(infos, opened or [], NOON, is_kept=True)
    return [line(row).rstrip() for row in rows if isinstance(row, SideRow | Heading)]


@pytest.mark.parametrize(
    ("days_ago", "name"),
    [
        (-1, "Today"),
        (0, "Today"),
        (1, "Yesterday"),
        (2, "Wednesday"),
        (6, "Saturday"),
        (7, "January"),
        (20, "December 2026"),
    ],
)
def test_a_day_is_called_as_people_call_it_and_older_ones_by_the_month(
    days_ago: int, name: str
) -> None:
    assert day(NOON - days_ago * DAY_S, NOON) == name


def test_a_day_ends_at_midnight_and_not_after_24_hours() -> None:
    assert day(NOON - 13 * 3600, NOON) == "Yesterday"
    assert day(NOON - 11 * 3600, NOON) == "Today"


def test_pinned_chats_come_first_and_the_others_below_their_day() -> None:
    pinned = replace(PLAIN, id=1, title="Kept in sight", pinned=True, updated_at=NOON - 9 * DAY_S)
    today, later = replace(PLAIN, id=2), replace(PLAIN, id=3, title="Later")
    old = replace(PLAIN, id=4, title="Old", updated_at=NOON - DAY_S)
    assert listed(pinned, later, today, old) == [
        "Pinned",
        "  Kept in sight",
        "Today",
        "  Later",
        "  Names",
        "Yesterday",
        "  Old",
    ]


def test_what_is_open_is_marked_and_so_is_what_runs_or_ended_unseen() -> None:
    infos = [replace(PLAIN, id=number, title=f"Chat {number}") for number in range(1, 6)]
    labels = [
        Label("Chat 1", is_current=True),
        Label("Chat 2"),
        Label("Chat 3", runs=True),
        Label("Chat 4", has_news=True),
    ]
    opened = [(OpenChat(kept=number), label) for number, label in enumerate(labels, 1)]
    assert listed(*infos, opened=opened)[1:] == [
        "▌ Chat 1",
        "· Chat 2",
        "· Chat 3".ljust(WIDTH - 1) + "◌",
        "· Chat 4".ljust(WIDTH - 1) + "●",
        "  Chat 5",
    ]


def test_a_new_chat_is_of_today_and_a_private_one_is_said_not_to_be_kept() -> None:
    opened = [(OpenChat(), Label("New chat", is_current=True))]
    pinned = replace(PLAIN, pinned=True)
    assert listed(pinned, opened=opened) == ["Pinned", "  Names", "Today", "▌ New chat"]
    alone = arranged([], opened, NOON, is_kept=False)
    assert [line(row).rstrip() for row in alone if isinstance(row, SideRow | Heading)] == [
        "Not kept",
        "▌ New chat",
    ]


def test_an_open_chat_that_is_not_among_those_read_has_a_row_without_a_day() -> None:
    opened = [
        (OpenChat(kept=PLAIN.id), Label("Names")),
        (OpenChat(kept=3), Label("Long ago", is_current=True)),
        (OpenChat(), Label("New chat")),
    ]
    pinned = replace(PLAIN, id=2, title="Pinned one", pinned=True)
    assert listed(pinned, PLAIN, opened=opened) == [
        "Pinned",
        "  Pinned one",
        "Open",
        "▌ Long ago",
        "Today",
        "· New chat",
        "· Names",
    ]


@pytest.mark.parametrize("width", [1, 2, 3, 10, WIDTH])
@pytest.mark.parametrize(
    "title", ["What is the difference between the two?", "日本語の題名" * 4, ""]
)
def test_a_title_that_is_too_long_is_cut_and_no_line_is_wider_than_its_room(
    title: str, width: int
) -> None:
    row = SideRow(replace(PLAIN, title=title), None, OpenChat(), Label(title, runs=True))
    (only,) = row.lines(width, NOON, False)
    assert only.cell_length <= width
    if width == WIDTH:
        assert ("…" in only.plain) == bool(title) and only.plain.endswith(" ◌")
        assert title or "(no title)" in only.plain


@pytest.mark.parametrize("title", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_title_is_harmless(title: str) -> None:
    shown = line(SideRow(replace(PLAIN, title=title)))
    assert all(ord(sign) >= 0x20 and not 0x7F <= ord(sign) <= 0x9F for sign in shown)
    assert "\u202e" not in shown
