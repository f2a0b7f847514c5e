"""Every screen looks as it did, at each size: characters, colours, places (see snapping.py)."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style

from app.history import History
from app.tui.figures.pace import NO_PACE
from app.tui.preferences.setting_sources import settings_now
from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.inspector import Inspector
from app.tui.screens.settings import SettingsScreen
from app.tui.widgets.thinking import Thinking
from tests.app.bench.making import result
from tests.app.tui import test_bench_screen as bench
from tests.app.tui import test_doctor_screen as doctor
from tests.app.tui.alone import Seen
from tests.app.tui.alone import drive as drive_alone
from tests.app.tui.chats_driving import Kept, look
from tests.app.tui.chats_driving import Seen as SeenChats
from tests.app.tui.driving import NARROW, WIDE, Chat, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.snapping import FOLDER, Snapshots, snapshot
from tests.app.tui.test_inspector import STEPS
from tests.app.tui.test_settings_screen import LOOKS

Size = tuple[int, int]
SMALL = (60, 20)
RICH = """It **joins** paths, as in:

```python
def join(a: str, *parts: str) -> str:
    return "/".join([a, *parts])  # on POSIX
```

| call | result |
|---|---|
| `join("a", "b")` | a/b |
| `join("a", "/b")` | /b |

- An *absolute* part drops what is before it.
"""
THOUGHT = "<think>\nFirst one thing, then another.\n</think>\n\nIt joins paths."
QUESTION = "What does os.path.join do?"


@pytest.fixture
def snapshots(request: pytest.FixtureRequest) -> Snapshots:
    return Snapshots(bool(request.config.getoption("--update-snapshots")))


def at(*sizes: Size) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("size", sizes, ids=[f"{w}x{h}" for w, h in sizes])


def named(name: str, size: Size) -> str:
    return f"{name}-{size[0]}x{size[1]}"


@pytest.fixture
def talk(
    tmp_path: Path, snapshots: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """Return what opens the whole app, does something and compares the screen."""
    monkeypatch.setattr(Thinking.__init__, "__defaults__", (lambda: 0.0,))

    def played(
        name: str, size: Size, do: Callable[[Chat], Awaitable[object]], answer: str = RICH
    ) -> str:
        found = ["nothing was compared"]

        async def scenario(chat: Chat) -> None:
            await chat.ready()
            await do(chat)
            found[0] = await snapshots.compare(chat.pilot, named(name, size))

        history = History.open(tmp_path / "history.db")
        drive(
            scenario, FakeEngine(Answer(words(answer))), size, models=FakeModels(), history=history
        )
        return found[0]

    return played


async def answered(chat: Chat) -> None:
    await chat.ask(QUESTION)
    await chat.answered()
    chat.screen.figures = replace(chat.screen.figures, pace=NO_PACE)  # it is taken by the clock


# the chat


@at(SMALL, NARROW, WIDE)
def test_the_empty_chat(talk: Callable[..., str], size: Size) -> None:
    async def nothing(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("Runs on this machine alone"))

    difference = talk("chat-empty", size, nothing)
    assert not difference, difference


@at(SMALL, NARROW, WIDE)
def test_an_answer_with_code_and_a_table(talk: Callable[..., str], size: Size) -> None:
    async def plainly(chat: Chat) -> None:
        chat.screen.guesses = False
        await answered(chat)

    difference = talk("chat-answer", size, plainly)
    assert not difference, difference


@at(NARROW)
def test_three_open_chats_one_running_and_one_with_news(
    tmp_path: Path, snapshots: Snapshots, size: Size
) -> None:
    found = ["nothing was compared"]

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.screen.guesses = False
        await chat.ask("What is a generator?")
        await chat.until(lambda: chat.shows("stopped at a yield"))
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        await chat.ask("And what does bisect do?")
        await chat.until(lambda: chat.screen.session.waiting == 1)
        await chat.pilot.press("ctrl+n")
        chat.engine.release()
        await chat.until(lambda: chat.shows("And what does bisect do? ◌"))
        await chat.ask(QUESTION)
        await chat.until(lambda: chat.shows("waits: another chat is being answered first"))
        await chat.pilot.pause()
        found[0] = await snapshots.compare(chat.pilot, named("chat-three-open", size))

    generator = Answer(words("A function that is stopped at a yield, and goes on."), hold_after=8)
    bisect = Answer(words("It finds a place in a sorted list."), hold_after=3)
    history = History.open(tmp_path / "history.db")
    drive(scenario, FakeEngine(generator, bisect), size, models=FakeModels(), history=history)
    assert not found[0], found[0]


@at(SMALL, NARROW, WIDE)
def test_the_colours_of_who_guessed_what(talk: Callable[..., str], size: Size) -> None:
    async def coloured(chat: Chat) -> None:
        chat.screen.guesses = True
        await answered(chat)

    difference = talk("chat-xray", size, coloured)
    assert not difference, difference


@at(SMALL, NARROW, WIDE)
def test_what_was_thought_folded_away(talk: Callable[..., str], size: Size) -> None:
    async def folded(chat: Chat) -> None:
        chat.screen.guesses = False
        await answered(chat)

    difference = talk("chat-thinking", size, folded, THOUGHT)
    assert not difference, difference


@at(NARROW, WIDE)
def test_the_light_theme(talk: Callable[..., str], size: Size) -> None:
    async def light(chat: Chat) -> None:
        chat.screen.guesses = True
        await answered(chat)
        await chat.pilot.press("ctrl+t")
        await chat.until(lambda: not chat.app.current_theme.dark)

    difference = talk("chat-light", size, light)
    assert not difference, difference


# other screens


@at(NARROW, WIDE)
def test_the_models(talk: Callable[..., str], size: Size) -> None:
    async def opened(chat: Chat) -> None:
        await chat.open_models("gamma")

    difference = talk("models", size, opened)
    assert not difference, difference


@at(NARROW, WIDE)
def test_the_inspector(talk: Callable[..., str], size: Size) -> None:
    async def opened(chat: Chat) -> None:
        await chat.app.push_screen(Inspector(STEPS, QUESTION))
        await chat.pilot.press("right")

    difference = talk("inspector", size, opened)
    assert not difference, difference


@at(NARROW, WIDE)
def test_the_help(talk: Callable[..., str], size: Size) -> None:
    async def opened(chat: Chat) -> None:
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)

    difference = talk("help", size, opened)
    assert not difference, difference


@at(NARROW, WIDE)
def test_a_question_before_something_is_done(talk: Callable[..., str], size: Size) -> None:
    async def asked(chat: Chat) -> None:
        lines = ["beta-Q4_K_M.gguf goes: 2.5 GB", "beta-draft-Q8_0.gguf stays: alpha uses it."]
        chat.app.push_screen(ConfirmScreen("Remove beta?", lines, "Remove", "Keep"))
        await chat.until(lambda: not chat.is_on_top)

    difference = talk("confirm", size, asked)
    assert not difference, difference


@at(NARROW, WIDE)
def test_the_chats(snapshots: Snapshots, tmp_path: Path, size: Size) -> None:
    kept = Kept(tmp_path)
    kept.chat("What is bisect for?", "For sorted lists.")
    kept.chat(QUESTION, RICH, pair="Qwen3 4B")
    chats = kept.chats("What can you do?", "Is 网络 a word? Tell me at length, and then some more.")
    found = ["nothing was compared"]

    async def scenario(seen: SeenChats) -> None:
        await seen.press("ctrl+p")
        await seen.until(lambda: seen.list.rows[0].info.pinned)
        found[0] = await snapshots.compare(seen.pilot, named("chats", size))

    look(scenario, kept, size, chats[0])
    assert not found[0], found[0]


def alone(snapshots: Snapshots, name: str, size: Size, *shown: str) -> tuple[list[str], Scenario]:
    """Return where the difference will be, and what waits for these words and compares."""
    found = ["nothing was compared"]

    async def scenario(seen: Seen) -> None:
        for text in shown:
            await seen.until_shown(text)
        found[0] = await snapshots.compare(seen.pilot, named(name, size))

    return found, scenario


Scenario = Callable[[Seen], Awaitable[None]]


@at(NARROW, WIDE)
def test_the_settings(snapshots: Snapshots, size: Size) -> None:
    found, scenario = alone(snapshots, "settings", size, "top-k 40")
    flags = argparse.Namespace(temp=0.5)
    screen = SettingsScreen(
        lambda: settings_now(flags, {"pair": "demo"}, {"seed": 7}, LOOKS),
        lambda name, value: "",
        lambda name, value: "",
    )
    drive_alone(screen, scenario, size)
    assert not found[0], found[0]


@at(NARROW, WIDE)
def test_the_doctor(snapshots: Snapshots, size: Size) -> None:
    found, scenario = alone(snapshots, "doctor", size, "1 broken, 1 to look at")
    doctor.play(
        scenario, doctor.FakeCheckup(doctor.DISK, doctor.FOLDERS, doctor.TERMINAL), size=size
    )
    assert not found[0], found[0]


@at(NARROW, WIDE)
def test_the_benchmark(snapshots: Snapshots, size: Size) -> None:
    found, compare = alone(snapshots, "bench", size, "Speed-up over plain at temperature 0")
    measured = bench.FakeBench(result())

    async def scenario(seen: Seen) -> None:
        await seen.press("enter")
        measured.ended.set()
        await compare(seen)

    bench.play(scenario, measured, size)
    assert not found[0], found[0]


# the snapshots themselves


def test_every_snapshot_is_compared_with_something() -> None:
    code = Path(__file__).read_text("utf-8")
    for file in FOLDER.iterdir():
        name = file.stem.rpartition("-")[0]
        assert f'"{name}"' in code, f"{file.name} is of no screen any more"


def test_a_snapshot_shows_text_and_colours_and_where_they_are() -> None:
    style = Style.parse
    lines = [
        [Segment("as it is ", style("red on black")), Segment("网", style("bold red on black"))],
        [Segment("as it is ", style("red on black")), Segment(" ", style("red on blue"))],
        [Segment("it is not", style("red on black")), Segment(" ", style("bold red on black"))],
    ]
    assert snapshot(lines).splitlines() == [
        "as it is 网",
        "as it is",
        "it is not",
        "-- looks --",
        "         aa",
        "         b",
        "",
        "-- letters --",
        "plain: red on black",
        "a: bold red on black",
        "b: on blue",
    ]
