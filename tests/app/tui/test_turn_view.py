"""What a turn says of itself while it is answered."""

from __future__ import annotations

import pytest

from app.tui.widgets.turn_view import TurnView
from engine import Started


@pytest.mark.parametrize(
    ("started", "said"),
    [
        (Started(1, 24, 0), "reading 24 tokens…"),
        (Started(1, 24, 23), "reading 1 token…"),
        (Started(1, 24, 24), "reading…"),
        (Started(1, 5350, 256, 1280), "reading 5,094 tokens… 25 %"),
    ],
)
def test_how_much_is_read_is_told(
    monkeypatch: pytest.MonkeyPatch, started: Started, said: str
) -> None:
    told: list[str] = []
    monkeypatch.setattr(TurnView, "_say", lambda _, text: told.append(text))
    TurnView(1, "question").prefill(started)
    assert told == [said]
