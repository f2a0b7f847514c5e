"""Progress is shown forwards only, of all files together, and in lines where nobody watches."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress as Bars

from app.models.bars import Shown, shown
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


def watched(planned: Plan) -> tuple[Shown, Bars]:
    bars = Bars(console=Console(file=io.StringIO()), disable=True)
    return Shown(planned, bars, is_watched=True), bars


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


def test_without_a_terminal_there_are_few_lines_and_they_rise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with shown(plan(1000)) as show:
        for done in range(1001):
            show.report(Progress(ONE, "downloading", done, 1000))
        show.report(Progress(ONE, "checking", 5, 1000))
        show.report(Progress(ONE, "done", 1000, 1000))
    captured = capsys.readouterr()
    lines = captured.err.splitlines()
    assert captured.out == "" and "\x1b" not in captured.err
    assert 10 <= len(lines) <= 13
    numbers = [int(re.search(r"(\d+) k?B of", line)[1]) for line in lines[:-1]]  # type: ignore[index]
    assert numbers == sorted(numbers)
    assert lines[-1] == "one.gguf: done 1 kB of 1 kB"


def test_what_happens_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(plan(None)) as show:
        for note in ("", "too slow", "too slow", "", "too slow"):
            show.report(Progress(ONE, "waiting", 7, None, note))
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if "too slow" in line] == [
        "one.gguf: waiting 7 B (too slow)"
    ] * 2


def test_foreign_words_reach_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(plan(10)) as show:
        show.report(Progress("a/b:\x1b[2Jname.gguf", "waiting", 1, 10, "\x1b]52;;x\x07no\nway"))
    assert capsys.readouterr().err == "[2Jname.gguf: waiting 1 B of 10 B (]52;;xno way)\n"


def test_a_terminal_gets_bars_and_no_lines() -> None:
    screen = io.StringIO()
    bars = Bars(console=Console(file=screen, force_terminal=True, width=80))
    with bars:
        show = Shown(plan(100, 100), bars, is_watched=True)
        show.report(Progress(ONE, "downloading", 100, 100))
        show.report(Progress(TWO, "done", 100, 100))
    assert "two.gguf" in screen.getvalue() and "100%" in screen.getvalue()


def test_the_speed_does_not_count_what_was_here() -> None:
    show, bars = watched(plan(100))
    show.report(Progress(ONE, "checking", 60, 100))
    show.report(Progress(ONE, "downloading", 60, 100))
    (task,) = bars.tasks
    assert task.completed == 60 and not task.speed
