"""A long answer that is opened: its end is seen at once, more of it is made where it is read."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from app.chat.conversation import Turn
from app.history import Outcome
from app.tui.screens.block_cursor import AT, BlockCursor
from app.tui.widgets import answer_text
from app.tui.widgets.answer_slice import AnswerSlice
from app.tui.widgets.answer_text import AT_ONCE, AnswerText
from tests.app.tui.branching import play
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine, words
from tests.app.tui.test_search_hits import marked, open_first, search
from tests.app.tui.test_streaming import OneAnswer, shown_of

N = 400
TEXT = "\n\n".join(f"Paragraph {n} of it." for n in range(N))
ITEMS = "\n".join(f"{n}. item with [a] link {n}" for n in range(1, 200))
CODE = "\n".join(f"line_{n} = '{n}'" for n in range(200))
MIXED = f"{ITEMS}\n\n```python\n{CODE}\n```\n\n{TEXT}\n\n[a]: http://a.b"


async def opened(chat: Chat, text: str = TEXT) -> list[AnswerSlice]:
    """Have a chat with one long answer shown; return its slices."""
    await chat.ready()
    await chat.screen.asking.show_turns([Turn("long?", answer=text, spans=words(text))])
    await chat.until(lambda: chat.shows(f"Paragraph {N - 1} of it."))
    await chat.pilot.pause()
    return chat.transcript.turns[0].parts


def test_the_end_is_seen_while_most_of_it_is_not_rendered() -> None:
    async def scenario(chat: Chat) -> None:
        parts = await opened(chat)
        made = [part for part in parts if part.children]
        assert 0 < len(made) < len(parts) / 2 and made[-1] is parts[-1]
        assert chat.transcript.turns[0].text == TEXT
        rows = 2 * N
        assert 0.8 < chat.transcript.virtual_size.height / rows < 1.2, "it has about its room"

    drive(scenario, FakeEngine())


def test_the_beginning_is_rendered_when_one_goes_there() -> None:
    async def scenario(chat: Chat) -> None:
        parts = await opened(chat)
        await chat.pilot.press("ctrl+home")
        await chat.until(lambda: chat.shows("Paragraph 0 of it."))
        assert chat.transcript.scroll_y == 0
        assert any(part.is_put_off for part in parts)

    drive(scenario, FakeEngine())


def shown(chat: Chat) -> set[int]:
    """Return which paragraphs are on the screen."""
    return {int(n) for n in re.findall(r"Paragraph (\d+) of it\.", chat.text)}


def test_who_pages_up_reads_all_of_it_in_its_order() -> None:
    async def scenario(chat: Chat) -> None:
        parts = await opened(chat)
        missing = set(range(N))
        while missing and chat.transcript.scroll_y:
            sight = chat.transcript.region
            await chat.until(
                lambda sight=sight: (
                    not any(  # type: ignore[misc]
                        part.is_put_off and part.region.overlaps(sight) for part in parts
                    )
                )
            )
            await chat.pilot.pause()
            missing -= shown(chat)
            await chat.pilot.press("pageup")
        missing -= shown(chat)
        assert not missing

    drive(scenario, FakeEngine(), size=WIDE)


def test_who_reads_goes_on_reading_while_more_is_rendered_above() -> None:
    async def scenario(chat: Chat) -> None:
        wrapped = "\n\n".join(f"Paragraph {n} of it.{' word' * (n % 40)}" for n in range(N))
        await opened(chat, f"{wrapped}\n\nParagraph {N - 1} of it.")
        parts, transcript = chat.transcript.turns[0].parts, chat.transcript
        transcript.release_anchor()
        transcript.scroll_by(-400)
        await chat.until(lambda: not transcript.turns[0]._text._is_making)
        await chat.pilot.pause()
        top = next(each for each in parts if each.region.bottom > transcript.region.y)
        assert top.children
        before = top.region.y
        above = parts[: parts.index(top)]
        later = [part for part in above if part.is_put_off]

        def is_made() -> bool:
            rows = range(-10_000, top.region.y - 1)
            transcript.turns[0]._text.make_near(rows, transcript._keep_place)
            return not any(part.is_put_off for part in above)

        await chat.until(is_made)
        await chat.pilot.pause()
        assert later
        assert top.region.y == before

    drive(scenario, FakeEngine())


def test_it_looks_in_the_end_as_if_it_were_rendered_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def shown(answer: AnswerText) -> list[object]:
        await answer.restart()
        await answer.finish(MIXED)
        n_later = sum(part.is_put_off for part in answer.parts)
        assert bool(n_later) is (answer_text.AT_ONCE == AT_ONCE)
        await answer.make(answer.parts[::-1])
        return [part.shown for part in answer.parts] + shown_of(answer)

    async def scenario() -> None:
        app = OneAnswer()
        async with app.run_test():
            answer = app.query_one(AnswerText)
            in_parts = await shown(answer)
            monkeypatch.setattr(answer_text, "AT_ONCE", 1000)
            assert in_parts == await shown(answer)

    asyncio.run(scenario())


def test_a_hit_in_what_is_not_rendered_is_reached(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        history = chat.screen.history
        assert history is not None
        number = history.new_chat()
        answer = history.add(number, history.add(number, None, "user", "long?"), "assistant")
        history.finish(answer, f"{TEXT}\n\nHere is the needle.\n\n{TEXT}", Outcome("stop"))
        screen = await search(chat, "/search needle")
        await open_first(chat, screen, "needle")
        await chat.until(lambda: chat.shows("Here is the needle.") and bool(marked(chat)))
        assert any(part.is_put_off for part in chat.transcript.turns[0].parts)
        await chat.until(lambda: not marked(chat))

    play(tmp_path, scenario)


def test_the_cursor_steps_to_blocks_that_are_not_rendered() -> None:
    async def scenario(chat: Chat) -> None:
        parts = await opened(chat, f"{MIXED}\n\nParagraph {N - 1} of it.")
        await chat.pilot.press("alt+j")
        await chat.until(lambda: bool(chat.screen.query(f".{AT}")))
        cursor = chat.app.screen
        assert isinstance(cursor, BlockCursor)
        await cursor.action_code(-1)
        block = cursor._marked
        assert block is not None and block.code is not None
        assert block.code.code == CODE
        await chat.until(lambda: chat.shows("line_0 = '0'"))
        assert list(chat.screen.query(f".{AT}")) == list(block.parts)
        await cursor.action_end(0)
        await chat.until(lambda: chat.shows("1. item with a link 1"))
        assert any(part.is_put_off for part in parts)

    drive(scenario, FakeEngine(), size=WIDE)
