"""What changes of a screen has no more styled anew than it must: a long chat would take long."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.containers import VerticalScroll
from textual.dom import DOMNode
from textual.widgets import Footer

from app.history import History
from app.tui.terminal.style_sheet import StyleSheet
from app.tui.widgets.answer_blocks import Paragraph
from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.filling import AT_ONCE
from app.tui.widgets.key_footer import KeyFooter
from app.tui.widgets.panel import Panel
from app.tui.widgets.talk import Talk
from app.tui.widgets.top_bar import TopBar
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import FakeEngine
from tests.app.tui.test_opening_long import long_chat, opened


def watch(monkeypatch: pytest.MonkeyPatch) -> list[DOMNode]:
    """Return a list that what is styled from now on is added to."""
    styled: list[DOMNode] = []
    real = StyleSheet.apply

    def watched(self: StyleSheet, node: DOMNode, **given: bool) -> None:
        styled.append(node)
        real(self, node, **given)

    monkeypatch.setattr(StyleSheet, "apply", watched)
    return styled


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_the_chat_opens_with_is_styled_once(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    styled = watch(monkeypatch)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for kind in (TopBar, Talk, Panel, KeyFooter):
            part = chat.screen.query_one(kind)
            assert styled.count(part) == 1, kind

    drive(scenario, FakeEngine(), size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
@pytest.mark.parametrize("key", ["f1", "f3", "ctrl+o"])
def test_what_another_screen_opens_with_is_styled_once(
    key: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        styled = watch(monkeypatch)
        await chat.pilot.press(key)
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        screen = chat.app.screen
        assert screen.has_class("-wide") is (size[0] >= 110) or key == "f1"
        parts = [part for part in screen.query("*") if isinstance(part, VerticalScroll | Footer)]
        assert len(parts) > 1 and {styled.count(part) for part in parts} == {1}

    drive(scenario, FakeEngine(), size, None, FakeModels(), History.open(tmp_path / "history.db"))


def test_another_theme_chosen_over_another_screen_is_that_of_the_chat_behind_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        before = chat.prompt.styles.background
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.press("ctrl+t", "escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.styles.background != before

    drive(scenario, FakeEngine())


def test_another_screen_has_no_turn_styled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat, long_chat(AT_ONCE))
        styled = watch(monkeypatch)
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        assert any(node.screen is chat.app.screen for node in styled)
        assert not [node for node in styled if isinstance(node, TurnView)]

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("key", ["ctrl+g", "alt+j"])
def test_other_colours_of_words_have_no_part_of_an_answer_styled_anew(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        def grounds() -> set[object]:
            """Return the grounds of the words in sight."""
            return {
                segment.style.bgcolor
                for line in chat.segments()
                for segment in line
                if segment.style and segment.text.strip() == "two"
            }

        turns = long_chat(AT_ONCE)
        for turn in turns:
            turn.answer = "one\n\ntwo\n\nthree"
        await opened(chat, turns)
        before = grounds()
        styled = watch(monkeypatch)
        await chat.pilot.press(key)
        await chat.until(lambda: bool(grounds()) and grounds().isdisjoint(before))
        kinds = {type(node) for node in styled if AnswerText in map(type, node.ancestors)}
        assert kinds <= {DOMNode, Paragraph}, "the cursor of blocks is on one paragraph"
        assert sum(isinstance(node, Paragraph) for node in styled) <= 1
        assert any(isinstance(node, AnswerText) for node in styled)

    drive(scenario, FakeEngine())
