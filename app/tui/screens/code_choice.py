"""Chooses one of several code blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from app.sanitise import one_line
from app.tui.code_blocks import CodeBlock


class CodeChoice(ModalScreen[int | None]):
    """Dismissed with the number of the chosen block, from 1 on; None for none of them."""

    DEFAULT_CSS = """
    CodeChoice {
        align: center middle;
        background: $background 60%;
        #box {
            width: 72;
            max-width: 96%;
            height: auto;
            max-height: 90%;
            padding: 1 2;
            border: round $primary;
            background: $surface;
        }
        Static { text-style: bold; margin-bottom: 1; }
        OptionList {
            height: auto;
            max-height: 14;
            border: none;
            padding: 0;
            background: transparent;
            text-wrap: nowrap;
            text-overflow: ellipsis;
            &:focus { border: none; background: transparent; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, blocks: Sequence[CodeBlock]) -> None:
        super().__init__()
        self._blocks = blocks

    def compose(self) -> ComposeResult:
        """Question, blocks; the last one, which was just written, is highlighted."""
        rows = [Option(_row(number, block)) for number, block in enumerate(self._blocks, 1)]
        options = OptionList(*rows, markup=False)
        options.highlighted = len(rows) - 1
        with Vertical(id="box"):
            yield Static("Copy which code block?  Enter copies, Esc goes back", markup=False)
            yield options

    @on(OptionList.OptionSelected)
    def _on_chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index + 1)


def _row(number: int, block: CodeBlock) -> Content:
    lines = block.code.splitlines()
    first = next((line.strip() for line in lines if line.strip()), "")
    count = f"{len(lines)} line{'s' * (len(lines) != 1)}"
    language = f"{block.language}  " if block.language else ""
    return Content.assemble(
        (f"{number:>2}  ", "bold"),
        (f"{count:<10}  ", "$foreground-muted"),
        (language, "$foreground-muted"),
        one_line(first),
    )
