"""An answer as the blocks that show it, whatever slices it is cut into."""

from __future__ import annotations

from app.tui.text.shown_blocks import pieces, shown_blocks
from tests.app.tui.driving import NARROW, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

HEADING, PARAGRAPH, BULLETS = "# Paths", "It **joins** them.", "- one\n- two\n  - inner"
STEPS = "1. Install:\n\n   ```sh\n   pip install it\n   ```\n\n2. Run it."
SH, PYTHON = "```sh\npip install it\n```", "```python\nimport os\n\nos.sep\n```"
TABLE, QUOTATION = "| call | result |\n|---|---|\n| join | a/b |", "> Somebody said that."
BLOCKS = [HEADING, PARAGRAPH, BULLETS, STEPS, PYTHON, TABLE, QUOTATION]
ANSWER = "\n\n".join([*BLOCKS, "---"])
STOPS = [HEADING, PARAGRAPH, BULLETS, STEPS, SH, PYTHON, TABLE, QUOTATION]
LONG_CODE = "\n".join(f"line_{number} = {number}\n" * 2 for number in range(150)).rstrip()


def test_a_block_that_is_shown_in_parts_is_one() -> None:
    whole = f"```python\n{LONG_CODE}\n```"
    items = "\n".join(f"- item {n} of a list that is long" for n in range(90))

    async def scenario(chat: Chat) -> None:
        await chat.ask("long?")
        await chat.answered()
        found = shown_blocks(chat.turns[0].parts)
        assert [block.source for block in found] == [whole, "Between.", items, "The end."]
        assert len(found[0].parts) > 1
        code = found[0].code
        assert code is not None and (code.code, code.language) == (LONG_CODE, "python")

    text = f"{whole}\n\nBetween.\n\n{items}\n\nThe end."
    drive(scenario, FakeEngine(Answer(words(text))), NARROW)


def test_a_piece_of_a_slice_is_what_stands_there() -> None:
    assert [each.source.strip("\n") for each in pieces("", ANSWER)] == [*BLOCKS, "---"]
    names = ["heading", "paragraph", "list", "list", "code", "table", "quotation", ""]
    assert [each.name for each in pieces("", ANSWER)] == names
    [first, second] = pieces("```python\n", "\na = 1\n```\n\nThe end.")
    assert first.source == "\na = 1\n```\n" and second.source == "The end."
    assert first.code is not None and first.code.code == "\na = 1\n"
    assert pieces("", "") == ()
    [quoted] = pieces("", "> so\n>\n> ~~~~ js\n> a\n> ~~~~\n")
    assert [each.source for each in quoted.within] == ["~~~~ js\na\n~~~~"]
