"""How long the question is that is being typed, with the files it names and what is pasted."""

from __future__ import annotations

from pathlib import Path

from app.files.attachments import Attachment, AttachmentError, attached, for_model, pictures_of
from app.files.mentions import mentions
from app.prompts.slash import typed
from app.sizes import counted
from app.tui.background.threads import in_thread
from app.tui.serving.gauge import Gauge
from app.tui.widgets.prompt import Prompt
from engine import EngineDied, Message, Picture

READING = "reading files…"
SLOW_S = 0.3


class Counting:
    """base: where relative files are. Files are read here, so they are known when they are sent."""

    def __init__(self, prompt: Prompt, gauge: Gauge, base: Path) -> None:
        self._prompt, self._gauge, self._base = prompt, gauge, base

    async def count(self, text: str, is_free: bool) -> None:
        """Say how long a text is. is_free: the engine has nothing else to do."""
        pasted = self._prompt.attachments
        is_sent = bool(text.strip() or pasted) and typed(text) == text  # a command is not
        n: int | None = None
        if is_free and is_sent:
            files = (*pasted, *await self._named(text))
            try:
                n = await self._tokens(for_model(text, files), pictures_of(files))
            except EngineDied:  # the session tells of it
                n = None
        self._prompt.show_count("" if n is None else counted(n, "token"))

    async def _tokens(self, text: str, pictures: list[Picture]) -> int | None:
        """Return the tokens of a text, and those that pictures add to a prompt; None where nobody
        can count them all.
        """
        n = await self._gauge.tokens(text)
        if n is None or not pictures or self._prompt.reader.blind():
            return n
        shown = [Message(role="user", content=text, pictures=pictures)]
        more = await self._gauge.tokens(shown)
        less = await self._gauge.tokens([Message(role="user", content=text)])
        return None if more is None or less is None else n + more - less

    async def _named(self, text: str) -> list[Attachment]:
        """Return the files that a text names; none if one of them cannot be sent."""
        if not mentions(text):
            return []
        telling = self._prompt.set_timer(SLOW_S, lambda: self._prompt.show_count(READING))
        try:
            return await in_thread(lambda: attached(text, self._base, self._prompt.reader.read))
        except AttachmentError:  # said when it is sent: the name may not be whole yet
            return []
        finally:
            telling.stop()
