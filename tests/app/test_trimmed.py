"""Around a text there is no white space, but what its first line means by some stays."""

from __future__ import annotations

import pytest

from app.trimmed import trimmed, trimmed_lines


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (" So.\n", "So."),
        ("\r\n \n   So.\n\n", "So."),
        ("    x = 1\n    y = 2\n", "    x = 1\n    y = 2"),
        ("\n\n\tmake all\n", "\tmake all"),
        ("  \tls", "  \tls"),
        ("a\n    b", "a\n    b"),
        (" \n ", ""),
        ("", ""),
    ],
)
def test_only_what_means_nothing_goes(text: str, kept: str) -> None:
    assert trimmed(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  So.\n", "So."),
        ("\r\n \n   So.\n\n", "So."),
        ("    x = 1", "x = 1"),
        ("  - a\n  - b\n", "  - a\n  - b"),
        ("\n \n\tdo\n\t\tx\n", "\tdo\n\t\tx"),
        ("a\n    b", "a\n    b"),
        (" \n ", ""),
        ("", ""),
    ],
)
def test_several_lines_stay_indented_as_they_were(text: str, kept: str) -> None:
    assert trimmed_lines(text) == kept
