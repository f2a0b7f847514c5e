"""What was said long ago costs little while something is said now."""

from __future__ import annotations

from collections import Counter

import pytest
from textual.dom import DOMNode
from textual.geometry import Size
from textual.layout import DockArrangeResult
from textual.widget import Widget

from app.chat.branches import Places
from app.tui.app import SlipstreamApp
from app.tui.widgets.strip import Strip
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

LIST = words("Members:\n\n- first one\n- second one\n\n```python\nx = 1\n```\n\nThe end.")
N = 9


def laid_out(turn: TurnView) -> bool:
    """Whether anything in it has a place."""
    return any(child.region for child in turn.children)


async def many(chat: Chat) -> list[TurnView]:
    """Ask until the first turns are far from sight, and return all."""
    for number in range(1, N + 1):
        await chat.ask(f"question {number}")
        await chat.answered(number)
    turns = chat.screen.talk.transcript.turns
    await chat.until(lambda: not laid_out(turns[0]) and laid_out(turns[-1]))
    return turns


def answers() -> FakeEngine:
    return FakeEngine(*[Answer(LIST)] * N)


def test_turns_far_from_sight_keep_their_room_and_are_laid_out_when_they_come_near() -> None:
    async def scenario(chat: Chat) -> None:
        turns = await many(chat)
        transcript = chat.screen.talk.transcript
        height = transcript.virtual_size.height
        assert not laid_out(turns[0])
        await chat.pilot.press("ctrl+home")
        await chat.until(lambda: chat.shows("question 1") and not laid_out(turns[-1]))
        assert chat.shows("second one") and laid_out(turns[0])
        assert transcript.virtual_size.height == height
        turns[-1].tell_version(Places((1, 2)))
        await chat.until(lambda: transcript.virtual_size.height == height + 1)
        await chat.pilot.press("ctrl+end")
        await chat.until(lambda: chat.shows("question 1 of 2"))

    drive(scenario, answers())


def test_how_much_is_laid_out_does_not_grow_with_the_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: Counter[TurnView] = Counter()
    arrange = Widget.arrange

    def counted(self: Widget, size: Size, optimal: bool = False) -> DockArrangeResult:
        if isinstance(self, TurnView):
            laid_out[self] += 1
        return arrange(self, size, optimal)

    async def scenario(chat: Chat) -> None:
        turns = await many(chat)
        monkeypatch.setattr(Widget, "arrange", counted)
        await chat.ask("one more")
        await chat.answered(N + 1)
        assert not laid_out[turns[0]] and not laid_out[turns[1]]
        assert laid_out[chat.screen.talk.transcript.turns[-1]]

    drive(scenario, FakeEngine(*[Answer(LIST)] * (N + 1)))


def test_what_stands_around_the_chat_changes_without_styling_the_chat_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    styled: list[DOMNode] = []
    update = SlipstreamApp.update_styles

    def counted(self: SlipstreamApp, node: DOMNode, animate: bool = True) -> None:
        styled.extend(node.walk_children(TurnView, with_self=True))
        update(self, node, animate)

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        monkeypatch.setattr(SlipstreamApp, "update_styles", counted)
        await chat.ask("/frame none")
        await chat.until(lambda: chat.screen.has_class("-no-figures"))
        assert not chat.screen.query_one(Strip).display
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.has_class("-tabs"))
        assert not styled

    drive(scenario, answers())
