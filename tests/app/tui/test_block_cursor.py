"""A cursor steps through the blocks of an answer; what it is on is copied, quoted, or saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets._markdown import MarkdownBlock

from app.tui.actions.copying import nothing_yet
from app.tui.screens.block_cursor import AT, BlockCursor
from app.tui.screens.choice_box import ChoiceBox
from app.tui.text import copied
from app.tui.text.shown_blocks import shown_blocks
from app.tui.widgets.answer_blocks import Fence
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_own_keys import play
from tests.app.tui.text.test_shown_blocks import (
    ANSWER,
    HEADING,
    LONG_CODE,
    PARAGRAPH,
    PYTHON,
    QUOTATION,
    SH,
    STOPS,
    TABLE,
)

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


async def asked(chat: Chat, *questions: str) -> None:
    for n, question in enumerate(questions, 1):
        await chat.ask(question)
        await chat.answered(n)


async def stepping(chat: Chat) -> BlockCursor:
    """Show the cursor, and wait until it is on a block."""
    await chat.pilot.press("alt+j")
    await chat.until(lambda: isinstance(chat.app.screen, BlockCursor) and bool(marked(chat)))
    assert isinstance(chat.app.screen, BlockCursor)
    return chat.app.screen


def marked(chat: Chat) -> list[object]:
    """Return what the cursor is on."""
    return list(chat.screen.query(f".{AT}"))


def source(chat: Chat) -> str:
    """Return the Markdown of what the cursor is on."""
    shown = [block for view in chat.turns for block in shown_blocks(view.parts)]
    [block] = [block for block in shown if list(block.parts) == marked(chat)]
    return block.source


def is_in_sight(chat: Chat) -> bool:
    [part, *_] = chat.screen.query(f".{AT}")
    return part.region.height > 0 and chat.transcript.region.contains(*part.region.offset)


@at_both_sizes
def test_every_block_is_a_stop_and_is_scrolled_into_view(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        await chat.pilot.press("home")
        seen = []
        for key in ("k", "j", "down", "j", "j", "down", "j", "j", "j"):
            seen.append(source(chat))
            await chat.until(lambda: is_in_sight(chat))
            await chat.pilot.press(key)
        assert seen == [HEADING, *STOPS]
        assert source(chat) == QUOTATION, "there is no further block"
        await chat.pilot.press("k", "up")
        assert source(chat) == PYTHON
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert marked(chat) == [] and chat.prompt.has_focus

    drive(scenario, FakeEngine(Answer(words(ANSWER))), size)


def test_code_is_gone_to_at_once_and_that_there_is_no_more_is_said() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        await chat.pilot.press("g", "n")
        assert source(chat) == SH
        await chat.pilot.press("n", "n")
        assert source(chat) == PYTHON
        await chat.until(lambda: chat.toasts("no code block below"))
        await chat.pilot.press("p", "p")
        assert source(chat) == SH
        await chat.until(lambda: chat.toasts("no code block above"))
        await chat.pilot.press("G")
        assert source(chat) == QUOTATION

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_it_begins_in_the_chosen_answer_and_goes_on_in_the_next() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "one?", "two?", "three?")
        await stepping(chat)
        assert source(chat) == "Three."
        await chat.pilot.press("alt+j")
        await chat.until(lambda: chat.is_on_top)
        await chat.pilot.press("alt+up", "alt+up")
        await stepping(chat)
        assert source(chat) == "Two."
        await chat.pilot.press("j")
        assert source(chat) == "Three."
        await chat.pilot.press("k", "k")
        assert source(chat) == "Of one."
        await chat.pilot.press("k", "k")
        assert source(chat) == "One."

    answers = [Answer(words(text)) for text in ("One.\n\nOf one.", "Two.", "Three.")]
    drive(scenario, FakeEngine(*answers), WIDE)


def test_long_code_is_marked_and_copied_whole() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "long?")
        await stepping(chat)
        await chat.pilot.press("g", "y")
        await chat.until(lambda: chat.app.clipboard == LONG_CODE)
        assert len(marked(chat)) > 1
        await chat.until(lambda: is_in_sight(chat))

    drive(scenario, FakeEngine(Answer(words(f"```python\n{LONG_CODE}\n```\n\nThe end."))), NARROW)


@pytest.mark.parametrize(("key", "stop", "text"), [("y", 5, "import os\n\nos.sep"), ("y", 1, "")])
def test_code_is_copied_alone_and_all_else_as_markdown(
    key: str, stop: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copied, "copied_now", lambda app, text: "as it went")

    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        screen = await stepping(chat)
        await chat.pilot.press("g", *["j"] * stop, key)
        named = "the code, python" if text else "the paragraph"
        await chat.until(lambda: chat.toasts(f"as it went · {named}"))
        assert chat.app.clipboard == (text or PARAGRAPH)
        assert chat.app.screen is screen, "it stays for more"

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_the_menu_shows_what_can_be_done_with_code_and_with_what_is_none() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        await chat.pilot.press("g", "enter")
        await chat.until(lambda: chat.shows("What to do with this heading?"))
        assert not chat.shows("Save the code")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.app.clipboard == HEADING)
        await chat.pilot.press("n", "enter")
        await chat.until(lambda: isinstance(chat.app.screen, ChoiceBox))
        await chat.pilot.press("j", "j", "enter")
        await chat.until(lambda: chat.app.clipboard == SH)
        await chat.pilot.press("enter")
        await chat.until(lambda: isinstance(chat.app.screen, ChoiceBox))
        await chat.pilot.press("G", "enter")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == "> ```sh\n> pip install it\n> ```\n\n"

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_a_block_is_quoted_behind_what_is_typed() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        chat.prompt.insert("I doubt this:")
        await stepping(chat)
        await chat.pilot.press("g", "j", "q")
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.text == f"I doubt this:\n\n> {PARAGRAPH}\n\n"
        assert marked(chat) == []

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_a_step_looks_for_code_only_in_blocks_that_have_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        with monkeypatch.context() as patch:
            patch.setattr(MarkdownBlock, "query", look)
            await chat.pilot.press("home", "j")
        assert source(chat) == "Step 1." and looked == []

    def look(block: MarkdownBlock, *_: object) -> list[Fence]:
        looked.append(block)
        return []

    looked: list[MarkdownBlock] = []
    text = "\n\n".join(f"Step {n}." for n in range(9))
    drive(scenario, FakeEngine(Answer(words(text))), WIDE)


def test_a_click_goes_to_a_block_and_one_beside_them_leaves() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await stepping(chat)
        y = next(y for y, line in enumerate(chat.lines) if "esc" in line) - 1
        for stop, text in ((1, PARAGRAPH), (6, TABLE)):
            part = shown_blocks(chat.turns[0].parts)[stop].parts[0]
            await chat.pilot.click(offset=(part.region.x + 3, part.region.y))
            await chat.until(lambda: source(chat) == text)  # noqa: B023
            assert source(chat) == text
        await chat.pilot.click(offset=(1, y))
        await chat.until(lambda: chat.is_on_top)
        assert marked(chat) == []

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


def test_colours_of_words_do_not_hide_the_cursor_and_are_there_again() -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        assert chat.screen.has_class("-guesses")
        await stepping(chat)
        assert not chat.screen.has_class("-guesses")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.screen.has_class("-guesses")

    drive(scenario, FakeEngine(Answer(words(ANSWER))), WIDE)


@pytest.mark.parametrize("way", ["/blocks", "alt+j"])
def test_without_an_answer_there_is_nothing_to_step_through(way: str) -> None:
    async def press(chat: Chat) -> None:
        if way == "alt+j":
            await chat.pilot.press(way)
        else:
            await chat.ask(way)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await press(chat)
        await chat.until(lambda: chat.toasts(nothing_yet(chat.screen)))
        await asked(chat, "why?")
        await press(chat)
        await chat.until(lambda: chat.toasts("There is no answer to step through."))
        assert chat.is_on_top

    drive(scenario, FakeEngine(Answer(words("<think>\nsecret"))))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_footer_shows_its_keys_and_those_of_the_table(
    size: tuple[int, int], tmp_path: Path
) -> None:
    async def scenario(chat: Chat) -> None:
        await asked(chat, "how?")
        await chat.pilot.press("f7")
        keys = "↓ ↑ Block x Next code ⏎ Menu y Copy q Quote"
        await chat.until(lambda: " ".join(chat.lines[-1].split()).startswith(keys))
        assert "esc Back" in chat.lines[-1] and "Save" not in chat.lines[-1]
        await chat.pilot.press("g", "x")
        await chat.until(lambda: "s Save" in chat.lines[-1])
        await chat.pilot.press("f7")
        await chat.until(lambda: chat.is_on_top)

    table = 'blocks = "f7"\nblocks-code = "x"\n'
    play(table, scenario, tmp_path, Answer(words(ANSWER)), size)
