"""The mouse selects what people and models wrote, and nothing that stands around it."""

from __future__ import annotations

import pytest
from textual.containers import Vertical

from app.tui.widgets.new_below import NewBelow
from app.tui.widgets.welcome import Welcome
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

SIZE = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
ANSWER = "It joins os.path.join() parts.\n\nA second paragraph stands here."
THOUGHT = f"<think>\nhm well\n</think>\n\n{ANSWER}"
TABLE = "| call | result |\n|---|---|\n| join | a/b |\n| split | a, b |\n"
LISTS = "Steps:\n\n- one\n- two\n  - inner\n\n1. first\n2. second\n\n```python\na = 1\nb = 2\n```\n"
FURNITURE = ("copy", "tok/s", "tokens", "thought", "Runs on this machine", "answer 1 of", "Try one")


def place(chat: Chat, word: str) -> tuple[int, int]:
    """Return where a word stands on the screen, below the top bar."""
    y, line = next((y, line) for y, line in enumerate(chat.lines) if y and word in line)
    return line.index(word), y


async def clicks(chat: Chat, at: tuple[int, int], times: int) -> None:
    await chat.pilot.click(offset=at, times=times)
    await chat.pilot.pause()


async def drag(chat: Chat, start: tuple[int, int], end: tuple[int, int]) -> None:
    await chat.pilot.mouse_down(offset=start)
    await chat.pilot.hover(offset=end)
    await chat.pilot.mouse_up(offset=end)
    await chat.pilot.pause()


def selected(chat: Chat) -> str:
    return chat.screen.get_selected_text() or ""


async def asked(chat: Chat, *questions: str) -> None:
    for n, question in enumerate(questions, 1):
        await chat.ask(question)
        await chat.answered(n)


@SIZE
@pytest.mark.parametrize("times", [1, 2, 3])
def test_clicks_where_nothing_is_written_select_nothing(size: tuple[int, int], times: int) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        page = chat.transcript.query_one("#page", Vertical).region
        below = (page.x + 5, page.bottom - 1)
        between = (page.x + 5, chat.turns[0].query_one(".turn--question").region.bottom)
        beside = (chat.turns[0].region.right - 2, place(chat, "parts.")[1])
        for at in (below, between, beside):
            assert not chat.lines[at[1]][at[0] : at[0] + 1].strip()
            await clicks(chat, at, times)
            assert selected(chat) == "", at
        await chat.pilot.press("ctrl+c")
        await chat.pilot.pause()
        assert chat.app.clipboard == ""

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), size)


@SIZE
@pytest.mark.parametrize(
    ("word", "times", "taken"),
    [
        ("joins", 2, "joins"),
        ("join()", 2, "os.path.join"),
        ("() parts", 2, "()"),
        ("paragraph", 3, "A second paragraph stands here."),
        ("joins", 3, "It joins os.path.join() parts."),
        ("how is", 2, "how"),
        ("how is", 3, "how is it?"),
    ],
)
def test_a_double_click_takes_the_word_and_a_third_one_the_paragraph(
    size: tuple[int, int], word: str, times: int, taken: str
) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how is it?")
        await clicks(chat, place(chat, word), times)
        assert selected(chat) == taken
        await chat.pilot.press("ctrl+c")
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == taken

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), size)


def test_in_code_a_third_click_takes_the_line() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await clicks(chat, place(chat, "b = 2"), 3)
        assert selected(chat) == "b = 2"

    drive(scenario, FakeEngine(Answer(words(LISTS))), WIDE)


@pytest.mark.parametrize("back", [False, True], ids=["down", "up"])
def test_a_drag_over_turns_takes_what_was_said_and_no_furniture(back: bool) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?", "and then?")
        await chat.pilot.press("ctrl+home")
        await chat.pilot.pause()
        top, foot = place(chat, "how?"), chat.turns[1].region.bottom - 2
        ends = [top, (6, foot)]
        await drag(chat, *(reversed(ends) if back else ends))
        text = selected(chat)
        assert text == f"how?\n\n{ANSWER}\n\nand then?\n\n{ANSWER}"
        assert not [word for word in FURNITURE if word in text]

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), WIDE)


def test_a_drag_that_ends_at_the_word_over_a_code_block_takes_no_more_than_that() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "copy")
        await drag(chat, place(chat, "Steps"), (x + 1, y))
        assert selected(chat).startswith("Steps:\n\n- one")
        assert selected(chat).endswith("2. second")

    drive(scenario, FakeEngine(Answer(words(LISTS))), WIDE)


