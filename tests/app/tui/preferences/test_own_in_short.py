"""The first line tells what a chat has for itself in one order, however it was chosen and kept."""

from __future__ import annotations

from itertools import permutations

from app.settings.rows import Value
from app.tui.preferences.own_in_short import in_short

CHOSEN: dict[str, Value | None] = {"seed": 5, "temp": 1.2, "system": "You are Bo.", "top_k": 9}


def test_the_order_is_that_of_the_settings() -> None:
    told = {in_short(dict(chosen)) for chosen in permutations(CHOSEN.items())}
    assert told == {"system prompt · T 1.2 · top-k 9 · seed 5"}
