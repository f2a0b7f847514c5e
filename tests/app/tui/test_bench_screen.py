"""The benchmark's screen: it says what it needs, shows how far it is, and asks before it stops."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import RenderableType

from app.bench import table
from app.bench.quick import QUICK_S, SEED, quick
from app.bench.result import Result
from app.bench.table import parts
from app.errors import AppError
from app.paths import Paths
from app.tui.background import benching
from app.tui.background.benching import QuickBench, Show, Stopped
from app.tui.screens.bench import BenchScreen
from tests.app.bench.making import FakeEngine, answer, heat, result, settings
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.alone import Scenario, Seen, drive
from tests.app.tui.driving import SIZES
from tests.app.tui.test_screen import CONTROL, LINK, MARKUP, times
from tests.patience import PATIENCE_S


class FakeBench:
    """A benchmark that ends when it is told to."""

    def __init__(self, outcome: Result | Exception, former: Result | None = None) -> None:
        self.ended = threading.Event()
        self.stops = 0
        self.left = ""
        self.order: list[str] = []
        self._outcome, self._former = outcome, former

    def start(self) -> FakeBench:
        return self

    async def before(self) -> None:
        self.order.append("before")

    async def after(self) -> None:
        self.order.append("after")

    def run(self, show: Show) -> tuple[Result, Result | None]:
        self.order.append("run")
        show("chat, round 1", 0.25)
        assert self.ended.wait(PATIENCE_S)
        if self.stops:
            raise Stopped
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome, self._former

    def stop(self) -> None:
        self.stops += 1
        self.ended.set()


def play(
    scenario: Scenario, bench: FakeBench, size: tuple[int, int] = (80, 24), title: str = "Demo"
) -> None:
    drive(BenchScreen(title, bench.start, bench.before, bench.after), scenario, size)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_it_says_what_it_will_do_and_begins_when_told_to(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.until_shown("Measures Demo: plain against every drafter")
        assert seen.shows("the chat's model is unloaded meanwhile")
        assert not bench.order
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    bench = FakeBench(result())
    play(scenario, bench, size)
    assert not bench.order


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_table_and_plots_are_shown_and_the_chat_is_loaded_again(size: tuple[int, int]) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.until_shown("chat, round 1")
        await seen.until_shown("25%")
        await seen.until(lambda: "esc Stop" in seen.footer)
        bench.ended.set()
        await seen.until_shown("Speed-up over plain at temperature 0")
        await seen.until_shown("chat 100 1.50×")  # noqa: RUF001
        assert seen.shows("+50 %")
        await seen.press("end")
        await seen.until_shown("Costs over a plain token's 10.00 ms")
        await seen.until(lambda: bench.order == ["before", "run", "after"])
        await seen.until(lambda: "esc Back" in seen.footer)
        await seen.press("escape")
        await seen.until(lambda: not seen.is_open)

    former = result(heat(answer(), answer("lookup", 100.0), answer("auto", 206.0)))
    bench = FakeBench(result(), former)
    play(scenario, bench, size)


def test_the_plots_are_drawn_anew_for_another_width(monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []

    def noted(result: Result, former: Result | None, width: int) -> Iterator[RenderableType]:
        widths.append(width)
        return drawn(result, former, width)

    drawn = table.parts
    monkeypatch.setattr(table, "parts", noted)

    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        bench.ended.set()
        await seen.until_shown("Speed-up over plain")
        assert 40 < widths[-1] <= 80
        await seen.pilot.resize_terminal(40, 20)
        await seen.until(lambda: widths[-1] <= 40)
        await seen.until_shown("Speed-up over plain")
        assert bench.order.count("after") <= 1, "drawn anew, not measured anew"

    bench = FakeBench(result())
    play(scenario, bench)


def test_what_is_drawn_leaves_room_for_the_scrollbar(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = []

    def drawn(result: Result, former: Result | None, columns: int) -> Iterator[RenderableType]:
        widths.append(columns)
        return parts(result, former, columns)

    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        bench.ended.set()
        await seen.until_shown("Speed-up over plain")
        shown = seen.app.shown.query_one("#result")
        await seen.until(lambda: shown.show_vertical_scrollbar)
        assert widths == [shown.scrollable_content_region.width]

    monkeypatch.setattr("app.bench.table.parts", drawn)
    bench = FakeBench(result())
    play(scenario, bench)


def test_escape_asks_before_it_stops_a_running_one() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.until_shown("chat, round 1")
        await seen.press("escape")
        await seen.until_shown("Nothing has been measured yet.")
        await seen.press("escape")
        await seen.until_shown("chat, round 1")
        assert not bench.stops
        bench.left = "What was measured could not be kept: the disk is full."
        await seen.press("escape")
        await seen.until_shown(bench.left)
        await seen.press("y")
        await seen.until(lambda: not seen.is_open)

    bench = FakeBench(result())
    play(scenario, bench)
    assert bench.stops == 1
    assert bench.order == ["before", "run", "after"]


def test_one_that_ended_before_the_answer_shows_its_result() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.until_shown("chat, round 1")
        await seen.press("escape")
        await seen.until_shown("Stop the benchmark?")
        bench.ended.set()
        await seen.until(lambda: "after" in bench.order)
        await seen.press("y")
        await seen.until_shown("Speed-up over plain")
        assert seen.is_open

    bench = FakeBench(result())
    play(scenario, bench)
    assert not bench.stops


def test_a_failure_is_one_line_and_the_chat_is_loaded_again() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        bench.ended.set()
        await seen.until_shown("Nothing to compare: no drafter can draft for this model.")
        await seen.until(lambda: bench.order[-1] == "after")
        await seen.until(lambda: "Begin" in seen.footer)
        assert bench.order.count("after") == 1

    bench = FakeBench(AppError("Nothing to compare: no drafter can draft for this model."))
    play(scenario, bench)


def test_the_end_of_the_app_ends_a_running_one() -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        await seen.until_shown("chat, round 1")

    bench = FakeBench(result())
    play(scenario, bench)
    assert bench.stops == 1
    assert "after" not in bench.order


@pytest.mark.parametrize(
    "text", [*HOSTILE_AT_ONCE.values(), MARKUP], ids=[*HOSTILE_AT_ONCE.keys(), "markup"]
)
def test_hostile_text_is_harmless(text: str) -> None:
    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        bench.ended.set()
        await seen.until_shown("Speed-up over plain")
        assert not any(CONTROL.search(line) for line in seen.lines)
        assert times(LINK, seen.lines) == 2 * text.count(LINK)

    bench = FakeBench(result(notices=(text,), skipped=(text,)))
    play(scenario, bench, (120, 40), title=text)


def test_it_measures_what_the_command_does(tmp_path: Path) -> None:
    target = tmp_path / "target.gguf"
    target.write_bytes(b"GGUF")
    wish, mine = quick(settings(str(target)))
    assert (wish.limit_s, mine.sampling.seed) == (QUICK_S, SEED)
    assert wish.tasks and wish.drafters == ()


class Local(FakeEngine):
    """An engine in the place of the real one."""

    closed = 0

    async def close(self) -> None:
        Local.closed += 1


def test_the_result_is_kept_where_the_command_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target.gguf"
    target.write_bytes(b"GGUF")
    monkeypatch.setattr("engine.EngineClient", lambda log: Local(str(target)))
    told: list[tuple[str, float]] = []
    found, former = QuickBench(settings(str(target))).run(lambda *step: told.append(step))
    assert found.heats and former is None
    assert [path.suffix for path in Paths().bench_dir.rglob("*.json")] == [".json"]
    assert told[0] == ("looking at this machine", 0.0) and told[-1][1] > 0.5
    assert Local.closed


def test_one_that_is_stopped_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target.gguf"
    target.write_bytes(b"GGUF")
    engine = Local(str(target))
    engine.hang_after = 8
    monkeypatch.setattr("engine.EngineClient", lambda log: engine)
    bench = QuickBench(settings(str(target)))

    def stop_late(stage: str, done: float) -> None:
        if done > 0:
            bench.stop()

    with pytest.raises(Stopped):
        bench.run(stop_late)
    assert list(Paths().bench_dir.glob("*.jsonl"))
    assert bench.left.startswith("What was measured is kept (prompts: ")
    early = QuickBench(settings(str(target)))
    early.stop()
    with pytest.raises(benching.Stopped):
        early.run(stop_late)
