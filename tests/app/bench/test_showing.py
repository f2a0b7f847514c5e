"""What the table and the report say of made-up results."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from rich.console import Console

from app.bench.export import as_json
from app.bench.kept import read_result
from app.bench.plots import bar_line, curves
from app.bench.report import as_html
from app.bench.result import Layers, ModelFile, Result, TaskFacts
from app.bench.table import show_result
from app.bench.words import change
from tests.app.bench.making import answer, heat, result, setup

HOSTILE = "\x1b]0;pwned\x07<script>alert(1)</script>&"
LOOPING = answer("auto", 200.0, distinct=0.2)
FULL = result(
    heat(temperature=0.0),
    heat(answer(), answer("lookup", 90.0), LOOPING, task="copy", temperature=0.8),
)


def shown(of: Result, former: Result | None = None, columns: int = 80, **terminal: Any) -> str:
    out = io.StringIO()
    console = Console(file=out, width=columns, highlight=False, **terminal)
    show_result(of, former, console)
    return out.getvalue()


def test_the_table_has_every_task_with_median_and_spread() -> None:
    text = shown(FULL)
    rows = [line.split() for line in text.splitlines()]
    assert ["chat", "100", "1.50×", "2.00×", "ok"] in rows  # noqa: RUF001
    assert ["copy", "100", "0.90×", "2.00×", "loops"] in rows  # noqa: RUF001
    assert "1.50-1.50" not in text, "one value lies nowhere apart"
    twice = shown(result(heat(), heat(answer(), answer("lookup", 120.0), round=1)))
    assert "1.20-1.50" in twice and "temperature 0: median, lowest-highest" in twice
    assert "lowest" not in text and "lowest" not in as_html(FULL, None)
    assert "copy, auto: repeats itself, down to 20 % distinct 4-grams: 1 of 1 answers" in text
    assert "temperature 0\n" in text and "temperature 0.8\n" in text
    assert "1: 75 %" in text and "Costs over a plain token's 10.00 ms" in text


def test_a_drafter_that_drafted_nothing_has_no_factor_and_counts_as_plain() -> None:
    idle = answer("lookup", 268.0, drafted=0, accepted=0, tested=0)
    found = result(heat(answer(), idle, answer("auto", 200.0)))
    for text in (shown(found), as_html(found, None)):
        assert "nothing drafted" in text and "2.68" not in text and "2.00×" in text  # noqa: RUF001
    whole = msgspec.json.decode(as_json(found, None))
    row = next(r for r in whole["summary"]["rows"] if r["drafter"] == "lookup")
    assert row["speedup"] is None and row["answer_speedup"] is None
    assert row["counts"]["drafted"] == 0
    total = next(t for t in whole["summary"]["totals"] if t["drafter"] == "lookup")
    assert total["speedup"] == total["answer_speedup"] == 1.0


def test_equal_work_that_differs_is_said_to_be_of_a_busy_machine() -> None:
    plain, slower = answer(drafted=0), answer(tps=80.0, drafted=0)
    busy = result(heat(plain, answer("lookup", 150.0)), heat(slower, round=1))
    said = "runs of equal work differed by up to 1.25×"  # noqa: RUF001
    for text in (shown(busy), as_html(busy, None)):
        assert said in " ".join(text.split())
    assert msgspec.json.decode(as_json(busy, None))["summary"]["apart"] == 1.25
    idle = answer("lookup", 80.0, drafted=0)
    assert said in " ".join(shown(result(heat(plain, idle))).split())
    for calm in (
        heat(answer(tps=91.0, drafted=0), round=1),
        heat(slower, item=1),
        heat(answer(tps=50.0, drafted=0, output_tokens=9), round=1),
    ):
        assert "equal work" not in shown(result(heat(plain), calm))


@pytest.mark.parametrize("columns", [30, 40, 80, 110])
def test_nothing_is_wider_than_the_terminal(columns: int) -> None:
    former = result(heat(answer(), answer("lookup", 100.0), answer("auto", 50.0)))
    text = shown(FULL, former, columns)
    assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_narrow_terminal_breaks_no_word_and_loses_no_column(columns: int) -> None:
    names = ("none", "lookup", "draft_model", "auto")
    summarising = heat(*map(answer, names), task="summarising")
    task = TaskFacts(name="summarising", about="a text", copies=False)
    found = result(summarising, setup=setup(drafters=names, tasks=(task,)))
    words = shown(found, result(summarising), columns).split()
    assert {"speed-up", "accepted", "overhead", "draft_model", "summarising", "ties"} <= {*words}
    assert words.count("1.00\N{MULTIPLICATION SIGN}") == 14


def test_a_change_is_shown_beside_its_row() -> None:
    former = result(heat(answer(), answer("lookup", 100.0), answer("auto", 206.0)))
    text = shown(FULL, former)
    assert "1.50× +50 %" in text and "2.00× -3 %" in text  # noqa: RUF001
    assert "against the run of 2026-01-02 03:04 UTC." in text
    nothing = " ".join(shown(FULL, result(heat(task="other"))).split())
    assert "Nothing compares with the run of 2026-01-02 03:04 UTC" in nothing
    assert "another seed" in nothing and "Changes" not in nothing


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"threads": 9}, "settings"),
        ({"prompts": "0" * 24}, "prompts"),
        ({"draft": setup().target, "n_ctx": 64}, "models and settings"),
        ({"machine": "M1", "think": True}, "hardware and settings"),
    ],
)
def test_what_another_run_had_is_named(changed: dict[str, object], named: str) -> None:
    former = result(heat(answer(), answer("lookup", 100.0)), setup=setup(**changed))
    text = " ".join(shown(FULL, former).split())
    assert f"UTC, with other {named}." in text


@pytest.mark.parametrize(
    ("before", "now", "is_other"),
    [((17, 9), (15, 9), True), ((17, 9), (17, 9), False), (None, (17, 9), False)],
)
def test_other_layers_on_the_gpu_are_other_settings(
    before: Layers | None, now: Layers, is_other: bool
) -> None:
    former, found = result(heat(layers=before)), result(heat(layers=now))
    text = " ".join(shown(found, former).split())
    assert ("UTC, with other settings." in text) is is_other
    assert msgspec.json.decode(as_json(found, former))["against"]["same_setup"] is not is_other


def test_what_is_missing_is_said() -> None:
    cut = result(cut_short="The time was up: 1 of 9.", skipped=("copy, prompt 1: too long",))
    for text in (shown(cut), as_html(cut, None)):
        assert "The time was up: 1 of 9." in text and "Left out: copy, prompt 1: too long" in text


def test_a_pipe_gets_no_colour_and_a_terminal_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in shown(FULL)
    terminal = {"force_terminal": True, "color_system": "standard"}
    assert "\x1b[" in shown(FULL, **terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown(FULL, **terminal))


def hostile() -> Result:
    model = ModelFile(name=HOSTILE, size_bytes=5, digest="t")
    tasks = (TaskFacts(name="chat", about=HOSTILE, copies=True),)
    return result(
        setup=setup(target=model, tasks=tasks, device=HOSTILE),
        notices=(HOSTILE,),
        skipped=(HOSTILE,),
    )


def test_hostile_names_are_harmless() -> None:
    assert "\x1b" not in shown(hostile()) and "\x07" not in shown(hostile())
    page = as_html(hostile(), None)
    assert "<script" not in page and "\x1b" not in page
    assert "&lt;script&gt;" in page


class Page(HTMLParser):
    """Checks that tags close in order, and gathers what the page would fetch."""

    VOID = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.fetched += [value or "" for name, value in attrs if name in {"src", "href"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_whole_file() -> None:
    text = as_html(FULL, None)
    page = Page()
    page.feed(text)
    assert page.open == [] and page.fetched == [] and "script" not in page.seen
    assert page.seen.count("polyline") == 2 and page.seen.count("table") == 4
    assert "prefers-color-scheme: dark" in text and 'name="viewport"' in text
    assert "url(" not in text and "nan" not in text


def test_the_report_draws_what_the_table_says() -> None:
    former = result(heat(answer(), answer("lookup", 100.0)))
    text = as_html(FULL, former)
    for part in ("1.50×", "0.90×", "+50 %", "loops", "repeats itself", "geometric"):  # noqa: RUF001
        assert (part in text) is (part != "geometric")
    assert "Acceptance of lookup by place" in text


def test_a_report_without_figures_has_no_empty_plots() -> None:
    bare = result(heat(answer("none", None), answer("lookup", None)), costs=None)
    text = as_html(bare, None)
    page = Page()
    page.feed(text)
    assert page.open == [] and "polyline" not in page.seen
    assert "Costs" not in shown(bare)


def test_the_object_can_be_read_again_and_holds_everything(tmp_path: Any) -> None:
    former = result(heat(answer(), answer("lookup", 100.0)))
    path = tmp_path / "b.json"
    path.write_text(as_json(FULL, former))
    assert read_result(path) == FULL
    whole = msgspec.json.decode(path.read_bytes())
    assert whole["against"]["changes"] == [
        {"task": "chat", "temperature": 0.0, "drafter": "lookup", "change": pytest.approx(0.5)}
    ]
    assert len(whole["summary"]["rows"]) == 6 and len(whole["summary"]["totals"]) == 9
    assert whole["heats"][0]["answers"][0]["decode_tps"] == 100.0


def test_bars_grow_with_their_values() -> None:
    assert bar_line([0.0, 0.5, 0.99, 1.0, 2.0, -1.0]) == "▁▅███▁"


def test_curves_stand_where_their_values_are() -> None:
    lines = curves({"x": [1.0, 2.0], "o": [0.0]}, columns=40, rows=5)
    assert [line[7:] for line in lines[:5]] == ["  x", "", "x", "", "o"]
    assert lines[0].startswith("  2.0") and lines[4].startswith("  0.0")
    assert curves({}, 40, 5) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, ""), (0.034, "+3 %"), (-0.006, "-1 %"), (-0.004, "0 %"), (0.0, "0 %")],
)
def test_a_change_of_nothing_has_no_sign(value: float | None, words: str) -> None:
    assert change(value) == words
