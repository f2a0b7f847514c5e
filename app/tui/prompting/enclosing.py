"""Sends a question with the files that it names: they are read first, and meanwhile it can be taken
back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.files.attachments import Attachment, AttachmentError, attached
from app.prompts import slash
from app.tui.background.starting import start
from app.tui.background.threads import in_thread
from app.tui.prompting.words import ASK, READING

if TYPE_CHECKING:
    from app.tui.widgets.prompt import Prompt

GROUP = "sending"


class Enclosing:
    """Of one prompt, one question at a time."""

    def __init__(self, prompt: Prompt) -> None:
        self._prompt = prompt
        self._unsent: tuple[str, tuple[Attachment, ...]] | None = None

    @property
    def unsent(self) -> tuple[str, tuple[Attachment, ...]]:
        """The question that is on its way, and what is pasted beside it."""
        return self._unsent or ("", ())

    @property
    def is_reading(self) -> bool:
        """Whether files are read for a question that is on its way."""
        return self._unsent is not None

    def send(self, text: str, pastes: tuple[Attachment, ...]) -> None:
        """Send a text once its files are read; nothing if one of them cannot be."""
        self._note((text, pastes))
        start(self._prompt, self._send, text, pastes, group=GROUP)

    def take_back(self) -> bool:
        """Put the question back, and end the reading; tell whether there was one."""
        if self._unsent is None:
            return False
        self._prompt.workers.cancel_group(self._prompt, GROUP)
        self._prompt.reader.stop()
        self._put_back(*self._unsent)
        return True

    async def _send(self, text: str, pastes: tuple[Attachment, ...]) -> None:
        prompt, question, base = self._prompt, slash.message(text), self._prompt.base
        take = partial(prompt.reader.take, stopper=prompt.reader.stopper)
        try:
            read = await in_thread(lambda: attached(question, base, take))
        except AttachmentError as error:
            self._put_back(text, pastes)
            prompt.show_trouble(str(error))
        else:
            self._note(None)
            prompt.deliver(prompt.Submitted(question, (*pastes, *read)))

    def _put_back(self, text: str, pastes: tuple[Attachment, ...]) -> None:
        self._note(None)
        self._prompt.show_pasted((*pastes, *self._prompt.attachments))
        self._prompt.take(text)

    def _note(self, unsent: tuple[str, tuple[Attachment, ...]] | None) -> None:
        """Note what is on its way, and say so."""
        self._unsent = unsent
        self._prompt.placeholder = ASK if unsent is None else READING
        self._prompt.refresh_bindings()
