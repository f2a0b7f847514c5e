"""What moved is painted, and hears of its size, whoever asked for a place between two layouts."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pyte
import pytest
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Static

from app.tui.terminal import quick_screen
from app.tui.terminal.quick_screen import QuickScreen
from engine import Span
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, wait_until
from tests.long_answer import long_answer

TEXT = long_answer(1200)
PIECE = 60
"""Characters of an answer that come at once."""
N_ROWS = 10


class Row(Static):
    """A row that notes how wide it was told to be."""

    told = 0

    def on_resize(self, event: Resize) -> None:
        self.told = event.size.width


class Rows(QuickScreen):
    """Twenty rows that scroll in ten."""

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield from (Row(f"row {n}") for n in range(2 * N_ROWS))


class RowsApp(App[None]):
    CSS = f"VerticalScroll {{ height: {N_ROWS}; }} Row {{ height: 1; width: 20; }}"

    def get_default_screen(self) -> Rows:
        return Rows()


def among_rows(scenario: Callable[[Pilot[None], Rows], Awaitable[None]]) -> None:
    async def run() -> None:
        async with RowsApp().run_test(size=(40, N_ROWS + 2)) as pilot:
            screen = pilot.app.screen
            assert isinstance(screen, Rows)
            await wait_until(lambda: screen.query(Row).last().told == 20)
            await wait_until(lambda: not screen._dirty_widgets)
            await scenario(pilot, screen)

    asyncio.run(run())


@contextmanager
def terminal_of(app: App[None], monkeypatch: pytest.MonkeyPatch) -> Iterator[pyte.Screen]:
    """Yield a terminal that shows all that is painted from now on."""
    terminal = pyte.Screen(*app.size)
    stream = pyte.Stream(terminal)

    def display(screen: Screen[None], picture: object) -> None:
        if isinstance(picture, CompositorUpdate) and not app._batch_count:
            stream.feed(picture.render_segments(app.console))

    with monkeypatch.context() as patch:
        patch.setattr(app, "_display", display)
        display(app.screen, app.screen._compositor.render_full_update())
        yield terminal


def ask_for_places(screen: Screen[None]) -> None:
    """Have the map of the widgets made anew, as where the place of one is asked for."""
    screen._compositor._full_map_invalidated = True
    assert screen._compositor.full_map


@pytest.mark.parametrize("scroll", [True, False], ids=["scrolled", "laid out"])
def test_what_moved_before_a_place_was_asked_for_is_painted(
    scroll: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(pilot: Pilot[None], screen: Rows) -> None:
        with terminal_of(pilot.app, monkeypatch) as terminal:
            screen.query_one(VerticalScroll).set_reactive(VerticalScroll.scroll_y, 5)
            ask_for_places(screen)
            screen._refresh_layout(scroll=scroll)
            shown = [line.split("  ")[0] for line in terminal.display[:N_ROWS]]
        assert shown == [f"row {n}" for n in range(5, 5 + N_ROWS)]

    among_rows(scenario)


def test_what_was_and_is_out_of_sight_is_no_place_to_paint() -> None:
    """Of nothing but such, Textual makes a picture of no rows, and fails."""

    async def scenario(pilot: Pilot[None], screen: Rows) -> None:
        compositor = screen._compositor
        row, (_, clip) = next(iter(compositor.visible_widgets.items()))
        compositor._on_screen = {
            **compositor.visible_widgets,
            row: (Region(clip.x, clip.y - 2, clip.width, 2), clip),
        }
        compositor._dirty_regions.clear()
        compositor._mark_moved()
        assert compositor._dirty_regions and all(compositor._dirty_regions)

    among_rows(scenario)


def test_what_grew_before_a_place_was_asked_for_hears_of_it() -> None:
    async def scenario(pilot: Pilot[None], screen: Rows) -> None:
        row = screen.query(Row).first()
        row.styles.width = 30
        screen.query_one(VerticalScroll)._clear_arrangement_cache()
        ask_for_places(screen)
        screen._refresh_layout()
        await wait_until(lambda: row.told == 30)
        assert row.size.width == 30

    among_rows(scenario)


def test_of_what_is_painted_anew_the_other_rows_are_not_rendered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(pilot: Pilot[None], screen: Rows) -> None:
        rendered: list[tuple[object, Region]] = []
        real = Static.render_lines

        def render_lines(row: Static, crop: Region) -> list[Strip]:
            rendered.append((row, crop))
            return real(row, crop)

        monkeypatch.setattr(Static, "render_lines", render_lines)
        compositor, rows = screen._compositor, list(screen.query(Row))
        compositor._dirty_regions = {rows[3].region, rows[4].region}
        compositor.render_update()
        assert {row for row, _ in rendered} == {rows[3], rows[4]} and len(rendered) == 2
        assert all(crop == Region(0, 0, 20, 1) for _, crop in rendered)

    among_rows(scenario)


def test_a_change_out_of_sight_lays_nothing_out() -> None:
    async def scenario(pilot: Pilot[None], screen: Rows) -> None:
        last = screen.query(Row).last()
        screen._compositor.update_widgets({last})
        assert last.region.y >= N_ROWS
        assert not screen._compositor._full_map_invalidated

    among_rows(scenario)


@pytest.mark.parametrize("seed", range(3))
def test_the_terminal_shows_what_there_is_whatever_came_between(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    monkeypatch.setattr(quick_screen, "BAND_S", 0.0)
    pieces = [Span(TEXT[at : at + PIECE], "plain") for at in range(0, len(TEXT), PIECE)]

    async def ask_now_and_then(screen: Screen[None]) -> None:
        while True:
            await asyncio.sleep(0.01 * dice.random())
            ask_for_places(screen)

    async def scenario(chat: Chat) -> None:
        def is_true() -> bool:
            return not screen._is_waiting and terminal.display == chat.lines

        screen, keys = chat.screen, ["a", "a", "backspace", "pageup", "ctrl+end"]
        asking = asyncio.create_task(ask_now_and_then(screen))
        with terminal_of(chat.app, monkeypatch) as terminal:
            await chat.ask("question")
            while not (chat.turns and chat.turns[0].over):
                await chat.pilot.press(dice.choice(keys))
            asking.cancel()
            await chat.until(is_true)
        assert terminal.display == chat.lines

    drive(scenario, FakeEngine(Answer(pieces, pace_s=0.01)), NARROW)
