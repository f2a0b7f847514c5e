"""The draft in the prompt, while something else stands there: an earlier prompt, or a command that
was begun for the person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.prompts.prompt_history import LONGEST_PROMPT, Walk
from app.trimmed import trimmed_lines
from app.tui.prompting.words import TOO_LONG

if TYPE_CHECKING:
    from app.tui.widgets.prompt import Prompt


class Drafting:
    """Of one prompt: walks from the draft to earlier ones and back, and puts it aside."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._walk: Walk | None = None
        self._n_up, self._draft, self._aside = 0, "", ""

    @property
    def unsent(self) -> str:
        """What is lost with the shown text unless it is kept: the draft, and an earlier prompt that
        was changed; where no draft is, what is shown.
        """
        shown = self._prompt.text
        if self._aside:
            return self._aside
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
        walk, n_up, aside = self._walk, self._n_up + n, self._aside
        self._prompt.text = found
        self._walk, self._n_up, self._aside = walk, n_up, aside  # a text that is put in ends them
        self._prompt.move_cursor(self._prompt.document.end)
        return True

    def begin_command(self, text: str) -> None:
        """Have a command stand there; when it is sent or given up, the draft is there again."""
        aside, self._prompt.text = self.unsent, text
        self._aside = aside
        self._prompt.move_cursor(self._prompt.document.end)

    def comes_back(self) -> bool:
        """Whether the draft took its place again, which a command had."""
        if not self._aside:
            return False
        self._prompt.text = self._aside
        self._prompt.move_cursor(self._prompt.document.end)
        return True

    def put_by(self) -> None:
        """Empty the prompt; Up brings back what would be lost, undoing what is too long for Up."""
        prompt = self._prompt
        if prompt.text != self.unsent:
            prompt.text = self.unsent
        prompt.past.add(trimmed_lines(prompt.text))
        if len(prompt.text.strip()) > LONGEST_PROMPT:
            prompt.clear()
            prompt.notify(TOO_LONG, markup=False)
        else:
            prompt.text = ""

    def let_go(self) -> str:
        """Have Up bring the draft behind an earlier prompt, which is sent in its place; return what
        Up cannot bring.
        """
        draft = trimmed_lines(self._draft) if self._n_up and not self._aside else ""
        if len(draft) > LONGEST_PROMPT:
            return draft
        self._prompt.past.add(draft)
        return ""

    def end(self) -> None:
        """Take what is shown from now on for the draft."""
        self._walk, self._n_up, self._aside = None, 0, ""
