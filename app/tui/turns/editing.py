"""What is being changed in the prompt: a question that was asked, or the answer to it."""

from __future__ import annotations

from dataclasses import dataclass

from app.chat.unsent import Unsent
from app.files.attachments import Attachment
from app.prompts.prompt_history import LONGEST_PROMPT
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn_view import TurnView


@dataclass(slots=True)
class Editing:
    """view: the turn; amends: its answer is changed, not its question. put, put_beside: what is put
    in the prompt to be changed, and beside it. before, before_beside: what was there until then.
    """

    prompt: Prompt
    view: TurnView
    amends: bool
    put: str
    put_beside: tuple[Attachment, ...]
    before: str
    before_beside: tuple[Attachment, ...]

    def begin(self) -> None:
        """Have it in the prompt."""
        prompt = self.prompt
        self.view.add_class("-editing")
        prompt.verbatim = self.amends
        prompt.text = self.put
        self.put = prompt.text  # made harmless, it is not changed yet
        prompt.show_pasted(self.put_beside)
        prompt.move_cursor(prompt.document.end)
        prompt.focus()

    def leave(self) -> None:
        """Mark the turn no more, and have in the prompt what was there before, alone; Up brings
        what was changed. What Up cannot bring, and what was pasted meanwhile, stays.
        """
        self.view.remove_class("-editing")
        prompt, typed = self.prompt, self.prompt.unsent
        added = [each for each in prompt.attachments if each not in self.put_beside]
        if not self._is_changed(typed):
            prompt.text = ""
        elif len(typed.strip()) <= LONGEST_PROMPT:
            prompt.past.add(typed.strip())
            prompt.text = ""
        prompt.take(self.before)
        prompt.show_pasted((*self.before_beside, *added))
        prompt.verbatim = False

    def sent(self) -> None:
        """Take in that it was sent; what has been typed since then comes back with the rest."""
        self.put, self.put_beside = self.prompt.text, self.prompt.attachments
        self.before = "\n\n".join(filter(None, (self.before, self.put)))
        self.before_beside += self.put_beside

    def unsent(self, typed: str, pasted: tuple[Attachment, ...]) -> Unsent:
        """Return what is meant to be sent: what was there before, and what was changed."""
        if self._is_changed(typed) or pasted != self.put_beside:
            return Unsent((self.before, typed), (*self.before_beside, *pasted))
        return Unsent((self.before,), self.before_beside)

    def _is_changed(self, typed: str) -> bool:
        """Whether this is another text than was put there."""
        return typed.strip() != self.put.strip()
