"""A part of a chat that has no place yet is scrolled to once it has one."""

from __future__ import annotations

from pathlib import Path

from textual.widget import Widget
from textual.widgets._markdown import MarkdownBlock

from app.tui.widgets.answer_text import AnswerText
from app.tui.widgets.reaching import FOUND, REACHING
from tests.app.tui.branching import check, play, talk
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words

PLACE = "Here is the place."
LONG = [f"Paragraph {n} of much text." for n in range(90)]
ANSWER = Answer(words("\n\n".join([*LONG[:25], PLACE, *LONG])))


async def hidden(chat: Chat) -> Widget:
    """Answer at length; point at a paragraph that is not laid out."""
    await talk(chat, "a question")
    answer = chat.turns[0].query_one(AnswerText)
    part = next(each for each in answer.query(MarkdownBlock) if PLACE in each._content.plain)
    part.display = False
    chat.transcript.point_at(part)
    looks = iter(range(3 * REACHING))
    await chat.until(lambda: next(looks, None) is None)  # each one repaints
    assert not part.region and part.has_class(FOUND) and not chat.shows(PLACE)
    return part


def test_a_part_that_gets_its_place_late_is_reached(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        part = await hidden(chat)
        part.display = True
        await chat.until(lambda: chat.shows(PLACE))
        assert 0 < chat.transcript.scroll_y < chat.transcript.max_scroll_y
        await chat.until(lambda: not part.has_class(FOUND))
        assert chat.shows(PLACE), "it stays in sight, and only its mark goes"
        check(chat)

    play(tmp_path, scenario, ANSWER)


def test_a_reader_who_scrolls_meanwhile_is_left_where_that_leads(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        part = await hidden(chat)
        chat.transcript.scroll_by(-chat.transcript.scroll_y)
        part.display = True
        await chat.until(lambda: not part.has_class(FOUND))
        assert chat.transcript.scroll_y == 0
        check(chat)

    play(tmp_path, scenario, ANSWER)
