"""A long chat: its newest turns are seen at once, and what is far from sight costs little."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from textual.dom import DOMNode
from textual.geometry import Size
from textual.messages import Layout

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.tui.terminal.style_sheet import StyleSheet
from app.tui.widgets.filling import AT_ONCE
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine, words

N = 4 * AT_ONCE + 3


def long_chat(n: int = N) -> list[Turn]:
    """Return turns of some rows each."""
    return [Turn(f"question {at}", spans=words("one\n\ntwo\n\nthree")) for at in range(n)]


async def opened(chat: Chat, turns: Sequence[Turn]) -> None:
    """Have a chat shown, and wait until it is laid out."""
    await chat.ready()
    await chat.screen.asking.show_turns(list(turns))
    await chat.until(lambda: bool(chat.transcript.turns[0].region))


def test_the_newest_turns_are_seen_before_older_ones_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen_when_made: dict[str, bool] = {}
    restore = TurnView.restore

    async def scenario(chat: Chat) -> None:
        async def watched(self: TurnView, turn: Turn, places: Places) -> None:
            if turn.question == "question 0":
                await chat.until(lambda: chat.shows(f"question {N - 1}"))
            seen_when_made[turn.question] = bool(self.region)
            await restore(self, turn, places)

        monkeypatch.setattr(TurnView, "restore", watched)
        await opened(chat, long_chat())
        assert len(seen_when_made) == N
        assert not any(seen_when_made.values()), "none is laid out before it is made"
        assert [view.question for view in chat.transcript.asked] == [
            t.question for t in long_chat()
        ]

    drive(scenario, FakeEngine())


def test_who_scrolls_up_meanwhile_goes_on_reading_there(monkeypatch: pytest.MonkeyPatch) -> None:
    restore = TurnView.restore

    async def scenario(chat: Chat) -> None:
        before: dict[str, int] = {}

        def rows() -> dict[str, int]:
            """Return the rows at which questions are seen."""
            seen = range(chat.transcript.region.y, chat.transcript.region.bottom)
            views = [view for view in chat.transcript.turns if view.region.height]
            return {v.question: v.region.y for v in views if v.region.y in seen}

        async def scrolled(self: TurnView, turn: Turn, places: Places) -> None:
            await restore(self, turn, places)
            if turn.question == f"question {N - AT_ONCE - 1}":  # the newest of the second lot
                await chat.until(lambda: chat.shows(f"question {N - 1}"))
                chat.transcript.release_anchor()
                chat.transcript.scroll_by(-12)
                await chat.pilot.pause()
                before.update(rows())

        monkeypatch.setattr(TurnView, "restore", scrolled)
        await opened(chat, long_chat())
        await chat.pilot.pause()
        assert len(before) > 1
        assert rows() == before

    drive(scenario, FakeEngine())


def test_a_line_more_has_no_turn_measured_that_is_far_from_sight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured: set[str] = set()
    real = TurnView.get_content_height

    async def scenario(chat: Chat) -> None:
        def watched(self: TurnView, container: Size, viewport: Size, width: int) -> int:
            measured.add(self.question)
            return real(self, container, viewport, width)

        await opened(chat, long_chat())
        monkeypatch.setattr(TurnView, "get_content_height", watched)
        await chat.transcript.note("a line more")
        await chat.until(lambda: chat.shows("a line more"))
        assert "question 0" not in measured and len(measured) < N / 2

    drive(scenario, FakeEngine())


def test_another_screen_has_no_turn_styled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    styled: list[DOMNode] = []
    real = StyleSheet.apply

    async def scenario(chat: Chat) -> None:
        def watched(self: StyleSheet, node: DOMNode, **given: bool) -> None:
            styled.append(node)
            real(self, node, **given)

        await opened(chat, long_chat(AT_ONCE))
        monkeypatch.setattr(StyleSheet, "apply", watched)
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        assert any(node.screen is chat.app.screen for node in styled)
        assert not [node for node in styled if isinstance(node, TurnView)]

    drive(scenario, FakeEngine())


def test_what_is_not_displayed_asks_for_no_layout() -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat, long_chat(2))
        view = chat.transcript.turns[0]
        layouts: list[Size | None] = []
        real = chat.screen._refresh_layout

        def counted(size: Size | None = None, scroll: bool = False) -> None:
            layouts.append(size)
            real(size, scroll)

        chat.screen._refresh_layout = counted  # type: ignore[method-assign]
        for is_shown in (True, False):
            view.display = is_shown
            await chat.pilot.pause(0.2)
            layouts.clear()
            chat.screen.post_message(Layout(view.query_one(".turn--question")))
            await chat.pilot.pause(0.2)
            assert bool(layouts) == is_shown

    drive(scenario, FakeEngine())


def test_no_timer_runs_for_an_answer_that_was_read() -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat, long_chat(2))
        assert [view._text._drain_timer for view in chat.transcript.turns] == [None, None]

    drive(scenario, FakeEngine())


def test_the_chat_can_be_used_while_older_turns_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = asyncio.Event()
    restore = TurnView.restore

    async def scenario(chat: Chat) -> None:
        async def held(self: TurnView, turn: Turn, places: Places) -> None:
            if turn.question == f"question {N - AT_ONCE - 1}":
                await may_go_on.wait()
            await restore(self, turn, places)

        monkeypatch.setattr(TurnView, "restore", held)
        await chat.ready()
        await chat.screen.asking.show_turns(long_chat())
        await chat.until(lambda: chat.shows(f"question {N - 1}"))
        for _ in range(2 * AT_ONCE):
            chat.transcript.select_beside(-1)
        chosen = chat.transcript.selected
        assert chosen is not None and chosen.question == f"question {N - AT_ONCE}"
        chat.transcript.select(None)
        await chat.ask("and then?")
        await chat.until(lambda: chat.transcript.turns[-1].over)
        assert not chat.transcript.turns[0].over
        may_go_on.set()
        await chat.transcript.whole()
        await chat.until(lambda: bool(chat.transcript.turns[0].region))
        assert all(view.over for view in chat.transcript.turns)

    drive(scenario, FakeEngine())
