"""Code is copied block by block: by the word over it, or by a key; and nothing moves for it."""

from __future__ import annotations

import pytest

from app.chat.conversation import Turn
from app.tui.screens.code_choice import CodeChoice
from app.tui.text import copied
from app.tui.text.code_blocks import code_blocks
from app.tui.widgets.answer_blocks import Fence
from app.tui.widgets.copy_code import WORD, CopyCode, whole_code
from engine import Span
from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

PYTHON = "import os\n\nos.listdir()"
TWO = f"Use this:\n\n```python\n{PYTHON}\n```\n\nor:\n\n- this\n\n  ```sh\n  ls\n  ```\n"
LONG = "\n".join(f"line_{number} = {number}\n" * 2 for number in range(200)).rstrip()


async def click_on_word(chat: Chat, number: int) -> None:
    """Click on the word over a block, where it stands once all is laid out."""
    await chat.pilot.pause()
    over = chat.screen.query(CopyCode)[number]
    right = over.region.width - 2
    await chat.pilot.click(over, offset=(right - len(WORD) + 1, 0))


def test_the_word_over_a_block_copies_that_block() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        for number, code in ((1, "ls"), (0, PYTHON)):
            await click_on_word(chat, number)
            await chat.until(lambda code=code: chat.app.clipboard == code)
            assert chat.app.clipboard == code

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_a_click_beside_the_word_copies_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        await chat.pilot.click(chat.screen.query(CopyCode)[0], offset=(3, 0))
        await chat.pilot.click(chat.screen.query(Fence)[0], offset=(3, 1))
        await chat.pilot.pause()
        assert chat.app.clipboard == ""

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_while_an_answer_is_written_the_word_copies_what_is_there() -> None:
    spans = [Span(text, "plain") for text in ("```python\nimport os\n", "import sys\n", "```\n")]

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.until(lambda: chat.shows("import sys"))
        await click_on_word(chat, 0)
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == "import os\nimport sys"
        chat.engine.release()
        await chat.answered()

    drive(scenario, FakeEngine(Answer(spans, hold_after=2)), WIDE)


def test_the_word_stands_in_a_line_that_was_empty() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        fence, over = chat.screen.query(Fence)[0], chat.screen.query(CopyCode)[0]
        assert fence.region.height == len(PYTHON.splitlines()) + 2
        assert over.region.y == fence.region.y and over.region.height == 1

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_a_block_that_is_shown_in_parts_is_copied_whole_and_has_one_word() -> None:
    spans = [Span(f"```python\n{LONG}\n```\n\nthe end\n", "plain")]

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: chat.shows("the end"))
        await chat.pilot.press("ctrl+home")
        await chat.until(lambda: chat.shows("line_0 = 0"))
        assert any(part.is_put_off for part in chat.turns[0].parts)
        await click_on_word(chat, 0)
        await chat.until(lambda: chat.app.clipboard != "")
        assert chat.app.clipboard == LONG
        parts = list(chat.screen.query(Fence))
        assert len(parts) > 1
        assert whole_code(parts[0]) == LONG
        assert [over.display for over in chat.screen.query(CopyCode)].count(True) == 1

    drive(scenario, FakeEngine(Answer(spans)), WIDE)


@pytest.mark.parametrize(("keys", "code"), [(("enter",), "ls"), (("up", "enter"), PYTHON)])
def test_the_key_has_one_of_several_blocks_chosen(keys: tuple[str, ...], code: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.pilot.press("alt+k")
        await chat.until(lambda: isinstance(chat.app.screen, CodeChoice))
        await chat.until(lambda: chat.shows("2 1 line sh ls"))
        await chat.pilot.press(*keys)
        await chat.until(lambda: chat.app.clipboard != "")
        assert (chat.app.clipboard, chat.is_on_top) == (code, True)

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_escape_leaves_the_choice_and_copies_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.pilot.press("alt+k")
        await chat.until(lambda: isinstance(chat.app.screen, CodeChoice))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        assert chat.app.clipboard == ""

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_the_key_copies_the_only_block_at_once_and_says_so_where_there_is_none() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.pilot.press("alt+k")
        await chat.until(lambda: chat.app.clipboard == "ls")
        await chat.ask("and?")
        await chat.answered(2)
        await chat.pilot.press("alt+k")
        await chat.until(lambda: chat.toasts("no code block"))
        assert chat.app.clipboard == "ls"

    drive(scenario, FakeEngine(Answer(words("```\nls\n```")), Answer(words("No code."))))


def test_of_what_was_done_the_newest_toast_alone_is_seen_and_news_with_a_title_stay() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        chat.app.notify("Two chats are damaged.", title="Chats")
        await chat.pilot.press("ctrl+k")
        await chat.until(lambda: len(chat.app._notifications) == 2)
        await chat.pilot.press("alt+k")
        await chat.until(lambda: chat.toasts("no code block"))
        told = [(note.title, note.message) for note in chat.app._notifications]
        assert told[0] == ("Chats", "Two chats are damaged.")
        assert told[1:] == [("", "This answer has no code block.")]

    drive(scenario, FakeEngine(Answer(words("No code."))))


def test_it_is_called_copied_only_where_that_is_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copied, "copied_now", lambda app, text: f"as it went: {text}")

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        await click_on_word(chat, 1)
        await chat.until(lambda: chat.toasts("as it went: ls"))
        assert not chat.toasts("Copied")

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


