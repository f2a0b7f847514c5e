"""A chat that is read further up: new text is told of, and one gets back to it by key and mouse."""

from __future__ import annotations

import pytest
from textual.events import MouseScrollDown, MouseScrollUp

from app.tui.widgets.key_footer import KeyFooter
from app.tui.widgets.new_below import NewBelow
from app.tui.widgets.strip import Strip
from app.tui.widgets.top_bar import TopBar
from tests.app.tui.driving import NARROW, SIZES, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

LONG = "\n\n".join(f"Paragraph {number} of it." for number in range(60))
MORE = f"{LONG}\n\nThe last word."
SIZE = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def held() -> FakeEngine:
    """Return an engine whose second answer stops for a while after 60 of its words."""
    return FakeEngine(Answer(words(LONG)), Answer(words(MORE), hold_after=60))


def is_told(chat: Chat) -> bool:
    return chat.screen.query_one(NewBelow).display


async def wheel(
    chat: Chat, over: tuple[int, int], kind: type[MouseScrollUp | MouseScrollDown]
) -> None:
    """Turn the wheel where the mouse is."""
    event = kind(chat.screen, *over, 0, 0, 0, False, False, False, *over)
    chat.screen._forward_event(event)
    await chat.pilot.pause()


async def read_up(chat: Chat) -> None:
    """Scroll up while the second answer is written, and have it go on."""
    await chat.ask("first?")
    await chat.answered()
    await chat.ask("second?")
    await chat.until(lambda: len(chat.engine.asked) == 2 and chat.transcript.max_scroll_y > 0)
    await chat.until(lambda: chat.shows("Paragraph 18 of it."))
    await chat.pilot.press("pageup")
    assert not is_told(chat)
    chat.engine.release()
    await chat.until(lambda: is_told(chat))


def is_at_the_end(chat: Chat) -> bool:
    return chat.shows("The last word.") and chat.transcript.is_followed and not is_told(chat)


@pytest.mark.parametrize(
    ("size", "way"),
    [*((SIZES[0], way) for way in ("ctrl+end", "end", "click", "pagedown")), (SIZES[1], "click")],
    ids=str,
)
def test_new_text_below_is_told_of_until_one_goes_there(size: tuple[int, int], way: str) -> None:
    async def scenario(chat: Chat) -> None:
        await read_up(chat)
        await chat.until(lambda: chat.shows("↓ new text below · Ctrl+End"))
        if way == "click":
            await chat.pilot.click(NewBelow)
        else:
            await chat.pilot.press(*[way] * (40 if way == "pagedown" else 1))
        await chat.until(lambda: is_at_the_end(chat))
        assert is_at_the_end(chat)

    drive(scenario, held(), size)


def test_what_the_reader_reads_does_not_move_when_there_is_new_text() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        await chat.ask("second?")
        await chat.until(lambda: chat.shows("Paragraph 18 of it."))
        await chat.pilot.press("ctrl+home")
        await chat.until(lambda: chat.shows("first?"))
        region = chat.transcript.region
        shown = slice(region.y, region.bottom - 1)
        before = [line[: region.right - 1] for line in chat.lines[shown]]  # without the bar
        chat.engine.release()
        await chat.until(lambda: is_told(chat))
        await chat.answered(2)
        assert [line[: region.right - 1] for line in chat.lines[shown]] == before
        assert is_told(chat)

    drive(scenario, held())


def test_who_follows_is_told_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        assert not is_told(chat) and chat.shows("Paragraph 59 of it.")
        await chat.pilot.press("pageup", "ctrl+end")
        await chat.ask("second?")
        await chat.until(lambda: chat.shows("Paragraph 18 of it."))
        assert not is_told(chat)
        chat.engine.release()
        await chat.until(lambda: is_at_the_end(chat))
        assert not is_told(chat)

    drive(scenario, held())


def test_it_is_told_of_the_chat_in_sight_alone() -> None:
    async def scenario(chat: Chat) -> None:
        await read_up(chat)
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: not chat.turns)
        assert not is_told(chat)
        await chat.pilot.press("alt+1")
        await chat.until(lambda: len(chat.turns) == 2)
        assert is_told(chat)

    drive(scenario, held())


@SIZE
def test_keys_go_to_the_beginning_and_by_lines(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        bottom = chat.transcript.scroll_y
        await chat.pilot.press("alt+pageup", "alt+pageup", "alt+pageup", "alt+pagedown")
        assert chat.transcript.scroll_y == bottom - 2
        assert not chat.transcript.is_followed
        await chat.pilot.press("alt+pagedown", "alt+pagedown", "alt+pagedown")
        assert chat.transcript.is_followed
        await chat.pilot.press("ctrl+home")
        await chat.until(lambda: chat.shows("first?"))
        assert chat.transcript.scroll_y == 0
        await chat.pilot.press("ctrl+end")
        await chat.until(lambda: chat.transcript.is_followed)
        assert chat.transcript.scroll_y == bottom

    drive(scenario, held(), size)


def test_end_moves_in_the_prompt_while_it_can() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        await chat.pilot.press("pageup")
        at = chat.transcript.scroll_y
        chat.prompt.insert("a question")
        await chat.pilot.press("home", "end")
        assert (chat.prompt.cursor_location, chat.transcript.scroll_y) == ((0, 10), at)
        await chat.pilot.press("end")
        await chat.until(lambda: chat.transcript.is_followed)
        assert chat.transcript.scroll_y > at

    drive(scenario, held())


@SIZE
@pytest.mark.parametrize("part", [TopBar, Strip, KeyFooter, "#body Prompt"])
def test_the_wheel_scrolls_the_chat_from_beside_it(size: tuple[int, int], part: object) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        over = chat.screen.query_one(part)  # type: ignore[call-overload]
        if not over.region:  # a wide screen has a panel in place of the strip
            over = chat.screen.query_one("Panel")
        at = (over.region.x + 2, over.region.y + over.region.height // 2)
        bottom = chat.transcript.scroll_y
        await wheel(chat, at, MouseScrollUp)
        await chat.until(lambda: chat.transcript.scroll_y < bottom)
        assert not chat.transcript.is_followed
        for _ in range(5):
            await wheel(chat, at, MouseScrollDown)
        assert (chat.transcript.scroll_y, chat.transcript.is_followed) == (bottom, True)

    drive(scenario, held(), size)


def test_the_wheel_over_a_long_prompt_scrolls_the_prompt_alone() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        bottom = chat.transcript.scroll_y
        chat.prompt.insert("\n".join(map(str, range(30))))
        await chat.until(lambda: chat.prompt.max_scroll_y > 0)
        region = chat.prompt.region
        for kind in (MouseScrollUp, *[MouseScrollDown] * 40):
            await wheel(chat, (region.x + 3, region.y + 2), kind)
        assert chat.prompt.scroll_y == chat.prompt.max_scroll_y
        assert chat.transcript.scroll_y >= bottom

    drive(scenario, held(), NARROW)
