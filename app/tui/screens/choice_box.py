"""A question with a list of answers, in a box over what is asked about."""

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

from app.tui.keys.vi_keys import ViKeys
from app.tui.screens.left_once import LeftOnce


class ChoiceBox(ViKeys, ModalScreen[int | None], LeftOnce[int | None]):
    """Dismissed with the place of the answer in the list; None for none.

    begin_at: the place of the one that is highlighted first.
    """

    DEFAULT_CSS = """
    ChoiceBox {
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
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back", priority=True)
    ]

    def __init__(self, question: str, answers: Sequence[Content], begin_at: int = 0) -> None:
        super().__init__()
        self._question, self._answers, self._begin_at = question, answers, begin_at

    def compose(self) -> ComposeResult:
        """Question, answers."""
        options = OptionList(*map(Option, self._answers), markup=False)
        options.highlighted = self._begin_at
        with Vertical(id="box"):
            yield Static(self._question, markup=False)
            yield options

    @on(OptionList.OptionSelected)
    def _on_chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)
