"""A pasted text as it stands beside the prompt; one key puts it into the box to be changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import BindingType

from app.tui.keys.screen_keys import bound
from app.tui.screens.answer_source import AnswerSource


class PastedSource(AnswerSource):
    """unfold: puts the text into the box."""

    BINDINGS: ClassVar[list[BindingType]] = [bound("source-unfold", "unfold", priority=True)]

    def __init__(self, text: str, label: str, unfold: Callable[[], object]) -> None:
        super().__init__(text, label)
        self._unfold = unfold

    def action_unfold(self) -> None:
        """Go back, with the text in the box."""
        self.dismiss(None)
        self._unfold()
