"""Around a text there is no white space, but what makes its first line code stays."""

from __future__ import annotations

import pytest

from app.trimmed import trimmed


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
