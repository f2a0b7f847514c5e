"""Finished turns made a few at a time, the newest first: a long chat fills while it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.tui.widgets.turn_view import TurnView

Finished: TypeAlias = tuple[tuple[TurnView, Turn], Places]

AT_ONCE = 10
"""So many turns of a long chat are shown at once: more would be laid out for too long."""


def lots(turns: Sequence[Finished]) -> Iterator[Sequence[Finished]]:
    """Yield the turns in lots of AT_ONCE, the newest lot first."""
    for end in range(len(turns), 0, -AT_ONCE):
        yield turns[max(0, end - AT_ONCE) : end]


async def made(some: Sequence[Finished]) -> list[TurnView]:
    """Have turns say what they are, unless they have been taken away meanwhile; return them."""
    for (view, turn), places in some:
        if view.is_attached:
            await view.restore(turn, places)
    return [view for (view, _), _ in some]
