"""A long chat: its newest turns are seen at once, and what is far from sight costs little."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest
from textual.geometry import Size
from textual.messages import Layout
from textual.widgets import Static

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.tui.widgets.filling import AT_ONCE
from app.tui.widgets.left_out import LeftOut
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine, words

N = 2 * AT_ONCE + 3


def long_chat(n: int = N) -> list[Turn]:
    """Return turns of some rows each."""
    return [Turn(f"question {at}", spans=words("one\n\ntwo\n\nthree")) for at in range(n)]


async def opened(chat: Chat, turns: Sequence[Turn]) -> None:
    """Have a chat shown, and wait until it is laid out."""
    await chat.ready()
    await chat.screen.asking.show_turns(list(turns))
    await chat.until(lambda: bool(chat.transcript.turns[0].region))
    await chat.pilot.pause()


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


def test_the_newest_turns_alone_are_mounted_before_they_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mounted: list[int] = []
    restore = TurnView.restore

    async def scenario(chat: Chat) -> None:
        async def watched(self: TurnView, turn: Turn, places: Places) -> None:
            if not chat.shows(f"question {N - 1}"):
                mounted.append(len(chat.turns))
            await restore(self, turn, places)

        monkeypatch.setattr(TurnView, "restore", watched)
        await opened(chat, long_chat())
        assert max(mounted) == AT_ONCE
        assert chat.turns == chat.transcript.turns, "all are there, in their order"

    drive(scenario, FakeEngine())


@contextlib.asynccontextmanager
async def held(
    chat: Chat, turns: list[Turn], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """Show a chat whose second newest lot is not made before the end."""
    may_go_on, restore = asyncio.Event(), TurnView.restore

    async def waiting(self: TurnView, turn: Turn, places: Places) -> None:
        if turn is turns[-AT_ONCE - 1]:
            await may_go_on.wait()
        await restore(self, turn, places)

    monkeypatch.setattr(TurnView, "restore", waiting)
    await chat.ready()
    await chat.screen.asking.show_turns(turns)
    await chat.until(lambda: chat.shows(turns[-1].question))
    yield
    may_go_on.set()
    await chat.until(lambda: all(view.over for view in chat.transcript.turns))
    await chat.pilot.pause()


def test_what_is_taken_away_meanwhile_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        async with held(chat, long_chat(), monkeypatch):
            await chat.transcript.cut_behind(chat.transcript.turns[2])
        assert [view.question for view in chat.turns] == ["question 0", "question 1", "question 2"]
        assert all(view.over for view in chat.turns) and chat.shows("question 2")

    drive(scenario, FakeEngine())


def test_what_is_shown_instead_meanwhile_is_shown_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        others = [Turn(f"other {at}", spans=words("yes")) for at in range(2 * AT_ONCE)]
        async with held(chat, long_chat(), monkeypatch):
            await chat.screen.asking.show_turns(list(others))
        assert [view.question for view in chat.turns] == [turn.question for turn in others]
        assert all(view.over for view in chat.turns) and chat.shows(others[-1].question)

    drive(scenario, FakeEngine())


def test_older_turns_say_what_the_newest_do_once_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        turns = long_chat()
        for turn in turns:
            turn.answer, turn.pair = "one\n\ntwo\n\nthree", "large"
        turns[0].pair, turns[1].skipped = "small", True
        async with held(chat, turns, monkeypatch):
            assert not chat.transcript.query(LeftOut)
        await chat.until(lambda: len(chat.transcript.query(LeftOut)) == 1)
        first, second, line, *_ = chat.transcript.query("TurnView, LeftOut")
        assert isinstance(line, LeftOut) and second.has_class("-left-out")
        assert [first, second] == chat.transcript.turns[:2]
        feet = [view.query_one(".turn--foot", Static) for view in chat.transcript.turns]
        assert [str(foot.content) for foot in feet[:2]] == ["by small", "by large"]

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
        await chat.ask("and then?")
        await chat.until(lambda: chat.transcript.turns[-1].over)
        assert not chat.transcript.turns[0].over
        may_go_on.set()
        await chat.until(lambda: bool(chat.transcript.turns[0].region))
        assert all(view.over for view in chat.transcript.turns)

    drive(scenario, FakeEngine())
