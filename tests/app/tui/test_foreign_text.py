"""What came from elsewhere does nothing to the terminal: not where it is changed, nor as a copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste

from app.chat.conversation import Turn
from app.terminal.sanitise import sanitise
from app.tui.actions.copying import wanted
from app.tui.screens.block_cursor import BlockCursor
from app.tui.screens.save_code import SaveCode
from app.tui.text.code_blocks import code_blocks
from app.tui.widgets.line_input import LineInput
from app.tui.widgets.quick_text_area import QuickTextArea
from tests.app.tui import alone
from tests.app.tui.branching import act
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import FakeEngine, words
from tests.app.tui.test_line_input import Fields

END = "\x1b[201~\x9d52;c;bA==\x9c\u202e\U000e0041"
ASKED = f"How\tdo I{END} join\ntwo paths?"
CODE = f"if a:\n\tos.{END}sep\n\n  b"
ANSWER = f"So{END}:\n\n```python\n{CODE}\n```\n"


async def opened(chat: Chat) -> None:
    """Have a chat there that somebody else wrote."""
    await chat.ready()
    turn = Turn(ASKED, answer=ANSWER, spans=words(ANSWER), reason="stop")
    await chat.screen.asking.show_turns([turn])
    await chat.answered()


@pytest.mark.parametrize("name", ["edit", "undo"])
def test_a_question_that_comes_into_the_box_is_harmless(name: str) -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat)
        await act(chat, name)
        assert chat.prompt.text == sanitise(ASKED)

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("name", ["edit", "amend"])
def test_what_was_made_harmless_for_the_box_counts_as_unchanged(name: str) -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat)
        await chat.pilot.press(*"mine")
        await act(chat, name)
        assert chat.screen.asking.unsent(chat.prompt.text, ()).texts == ("mine",)
        await chat.pilot.press("escape")
        assert chat.prompt.text == "mine"
        assert sanitise(ASKED) not in chat.prompt.past.prompts

    drive(scenario, FakeEngine())


@pytest.mark.parametrize(
    ("what", "is_chosen", "copied"),
    [
        ("question", False, ASKED),
        ("answer", False, ANSWER.strip()),
        ("all", False, f"{ASKED}\n\n{ANSWER.strip()}"),
        ("", True, f"{ASKED}\n\n{ANSWER.strip()}"),
        ("code", False, CODE),
        ("1", False, CODE),
    ],
    ids=["question", "answer", "all", "chosen", "code", "block"],
)
def test_what_is_copied_is_what_is_shown(what: str, is_chosen: bool, copied: str) -> None:
    async def scenario(chat: Chat) -> None:
        await opened(chat)
        if is_chosen:
            chat.transcript.select(chat.turns[0])
        text, _ = wanted(chat.screen, what)
        assert text == sanitise(copied) and text != copied

    drive(scenario, FakeEngine())


def test_a_question_without_an_answer_is_copied_as_it_is_shown() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.asking.show_turns([Turn(ASKED, reason="failed", error="no memory")])
        await chat.until(lambda: len(chat.turns) == 1 and chat.turns[0].over)
        chat.transcript.select(chat.turns[0])
        assert wanted(chat.screen, "") == (sanitise(ASKED), "the question")

    drive(scenario, FakeEngine())


def test_code_keeps_its_tabs_and_lines_and_what_is_saved_is_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = code_blocks(Turn("?", answer=ANSWER, reason="stop"))
    assert block.code == "if a:\n\tos.[201~52;c;bA==sep\n\n  b"

    async def scenario(chat: Chat) -> None:
        await opened(chat)
        await chat.pilot.press("alt+j")
        await chat.until(lambda: isinstance(chat.app.screen, BlockCursor))
        await chat.pilot.press("n", "s")
        await chat.until(lambda: isinstance(chat.app.screen, SaveCode))
        await chat.pilot.press("enter")
        await chat.until(lambda: (tmp_path / "code.py").exists())
        assert (tmp_path / "code.py").read_text() == f"{block.code}\n"

    drive(scenario, FakeEngine(), WIDE)


@pytest.mark.parametrize(
    ("pasted", "had"),
    [
        ("  a\x9b31mb\x9d\u202e.gguf", "  a31mb.gguf"),
        (f"{END}one\r\n\ttwo{END}", "[201~52;c;bA==one two[201~52;c;bA=="),
        ("\x9b\u202e", ""),
    ],
    ids=["one line", "lines", "nothing"],
)
def test_what_is_pasted_into_a_line_is_harmless(pasted: str, had: str) -> None:
    field = LineInput()

    async def scenario(seen: alone.Seen) -> None:
        await seen.until(lambda: field.has_focus)
        seen.app.post_message(Paste(pasted))
        seen.app.post_message(Paste("!"))
        await seen.until(lambda: field.value.endswith("!"))

    alone.drive(Fields(field), scenario)
    assert field.value == f"{had}!"


def test_what_is_pasted_into_lines_is_harmless_and_keeps_them() -> None:
    field = QuickTextArea()

    async def scenario(seen: alone.Seen) -> None:
        await seen.until(lambda: field.has_focus)
        seen.app.post_message(Paste(f"one\r\n\ttwo{END}\rthree"))
        await seen.until(lambda: "three" in field.text)

    alone.drive(Fields(field), scenario)
    assert field.text == "one\n\ttwo[201~52;c;bA==\nthree"
