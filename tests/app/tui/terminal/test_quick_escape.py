"""Two keys that are pressed quickly are both told of."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from app.tui.terminal import quick_escape


def keys(*read: str) -> list[str]:
    quick_escape.is_a_key()
    parser = XTermParser()
    found = [each for part in (*read, "") for each in parser.feed(part)]
    return [each.key for each in found if isinstance(each, events.Key)]


@pytest.mark.parametrize("split", [False, True])
def test_esc_and_a_ctrl_letter_right_behind_it_are_two_keys(split: bool) -> None:
    for number in (1, 3, 5, 14, 17, 21, 26):
        name = f"ctrl+{chr(number + 96)}"
        read = ("a\x1b", f"{chr(number)}b") if split else (f"a\x1b{chr(number)}b",)
        assert keys(*read) == ["a", "escape", name, "b"]


def test_twice_esc_and_a_ctrl_letter_are_three_keys() -> None:
    assert keys("\x1b\x1b\x15") == ["escape", "escape", "ctrl+u"]


def test_what_else_begins_with_esc_is_what_it_was() -> None:
    assert keys("\x1b[A\x1b\t\x1bOP") == ["up", "shift+tab", "f1"]
    assert keys("\x1bk") == ["alt+k"]
