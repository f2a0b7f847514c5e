"""What is being changed in the prompt: a question that was asked, or the answer to it."""

from __future__ import annotations

from dataclasses import dataclass

from app.prompts.prompt_history import LONGEST_PROMPT
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn_view import TurnView


@dataclass(slots=True)
class Editing:
    """view: the turn; amends: its answer is changed, not its question. before: what was in the
    prompt until then; put: what is put there to be changed.
    """

    prompt: Prompt
    view: TurnView
    amends: bool
    before: str
    put: str

    def begin(self) -> None:
        """Have it in the prompt."""
        prompt = self.prompt
        self.view.add_class("-editing")
        prompt.verbatim = self.amends
        prompt.text = self.put
        prompt.move_cursor(prompt.document.end)
        prompt.focus()

    def give_way(self) -> None:
        """Mark the turn no more; Up brings a question that was changed."""
        self.view.remove_class("-editing")
        if self._is_changed(self.prompt.text):
            self.prompt.past.add(self.prompt.text.strip())

    def leave(self) -> None:
        """The same, and have in the prompt what was typed before, alone."""
        self.give_way()
        prompt = self.prompt
        if self.amends or len(prompt.text) <= LONGEST_PROMPT:  # else Up cannot bring it
            prompt.text = ""
        prompt.take(self.before)
        prompt.verbatim = False

    def sent(self) -> None:
        """Take in that it was sent; what has been typed since then comes back with the rest."""
        self.put = self.prompt.text
        self.before = "\n\n".join(filter(None, (self.before, self.put)))

    def unsent(self, typed: str) -> tuple[str, ...]:
        """Return what is meant to be asked: what was typed before, and the changed question."""
        return (self.before, typed) if self._is_changed(typed) else (self.before,)

    def _is_changed(self, typed: str) -> bool:
        """Whether this is another question than was put there. An answer is none."""
        return not self.amends and typed.strip() != self.put.strip()
