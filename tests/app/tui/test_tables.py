"""A table of an answer is readable in any width, while it is written and when it is reopened."""

from __future__ import annotations

import pytest
from textual.widget import Widget

from app.tui.widgets.answer_table import shared
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

ROWS = [
    ["Feature", "Description", "Pros", "Example"],
    ["Lists", "Ordered, mutable collections of items", "Flexible", "`a = [1, 2, 3]`"],
    ["Dictionaries", "Maps of keys to values", "Incomprehensibilities", "https://a.b/" + 60 * "c"],
]
TABLE = "\n".join("| " + " | ".join(row) + " |" for row in [ROWS[0], ["---"] * 4, *ROWS[1:]])
MANY = "\n".join(["|" + "|".join(f"c{n}" for n in range(12)) + "|", "|---" * 12 + "|", "|§" * 12])


def seen(chat: Chat, cell: Widget) -> str:
    """Return what of a cell is on the screen, without the breaks of its lines."""
    region = cell.content_region
    lines = chat.lines[region.y : region.bottom]
    return "".join("".join(line[region.x : region.right].split()) for line in lines)


@pytest.mark.parametrize("width", [30, 40, 80, 160])
def test_no_word_of_a_table_is_cut_off(width: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("compare")
        await chat.answered()
        cells = list(chat.screen.query("TableContent > *"))
        written = [cell.replace("`", "").replace(" ", "") for row in ROWS for cell in row]
        assert [seen(chat, cell) for cell in cells] == written

    drive(scenario, FakeEngine(Answer(words(TABLE))), (width, 120))


def test_a_table_of_many_columns_leaves_its_words_some_room() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("compare")
        await chat.answered()
        await chat.until(lambda: chat.text.count("§") == 12)
        cells = list(chat.screen.query("TableContent > .header"))
        assert [seen(chat, cell) for cell in cells] == [f"c{n}" for n in range(12)]

    drive(scenario, FakeEngine(Answer(words(MANY))), (44, 30))


@pytest.mark.parametrize(
    ("least", "most", "room", "widths"),
    [
        ([4, 4], [10, 10], 30, [10, 10]),
        ([4, 4], [10, 40], 30, [10, 20]),
        ([4, 9], [30, 30], 20, [10, 10]),
        ([4, 16], [30, 30], 22, [6, 16]),
        ([1, 1, 1], [9, 9, 9], 2, [1, 1, 1]),
    ],
)
def test_columns_share_what_room_there_is(
    least: list[int], most: list[int], room: int, widths: list[int]
) -> None:
    assert shared(least, most, room) == widths


def test_links_work_in_the_rows_that_came_while_it_was_written() -> None:
    rows = "".join(f"| [see]({n}.html) |\n" for n in range(4))
    copied: list[str] = []

    async def scenario(chat: Chat) -> None:
        async def copy(text: str, name: str = "") -> None:
            copied.append(text)

        chat.screen.copy = copy  # type: ignore[method-assign]
        await chat.ask("where?")
        await chat.until(lambda: chat.shows("see"))
        chat.engine.release()
        await chat.answered()
        cells = list(chat.screen.query("TableContent > .cell"))
        assert len(cells) == 4
        for cell in cells:
            await chat.pilot.click(cell, offset=(1, 0))
        await chat.until(lambda: len(copied) == 4)
        assert copied == [f"{n}.html" for n in range(4)]

    drive(scenario, FakeEngine(Answer(words("| a |\n|---|\n" + rows), hold_after=7)), NARROW)
