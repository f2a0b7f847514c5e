"""A long chat is laid out when all of it is there, not once for each of its turns."""

from __future__ import annotations

import pytest

from app.chat.conversation import Turn
from app.chat.recorder import Places
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine, words

N = 30


def test_no_turn_of_a_chat_is_laid_out_before_all_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    were_laid_out: list[bool] = []
    restore = TurnView.restore

    async def scenario(chat: Chat) -> None:
        async def watched(self: TurnView, turn: Turn, places: Places) -> None:
            were_laid_out.append(any(view.region for view in chat.transcript.turns))
            await restore(self, turn, places)

        monkeypatch.setattr(TurnView, "restore", watched)
        await chat.ready()
        turns = [Turn(f"question {n}", spans=words("one\n\ntwo")) for n in range(N)]
        await chat.screen.asking.show_turns(turns)
        assert were_laid_out == [False] * N
        await chat.until(lambda: chat.shows(f"question {N - 1}"))

    drive(scenario, FakeEngine())