@pytest.mark.parametrize(
    ("answer", "growing", "over"),
    [
        ("```\na\n```\n", ["a"], ["a"]),
        ("```\na\n```", [], ["a"]),
        ("```\na\n", [], ["a"]),
        ("````\n```\na\n```\n````\nb", ["```\na\n```"], ["```\na\n```"]),
        ("- x\n\n  ~~~py\n  a\n  ~~~\n\nb", ["a"], ["a"]),
        ("x\n\n    a\n", [], ["a"]),
        ("x\n\n    a\n\ny", ["a"], ["a"]),
        ("```\na\n```\n\n```\nb", ["a"], ["a", "b"]),
        ("x `a` y", [], []),
        ("<think>\n```\nno\n```\n</think>\n\n```\na\n```\n", ["a"], ["a"]),
    ],
)
def test_a_block_counts_when_it_is_whole(answer: str, growing: list[str], over: list[str]) -> None:
    turn = Turn("?", answer=answer)
    assert [block.code for block in code_blocks(turn)] == growing
    turn.reason = "stop"
    assert [block.code for block in code_blocks(turn)] == over


def test_a_block_shows_its_language_and_it_is_said_which_one_was_copied() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        assert chat.shows(f"python {WORD}") and chat.shows(f"sh {WORD}")
        await chat.pilot.press("alt+k")
        await chat.until(lambda: isinstance(chat.app.screen, CodeChoice))
        await chat.pilot.press("up", "enter")
        await chat.until(lambda: chat.toasts("code 1 of 2, python"))
        assert chat.app.clipboard == PYTHON

    drive(scenario, FakeEngine(Answer(words(TWO))), WIDE)


def test_a_language_that_is_still_being_written_is_shown_whole_in_the_end() -> None:
    spans = [Span(text, "plain") for text in ("```py", "thon\nimport os\n", "```\n")]

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.until(lambda: chat.shows("py copy"))
        chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows("python copy"))
        assert not chat.shows("py copy")

    drive(scenario, FakeEngine(Answer(spans, hold_after=1)))


def test_a_block_without_a_language_has_the_word_alone_and_a_hostile_one_is_harmless() -> None:
    evil = "```\x1b[31m" + 30 * "x" + "\nls\n```\n\n```\nls\n```"

    async def scenario(chat: Chat) -> None:
        await chat.ask("code?")
        await chat.answered()
        await chat.until(lambda: len(chat.screen.query(CopyCode)) == 2)
        first, second = (chat.lines[each.region.y] for each in chat.screen.query(CopyCode))
        assert second.split() == [WORD]
        assert "\x1b" not in first and 25 * "x" not in first

    drive(scenario, FakeEngine(Answer([Span(evil, "plain")])))


async def copied_by(chat: Chat, *keys: str) -> str:
    """Press keys and return what is copied then."""
    chat.app._clipboard = ""
    await chat.pilot.press(*keys)
    await chat.until(lambda: chat.app.clipboard != "")
    return chat.app.clipboard


def test_of_a_chosen_turn_the_question_and_the_answer_are_copied_else_the_last_answer() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first?")
        await chat.answered()
        await chat.ask("second?")
        await chat.answered(2)
        assert await copied_by(chat, "ctrl+k") == "Two."
        await chat.until(lambda: chat.toasts("the answer"))
        assert await copied_by(chat, "alt+up", "alt+up", "ctrl+k") == "first?\n\nOne."
        await chat.until(lambda: chat.toasts("the question and its answer"))
        await chat.screen.action_act("copy", "question")
        assert chat.app.clipboard == "first?"
        await chat.screen.action_act("copy", "answer")
        assert chat.app.clipboard == "One."
        await chat.pilot.press("alt+down", "alt+down")
        await chat.ask("/copy question")
        await chat.until(lambda: chat.app.clipboard == "second?")
        await chat.screen.action_act("copy", "all")
        assert chat.app.clipboard == "first?\n\nOne.\n\nsecond?\n\nTwo."

    drive(
        scenario, FakeEngine(Answer(words("<think>\nhm\n</think>\n\nOne.")), Answer(words("Two.")))
    )
