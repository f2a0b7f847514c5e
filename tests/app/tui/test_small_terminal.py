"""In 60 columns nothing that one has to know falls off the right."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings.values import Enter
from app.tui.keys.keymap import DEFAULT
from app.tui.keys.sending import named
from app.tui.prompting import hints
from app.tui.prompting.words import FRAME
from app.tui.widgets import top_bar
from app.tui.widgets.full_choice import KEYS
from app.tui.widgets.strip import Strip
from app.tui.widgets.top_bar import NO_THOUGHT, STATES, TopBar
from tests.app.tui.driving import NARROW, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.turns.test_full_context import THREE, SmallEngine, offered, talk

SMALL = (60, 20)
MOUSE_IS_FREE = DEFAULT.told(top_bar.MOUSE_IS_FREE)
MOUSE_IN_SHORT = DEFAULT.told(top_bar.MOUSE_IN_SHORT)
PULLING = "↓ smollm2-1.7b-instruct 45 %"
EVERY = (MOUSE_IS_FREE, MOUSE_IN_SHORT, PULLING, NO_THOUGHT)
AT_SIZES = pytest.mark.parametrize("size", [SMALL, NARROW, WIDE], ids=["60x20", "80x24", "160x50"])


def said(chat: Chat) -> set[str]:
    """Return what the first line says beside the title and the state."""
    return {each for each in EVERY if each in chat.lines[0]}


@AT_SIZES
@pytest.mark.parametrize("state", STATES)
def test_the_state_is_seen_whatever_else_the_first_line_has_to_say(
    state: str, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        bar = chat.screen.query_one(TopBar)
        for thinks in (True, False):
            for pulling in ("", PULLING):
                for is_free in (True, False):
                    bar.thinks, bar.pulling, bar.mouse_is_free = thinks, pulling, is_free
                    bar.state = state
                    await chat.until(lambda: chat.lines[0].rstrip().endswith(STATES[state][0]))
                    assert len(chat.lines[0]) == size[0]

    drive(scenario, FakeEngine(), size)


def test_what_the_first_line_says_gives_way_from_the_least_important_on() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.pause()
        bar = chat.screen.query_one(TopBar)
        bar.thinks, bar.pulling, bar.mouse_is_free = False, PULLING, True
        for columns, seen in (
            (160, {MOUSE_IS_FREE, PULLING, NO_THOUGHT}),
            (95, {MOUSE_IN_SHORT, PULLING, NO_THOUGHT}),
            (60, {MOUSE_IN_SHORT, NO_THOUGHT}),
            (40, {MOUSE_IN_SHORT}),
        ):
            await chat.pilot.resize_terminal(columns, 20)
            await chat.until(lambda seen=seen: said(chat) == seen)  # type: ignore[misc]
            assert "● ready" in chat.lines[0]

    drive(scenario, FakeEngine(), WIDE)


def test_the_apps_name_gives_way_before_the_title_of_the_pair() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        bar = chat.screen.query_one(TopBar)
        await chat.until(lambda: "Slipstream  Slipstream demo" in chat.lines[0])
        bar.title, bar.own = "Qwen 2.5", "temp 1.25 top-p 0.9"
        await chat.until(lambda: bar.own in chat.lines[0])
        assert "Slipstream  Qwen 2.5" in chat.lines[0]
        bar.own = "temp 1.25 top-p 0.9 min-p 0.05"
        await chat.until(lambda: bar.own in chat.lines[0])
        assert "Slipstream" not in chat.lines[0] and "Qwen 2.5" in chat.lines[0]

    drive(scenario, FakeEngine(), SMALL)


@pytest.mark.parametrize("columns", [46, 50, 54, 60, 66, 70, 80, 109])
def test_the_context_is_seen_whatever_room_the_legend_leaves(columns: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        strip = chat.screen.query_one(Strip)
        await chat.until(lambda: strip.display and strip.region.height > 1)
        shown = "\n".join(chat.lines[strip.region.y : strip.region.bottom])
        assert "context" in shown and "2048" in shown

    drive(scenario, FakeEngine(), (columns, 20))


def told(text: str, enter: Enter = "send") -> str:
    return DEFAULT.told(named(text, enter))


def test_every_line_below_the_prompt_has_room() -> None:
    texts = [text for name, text in vars(hints).items() if name.endswith("_HINT")]
    texts += [*hints.HINTS.values(), hints._meanwhile(12, True, hints.STOP_HINT)]
    assert len(texts) >= 9
    assert max(len(told(text, "newline")) for text in texts) <= SMALL[0] - FRAME


def test_the_longest_lines_below_the_prompt_are_seen_whole() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.press("a")
        await chat.until(lambda: chat.shows(f" {told(hints.QUEUE_HINT)} ─"))
        await chat.pilot.press("backspace")
        chat.engine.release()
        await chat.answered()
        await chat.pilot.press("ctrl+e")
        await chat.until(lambda: chat.shows(f" {told(hints.HINTS['editing'])} ─"))
        assert chat.screen.asking.editing is not None

    drive(scenario, FakeEngine(Answer(words("It joins paths."), hold_after=2)), SMALL)


def test_the_keys_that_choose_when_the_context_is_full_are_seen_whole(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        await chat.until(lambda: any(KEYS in line for line in chat.lines))
        assert chat.screen.full_choice.display

    drive(scenario, SmallEngine(Answer(words("one two three"))), SMALL)


@pytest.mark.parametrize("rows", [3, 4, 5, 7, 8])
def test_what_is_typed_is_seen_in_a_terminal_of_a_few_rows(rows: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("Hello there")
        await chat.until(lambda: chat.shows("Hello there"))
        assert len(chat.lines) == rows

    drive(scenario, FakeEngine(), (20, rows))