def test_lists_and_code_are_copied_as_they_are_laid_out() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await drag(
            chat, place(chat, "Steps"), (place(chat, "b = 2")[0] + 5, place(chat, "b = 2")[1])
        )
        assert selected(chat) == (
            "Steps:\n\n- one\n- two\n  - inner\n1. first\n2. second\n\na = 1\nb = 2"
        )

    drive(scenario, FakeEngine(Answer(words(LISTS))), WIDE)


def test_code_in_a_list_is_copied_with_all_its_lines_equally_far_in() -> None:
    code = "- run\n  - this:\n    ```python\n    if a:\n\n        b()\n    ```\n"

    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "b()")
        await drag(chat, place(chat, "run"), (x + 3, y))
        assert selected(chat) == "run\n  - this:\n    if a:\n\n        b()"
        await drag(chat, place(chat, "if a:"), (x + 3, y))
        assert selected(chat) == "if a:\n\n    b()"

    drive(scenario, FakeEngine(Answer(words(code))), WIDE)


@pytest.mark.parametrize("back", [False, True], ids=["down", "up"])
@pytest.mark.parametrize("before", ["1. Install it:\n\n   ", "- 1. - Run:\n\n      - ", "1. "])
def test_code_that_is_dragged_over_from_beside_its_list_is_copied_alone(
    before: str, back: bool
) -> None:
    inset = " " * len(before.split("\n")[-1])
    code = f"{before}```python\n{inset}if a:\n{inset}    b()\n{inset}```\n\n{inset}After.\n"

    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        for left in range(3, 9):
            ends = [(left, place(chat, "if a:")[1]), place(chat, "After")]
            ends[1] = ends[1][0] + 4, ends[1][1]
            await drag(chat, *(reversed(ends) if back else ends))
            text = selected(chat)
            assert text.startswith("if a:") and "    b()" in text and text.endswith("After"), left

    drive(scenario, FakeEngine(Answer(words(code))), WIDE)


def test_a_list_that_is_dragged_over_from_beside_it_is_copied_with_its_bullets() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        x, y = place(chat, "inner")
        for left in (3, 4):
            await drag(chat, (left, place(chat, "one")[1]), (x + 4, y))
            assert selected(chat) == "- one\n- two\n  - inner"

    drive(scenario, FakeEngine(Answer(words(LISTS))), WIDE)


@SIZE
def test_the_cells_of_a_table_are_copied_row_by_row(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "table?")
        x, y = place(chat, "a, b")
        await drag(chat, place(chat, "call"), (x + 6, y))
        assert selected(chat) == "call | result\njoin | a/b\nsplit | a, b"

    drive(scenario, FakeEngine(Answer(words(TABLE))), size)


def test_what_was_thought_is_copied_only_while_it_is_open() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        ends = place(chat, "how?"), place(chat, "joins")
        await drag(chat, *ends)
        assert "hm well" not in selected(chat) and "thought" not in selected(chat)
        await chat.pilot.press("alt+t")
        await chat.until(lambda: chat.shows("hm well"))
        await drag(chat, place(chat, "how?"), place(chat, "joins"))
        assert selected(chat).startswith("how?\n\nhm well\n\nIt j")

    drive(scenario, FakeEngine(Answer(words(THOUGHT))), WIDE)


@pytest.mark.parametrize("times", [2, 3])
def test_neither_the_figures_nor_the_welcome_can_be_selected(times: int) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: chat.shows("Runs on this machine"))
        await clicks(chat, place(chat, "machine"), times)
        assert chat.screen.query_one(Welcome).display
        assert selected(chat) == ""
        await asked(chat, "how?")
        x, y = place(chat, "tokens")
        for at in ((x, y), (3, 0), (chat.prompt.region.x + 4, chat.prompt.region.y + 1)):
            await clicks(chat, at, times)
            assert selected(chat) == "" and chat.is_on_top
        await drag(chat, (x, y), (x + 5, y))
        assert selected(chat) == ""

    drive(scenario, FakeEngine(Answer(words(ANSWER))), NARROW)


def test_a_note_of_the_app_can_be_selected_but_not_along_with_what_was_said() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await chat.transcript.note("The lamp is out: see the log", "error")
        await chat.until(lambda: chat.shows("lamp is out"))
        x, y = place(chat, "The lamp")
        await drag(chat, (x, y), (x + 10, y))
        assert selected(chat) == "The lamp is"
        await drag(chat, place(chat, "how?"), (x + 10, y))
        assert selected(chat) == f"how?\n\n{ANSWER}"
        assert not chat.screen.query_one(NewBelow).display

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)
