"""What is not sent is marked without looking into the turns: that is done at every change."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget

from app.tui.widgets.left_out import LeftOut, mark_left_out
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat
from tests.app.tui.turns.test_full_context import play, talk


def test_marking_looks_at_no_more_than_the_turns_and_the_lines_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    is_counting = False
    nodes = Widget.__getattribute__

    def watched(self: Widget, name: str) -> object:
        if is_counting and name in ("_nodes", "children"):
            looked.append(type(self).__name__)
        return nodes(self, name)

    async def scenario(chat: Chat) -> None:
        nonlocal is_counting
        await talk(chat, "a", "b", "c")
        await chat.screen.action_act("leave-out", "2")
        await chat.until(lambda: len(chat.transcript.query(LeftOut)) == 1)
        conversation = chat.screen.session.conversation
        is_counting = True
        await mark_left_out(chat.transcript, conversation)
        is_counting = False
        assert sorted(set(looked)) == ["Page", "Transcript"]
        assert len(looked) <= 4
        conversation.turns[1].skipped = False
        await mark_left_out(chat.transcript, conversation)
        assert not chat.transcript.query(LeftOut)
        assert not any(view.has_class("-left-out") for view in chat.transcript.query(TurnView))

    monkeypatch.setattr(Widget, "__getattribute__", watched)
    play(tmp_path, scenario)


def test_who_reads_below_a_line_that_comes_goes_on_reading_there(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *"abcdefgh")
        transcript = chat.transcript
        transcript.scroll_by(-4)
        await chat.pilot.pause()
        view = transcript.turns[-2]
        before = view.region.y
        assert transcript.turns[0].region.bottom < transcript.region.y < before
        await chat.screen.action_act("leave-out", "1")
        await chat.until(lambda: len(transcript.query(LeftOut)) == 1)
        await chat.until(lambda: transcript.turns[1].virtual_region.y > transcript.turns[0]
                         .virtual_region.bottom + 1)  # fmt: skip
        await chat.until(lambda: view.region.y == before)

    play(tmp_path, scenario)
