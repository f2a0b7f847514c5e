"""Bars run forwards only, for each file and for all together."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress as Columns

from app.models.bars import Bars, columns
from app.models.catalog import ModelSpec
from app.models.download import Progress, Stage
from app.models.hub import Remote
from app.models.pull import Plan

ONE, TWO, HERE = (f"someone/models:{name}.gguf" for name in ("one", "two", "here"))
STAGES: tuple[Stage, ...] = ("checking", "downloading", "waiting", "done")


def plan(*sizes: int | None) -> Plan:
    remotes = [
        Remote(
            ModelSpec(repo="someone/models", file=source.rpartition(":")[2]),
            "http://127.0.0.1",
            "c" * 40,
            size,
            None,
            "mit",
            {},
        )
        for source, size in zip((ONE, TWO), sizes, strict=False)
    ]
    return Plan("pair", (), tuple(remotes), 0)


def watched(planned: Plan) -> tuple[Bars, Columns]:
    columns = Columns(console=Console(file=io.StringIO()), disable=True)
    return Bars(planned, columns), columns


progresses = st.builds(
    Progress,
    st.sampled_from([ONE, TWO, HERE]),
    st.sampled_from(STAGES),
    st.integers(0, 100),
    st.just(100),
    st.sampled_from(["", "the connection ended early"]),
)


@given(st.lists(progresses, max_size=30))
def test_nothing_that_is_shown_runs_backwards_or_beyond_its_end(reports: list[Progress]) -> None:
    show, bars = watched(plan(100, 100))
    before: dict[int, float] = {}
    for report in reports:
        show.report(report)
        for task in bars.tasks:
            assert before.get(task.id, 0) <= task.completed <= (task.total or 0)
            before[task.id] = task.completed


def test_all_is_the_sum_of_what_is_fetched_and_of_nothing_else() -> None:
    show, bars = watched(plan(100, 50))
    for report in (
        Progress(HERE, "checking", 70, 70),
        Progress(ONE, "downloading", 30, 100),
        Progress(TWO, "checking", 20, 50),
    ):
        show.report(report)
    (total,) = (task for task in bars.tasks if task.description == "all")
    assert (total.completed, total.total) == (50, 150)


def test_one_file_needs_no_sum_and_an_unknown_size_gives_no_total() -> None:
    _, bars = watched(plan(100))
    assert [task.description for task in bars.tasks] == ["one.gguf"]
    _, bars = watched(plan(100, None))
    assert [task.total for task in bars.tasks] == [100, None, None]


def test_a_terminal_gets_bars_and_no_lines() -> None:
    screen = io.StringIO()
    columns = Columns(console=Console(file=screen, force_terminal=True, width=80))
    with columns:
        show = Bars(plan(100, 100), columns)
        show.report(Progress(ONE, "downloading", 100, 100))
        show.report(Progress(TWO, "done", 100, 100))
    assert "two.gguf" in screen.getvalue() and "100%" in screen.getvalue()


def test_the_speed_does_not_count_what_was_here() -> None:
    show, bars = watched(plan(100))
    show.report(Progress(ONE, "checking", 60, 100))
    show.report(Progress(ONE, "downloading", 60, 100))
    (task,) = bars.tasks
    assert task.completed == 60 and not task.speed


def test_a_file_that_was_here_and_is_fetched_anew_begins_at_nothing() -> None:
    show, bars = watched(plan())
    show.report(Progress(HERE, "checking", 100, 100))
    show.report(Progress(HERE, "downloading", 0, 100, "it is another file", is_anew=True))
    show.report(Progress(HERE, "downloading", 30, 100))
    (task,) = bars.tasks
    assert task.completed == 30


@pytest.mark.parametrize("width", [40, 60, 80, 160])
def test_each_file_has_one_line_that_says_how_far_it_is(width: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    bars = columns(console)
    show = Bars(plan(1000, 1000), bars)
    note = "what was downloaded earlier was damaged: once more"
    show.report(Progress(ONE, "waiting", 400, 1000, note))
    console.print(bars.get_renderable())
    assert isinstance(console.file, io.StringIO)
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()]
    assert [line.split()[0] for line in lines] == ["one.gguf", "two.gguf", "all"]
    assert ("40 %" if width < 80 else "0.4/1.0 kB") in lines[0] and "what was" in lines[0]
