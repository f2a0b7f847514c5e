"""Chooses one of several code blocks."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from app.terminal.sanitise import one_line
from app.tui.screens.choice_box import ChoiceBox
from app.tui.text.code_blocks import CodeBlock
from app.tui.tones import DIM

QUESTION = "Copy which code block?  Enter copies, Esc goes back"


class CodeChoice(ChoiceBox):
    """Dismissed with the place of the chosen block; the last one, which was just written, is
    highlighted.
    """

    def __init__(self, blocks: Sequence[CodeBlock]) -> None:
        rows = [_row(number, block) for number, block in enumerate(blocks, 1)]
        super().__init__(QUESTION, rows, len(rows) - 1)


def _row(number: int, block: CodeBlock) -> Content:
    lines = block.code.splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    count = f"{len(lines)} line{'s' * (len(lines) != 1)}"
    language = f"{block.language}  " if block.language else ""
    return Content.assemble(
        (f"{number:>2}  ", "bold"),
        (f"{count:<10}  ", DIM),
        (language, DIM),
        one_line(first),
    )
