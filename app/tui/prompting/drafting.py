"""The draft in the prompt, while an earlier prompt is shown in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.prompts.prompt_history import Walk
from app.terminal.sanitise import sanitise

if TYPE_CHECKING:
    from app.tui.widgets.prompt import Prompt


class Drafting:
    """Walks from the draft to the earlier prompts of one prompt, and back."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._walk: Walk | None = None
        self._n_up, self._draft = 0, ""

    @property
    def unsent(self) -> str:
        """What is lost with the shown text unless it is kept: the draft, and an earlier prompt that
        was changed; where no draft is, what is shown.
        """
        shown = self._prompt.text
        if not self._n_up or not self._draft.strip():
            return shown
        is_as_sent = shown in self._prompt.past.prompts
        return self._draft if is_as_sent else f"{self._draft}\n\n{shown}"

    def walks(self, key: str) -> bool:
        """Whether a key led to a prompt that was sent earlier, or to the draft."""
        text, wrapped = self._prompt.text, self._prompt.wrapped_document
        row = wrapped.location_to_offset(self._prompt.cursor_location).y
        if key == "ctrl+up" or (key == "up" and row == 0):
            self._walk = self._walk or self._prompt.past.walk()
            is_found = self._show(self._walk.up(text), 1)
        elif key == "ctrl+down" or (key == "down" and row == wrapped.height - 1):
            is_found = self._walk is not None and self._show(self._walk.down(text), -1)
        else:
            return False
        return is_found or key.startswith("ctrl+")

    def _show(self, found: str | None, n: int) -> bool:
        """Have in the prompt what was found so many prompts further up, if something was."""
        if found is None:
            return False
        self._draft = self._draft if self._n_up else self._prompt.text
        walk, n_up = self._walk, self._n_up + n
        self._prompt.text = sanitise(found)
        self._walk, self._n_up = walk, n_up  # which a text ends that is put in
        self._prompt.move_cursor(self._prompt.document.end)
        return True

    def end(self) -> None:
        """Take what is shown from now on for the draft."""
        self._walk, self._n_up = None, 0
