"""Whatever a model, a file or a title holds, the screen gets harmless text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.terminal.sanitise import one_line, sanitise

HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "title": "\x1b]0;owned\x1b\\",
    "hyperlink": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "8-bit csi": "\x9b2J\x9b1;1H",
    "8-bit osc": "\x9d52;c;AAAA\x9c",
    "device control": '\x1bP$q"p\x1b\\',
    "carriage return": "safe\rEVIL",
    "backspaces": "safe\x08\x08\x08\x08EVIL",
    "bell and null": "\x07\x00\x7f",
    "bidi override": "access\u202e\u2066gnp.exe\u2069\u202c",
    "bidi marks": "\u200e\u200f\u061c",
    "alternate screen": "\x1b[?1049l",
    "surrogate": "\ud800 alone \udfff",
    "byte order mark": "\ufeff\u2060\ufff9",
    "tags": "safe\U000e0001\U000e0045\U000e0056\U000e0049\U000e004c\U000e007f",
}
HOSTILE_AT_ONCE = {f"{n} of 3": "".join([*HOSTILE.values()][n - 1 :: 3]) for n in (1, 2, 3)}
"""The same for a screen, which takes its time to open."""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_control_character_gets_through(text: str) -> None:
    for character in sanitise(text):
        code = ord(character)
        assert character in "\n\t" or code >= 0x20
        assert not 0x7F <= code <= 0x9F
        assert not 0x202A <= code <= 0x202E
        assert not 0x2066 <= code <= 0x2069
        assert not 0xD800 <= code <= 0xDFFF
        assert not 0xE0000 <= code <= 0xE007F


def test_of_a_flag_that_is_spelt_in_tags_the_black_flag_stays() -> None:
    """Pieces of an answer may part it anywhere, and no piece tells whether a tag is of a flag."""
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    assert "".join(map(sanitise, scotland)) == sanitise(scotland) == "\N{WAVING BLACK FLAG}"


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "[bold]markup[/]",
        "[link=http://x]x[/link]",
        "日本語 👩‍👩‍👧 é ñ",
    ],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert sanitise(text) == text


def test_line_and_paragraph_separators_become_line_feeds() -> None:
    assert sanitise("a\u2028b\u2029c\r\nd") == "a\nb\nc\nd"


@given(st.text(), st.integers(min_value=0))
def test_sanitising_the_pieces_equals_sanitising_the_whole(text: str, cut: int) -> None:
    at = cut % (len(text) + 1)
    assert sanitise(text[:at]) + sanitise(text[at:]) == sanitise(text)


@given(st.text(st.characters()))
def test_what_is_sane_can_be_encoded_and_stays_sane(text: str) -> None:
    sane = sanitise(text)
    sane.encode("utf-8")
    assert sanitise(sane) == sane


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_title_is_one_line_of_limited_length(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())


def test_lone_surrogates_are_shown_as_replacements() -> None:
    assert sanitise("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
