"""While somebody types, what an answer brings is laid out once, and painted behind the letters."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from time import perf_counter

import pytest
from textual.geometry import Region, Size

from app.tui.terminal import quick_screen
from app.tui.terminal.quick_screen import STRIPE
from app.tui.widgets import answer_blocks
from app.tui.widgets.answer_blocks import Fence, compile_lexers
from app.tui.widgets.answer_text import AnswerText
from engine import Span
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine
from tests.long_answer import long_answer

TEXT = long_answer(1500)
CUT = 3000
"""Characters that stream before the engine waits."""
PIECE, PIECES = 1600, 4
LAYOUTS = 2 if hasattr(asyncio, "eager_task_factory") else 1
"""With eager tasks, as Textual has them from Python 3.12 on, the scrollbar of a code block goes
only behind the first layout.
"""

Scenario = Callable[[Chat, AnswerText], Awaitable[None]]


def while_it_waits(scenario: Scenario) -> None:
    """Drive a scenario while an answer fills the screen and no more of it comes."""

    async def driven(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: len(chat.turns[0].text) == CUT)
        await rest(chat)
        await scenario(chat, chat.screen.query_one(AnswerText))
        chat.engine.release()
        await chat.answered()

    first, last = Span(TEXT[:CUT], "plain"), Span(TEXT[CUT:], "plain")
    drive(driven, FakeEngine(Answer([first, last], hold_after=1)), NARROW)


async def rest(chat: Chat) -> None:
    """Wait until all is laid out and painted."""
    await chat.until(lambda: not chat.screen._update_timer._active.is_set())
    await chat.pilot.pause(0.2)


def painted(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> list[set[Region]]:
    """Return a list that each picture's regions are added to."""
    compositor, found = chat.screen._compositor, []
    real = compositor.render_update

    def render(**given: bool) -> object:
        found.append(set(compositor._dirty_regions))
        return real(**given)

    monkeypatch.setattr(compositor, "render_update", render)
    return found


def test_a_piece_of_several_slices_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some piece is: where the machine is busy, one may come in parts."""

    async def scenario(chat: Chat, answer: AnswerText) -> None:
        layouts: list[Size | None] = []
        of_several = []
        real = chat.screen._refresh_layout

        def lay_out(size: Size | None = None, scroll: bool = False) -> None:
            layouts.append(size)
            real(size, scroll)

        monkeypatch.setattr(chat.screen, "_refresh_layout", lay_out)
        for start in range(CUT, CUT + PIECES * PIECE, PIECE):
            layouts.clear()
            n_parts = len(answer.parts)
            answer.feed([Span(TEXT[start : start + PIECE], "plain")])
            await chat.until(lambda: not answer._queue)
            await rest(chat)
            if len(answer.parts) > n_parts:
                of_several.append(len(layouts))
        assert min(of_several) <= LAYOUTS

    while_it_waits(scenario)


def test_a_letter_is_painted_between_the_bands_of_a_slow_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat, answer: AnswerText) -> None:
        pictures = painted(chat, monkeypatch)
        screen, field = chat.screen, chat.prompt
        field.typed_at = perf_counter()
        monkeypatch.setattr(quick_screen, "BAND_S", 0.0)
        screen._compositor._dirty_regions |= {chat.transcript.region, Region(0, -90, 5, 99)}
        screen._paint_next()
        field.insert("a")
        assert len(pictures) == 2
        assert rows(pictures[0]) == set(range(STRIPE))
        assert pictures[1] == {field.region}
        await chat.until(lambda: not screen._is_waiting)
        assert all(len(rows(each)) <= STRIPE for each in pictures)
        assert rows(*pictures) >= set(chat.transcript.region.line_range)

    while_it_waits(scenario)


def rows(*pictures: set[Region]) -> set[int]:
    return {row for each in pictures for region in each for row in region.line_range}


def test_what_waits_to_be_painted_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat, answer: AnswerText) -> None:
        pictures = painted(chat, monkeypatch)
        screen, top_bar = chat.screen, chat.screen.query_one("TopBar")
        chat.prompt.typed_at = perf_counter()
        top_bar._set_dirty()
        screen._dirty_widgets.add(top_bar)
        chat.prompt.insert("a")
        assert pictures == [{chat.prompt.region}] and top_bar in screen._dirty_widgets
        with chat.app.batch_update():
            screen._paint_next()
            assert len(pictures) == 1, "nothing would have been shown"
        await chat.until(lambda: any(top_bar.region in each for each in pictures))
        assert top_bar not in screen._dirty_widgets

    while_it_waits(scenario)


def test_a_key_on_its_way_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat, answer: AnswerText) -> None:
        screen, field = chat.screen, chat.prompt
        field.typed_at = perf_counter()
        pictures = painted(chat, monkeypatch)
        screen._compositor._dirty_regions |= {chat.transcript.region}
        chat.app.last_key_at = perf_counter()
        screen._paint_next()
        screen.refresh(layout=True)
        screen._on_timer_update()
        assert pictures == [] and screen._layout_required
        field.last_key_at = perf_counter()
        field.insert("a")
        assert pictures == [{field.region}]
        await chat.until(lambda: rows(*pictures) >= set(chat.transcript.region.line_range))
        assert not screen._layout_required

    while_it_waits(scenario)


def test_a_key_that_never_gets_to_the_field_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat, answer: AnswerText) -> None:
        pictures = painted(chat, monkeypatch)
        chat.app.last_key_at = perf_counter()
        chat.screen.refresh()
        assert chat.prompt.last_key_at < chat.app.last_key_at
        await chat.until(lambda: bool(pictures))
        assert perf_counter() > chat.app.last_key_at + quick_screen.DUE_S

    while_it_waits(scenario)


def test_the_app_knows_of_a_key_before_the_field_does() -> None:
    async def scenario(chat: Chat, answer: AnswerText) -> None:
        chat.prompt.focus()
        before = perf_counter()
        await chat.pilot.press("a")
        assert before < chat.app.last_key_at < chat.prompt.last_key_at
        await chat.pilot.press("home")
        assert not chat.screen._is_key_due
        await chat.pilot.press("ctrl+t")
        assert chat.app.last_key_at < 0 and not chat.screen._is_key_due

    while_it_waits(scenario)


def test_what_highlights_a_language_is_compiled_once_and_beside_the_app(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[tuple[str, threading.Thread]] = []

    def highlight(code: str, language: str) -> None:
        threads.append((language, threading.current_thread()))

    monkeypatch.setattr(Fence, "highlight", highlight)
    monkeypatch.setattr(answer_blocks, "_compiled", set())
    for _ in range(2):
        asyncio.run(compile_lexers("Text\n> ```c\nx\n> ```\n  ~~~~ python file.py\ny\n"))
    assert {language for language, _ in threads} == {"c", "python"}
    assert len(threads) == 2
    assert threading.main_thread() not in {thread for _, thread in threads}


def test_what_waits_for_a_batch_to_end_is_looked_at_again_at_the_next_turn() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        timer = chat.screen._update_timer
        with chat.app.batch_update():
            timer.resume()
            chat.screen._on_timer_update()
            assert timer._active.is_set(), "nobody may prompt this screen behind it"
        await chat.until(lambda: not timer._active.is_set())

    drive(scenario, FakeEngine())
