"""What is typed in a chat and not sent yet, and how it is kept between two starts.

That has a limit: of a longer text the beginning is kept, and a pasted one that does not fit is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from app.files.attachments import LONGEST_NAME, Attachment
from app.files.mentions import mentions
from app.prompts.prompt_history import LONGEST_PROMPT
from app.terminal.sanitise import one_line

LONGEST_TEXT = 100_000
LONGEST_PASTED = 500_000
"""Characters of one chat: of what is typed, and of all that is pasted beside it."""


class Unsent(NamedTuple):
    """texts: what is meant to be asked in a chat; pasted: what goes with it."""

    texts: tuple[str, ...]
    pasted: tuple[Attachment, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n\n".join(self.texts)

    @property
    def is_heavy(self) -> bool:
        """Whether Up cannot bring it."""
        return bool(self.pasted) or any(len(text) > LONGEST_PROMPT for text in self.texts)


class KeptUnsent(msgspec.Struct, frozen=True, omit_defaults=True):
    """pasted: what stands beside the text. chat: its number in the history, None for a chat of
    which nothing is kept yet. is_shown: whether that chat was the one in sight. system, settings:
    what such a chat is to begin with, as the history keeps it.
    """

    text: str
    pasted: tuple[Attachment, ...] = ()
    chat: int | None = None
    is_shown: bool = False
    system: str = ""
    settings: dict[str, Any] = {}

    def begun_with(self, system: str, settings: Mapping[str, object]) -> KeptUnsent:
        """Return it for a chat that is to begin with this."""
        return msgspec.structs.replace(self, system=_writable(system), settings=dict(settings))


def kept_unsent(
    text: str, pasted: Iterable[Attachment], chat: int | None = None, is_shown: bool = False
) -> KeptUnsent | None:
    """Return what is kept of it, None where that is nothing."""
    kept, room = [], LONGEST_PASTED
    for each in pasted:
        if len(each.text) <= room:
            room -= len(each.text)
            kept.append(replace(each, text=_writable(each.text)))
    if not text.strip() and not kept:
        return None
    return KeptUnsent(_writable(text[:LONGEST_TEXT]), tuple(kept), chat, is_shown)


def beside(question: str, attachments: Iterable[Attachment]) -> tuple[Attachment, ...]:
    """Return what was attached to a question beside the files that it names."""
    named = {one_line(mention.path, LONGEST_NAME) for mention in mentions(question)}
    return tuple(each for each in attachments if each.name not in named)


def _writable(text: str) -> str:
    """Return a text without half characters, which no file takes; as a rule the same object."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
