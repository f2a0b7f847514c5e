"""The screen is harmless, and fits."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from app.tui.widgets.prompt import Prompt
from engine import EngineError
from tests.app.terminal.test_sanitise import HOSTILE_AT_ONCE
from tests.app.tui.driving import SIZES, Chat, beyond, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, FakeSettings, Span, words

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
LINK = "[link='file:///etc']"
MARKUP = f"[bold red]not bold[/] {LINK}x[/] [@click=app.quit]quit[/]"


def times(text: str, lines: Sequence[str]) -> int:
    """Return how many times lines of the screen show a text."""
    return " ".join(lines).count(text)


def harmless(chat: Chat) -> bool:
    return not any(CONTROL.search(line) for line in chat.lines)


@pytest.mark.parametrize("text", HOSTILE_AT_ONCE.values(), ids=HOSTILE_AT_ONCE.keys())
def test_hostile_text_is_harmless_wherever_it_comes_from(text: str) -> None:
    pieces = [Span(character, "lookup") for character in text]
    ready = replace(READY, notices=[text], device=text, drafters=["lookup", text])
    engine = FakeEngine(
        Answer([Span("Safe: ", "plain"), *pieces], notices=[text]),
        Answer(pieces, fail_after=0, error=EngineError(f"Refused: {text}")),
        ready=ready,
    )

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.pause()
        assert harmless(chat)
        await chat.ask("question")
        await chat.answered(1)
        assert chat.shows("Safe:")
        assert harmless(chat)
        await chat.ask(text.replace("\r", ""))
        await chat.answered(2)
        assert harmless(chat)

    drive(scenario, engine, (120, 40), FakeSettings(title=f"A pair {text}"))


def test_markup_is_shown_and_not_obeyed() -> None:
    engine = FakeEngine(
        Answer(words(MARKUP)),
        Answer(words(MARKUP), fail_after=0, error=EngineError(MARKUP)),
        ready=replace(READY, notices=[MARKUP]),
    )

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask(MARKUP)
        await chat.answered(1)
        await chat.ask("again")
        await chat.answered(2)
        # title, notice, question, answer, error
        assert times(LINK, chat.lines) == 5
        assert chat.shows("[@click=app.quit]quit[/]")

    drive(scenario, engine, (160, 50), FakeSettings(title="[bold]pair[/]"))


def test_html_in_an_answer_is_shown_as_text() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.shows("Use <b>bold</b> here.")
        assert chat.shows("<div>block</div>")

    drive(scenario, FakeEngine(Answer(words("Use <b>bold</b> here.\n\n<div>block</div>"))))


@pytest.mark.parametrize("size", [*SIZES, (60, 20), (110, 30), (40, 12), (20, 6)])
def test_everything_lies_on_the_screen_at_any_size(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("What does os.path.join do?")
        await chat.answered()
        assert not beyond(chat.app.screen)
        if size >= (40, 12):
            assert chat.screen.region.contains_region(chat.screen.query_one(Prompt).region)

    drive(scenario, FakeEngine(), size)


def test_nothing_is_cut_off_at_80_by_24() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Runs on this machine alone"))
        await chat.until(lambda: chat.shows("^q Quit"))
        for text in ("What can you do?", "Ctrl+Q quit", "TTFT", "0 / 2048", "^q Quit", "● ready"):
            assert chat.shows(text)
        assert chat.transcript.max_scroll_y == 0
        assert chat.transcript.size.height >= 14

    drive(scenario, FakeEngine())


def test_long_lines_of_code_are_folded_not_cut() -> None:
    line = "settings = [" + ", ".join(f'"value {n}"' for n in range(14)) + "]  # end"

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.shows('"value 0"')
        assert chat.shows("# end")

    drive(scenario, FakeEngine(Answer([Span(f"```python\n{line}\n```", "plain")])))


def test_a_storm_of_resizing_while_streaming_leaves_the_text_whole() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        for width in range(20, 170, 10):
            await chat.pilot.resize_terminal(width, 10 + width // 5)
        chat.engine.release()
        await chat.answered()
        await chat.pilot.resize_terminal(80, 24)
        await chat.pilot.pause()
        assert chat.shows("one two three four five")

    drive(scenario, FakeEngine(Answer(words("one two three four five"), hold_after=3)))


def test_no_color_leaves_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.app.no_color
        underlined = [
            segment.text
            for line in chat.segments()
            for segment in line
            if segment.style and segment.style.underline
        ]
        assert "guessed" in " ".join(underlined)
        assert "own" not in underlined

    drive(scenario, FakeEngine(Answer([Span("own ", "plain"), Span("guessed", "lookup")])))
