"""The chats that are open, in their order, and which of them is shown. It touches no widget.

There is always one that is shown. They are not to pile up, one for every question that was ever
begun anew: of more than MOST the one that was shown longest ago has to go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.chat.unsent import Unsent
from app.files.attachments import Attachment

if TYPE_CHECKING:
    from app.settings.rows import Value
    from app.tui.turns.asking import Asking


MOST = 9
"""As many as have a key of their own (Alt+1 to Alt+9)."""
RUNS, NEWS = "◌", "●"
"""What marks a chat that is being answered, and one whose answer ended unseen."""


@dataclass(slots=True, eq=False)
class OpenChat:
    """kept: its number in the history when it was opened, None for a new one. title: "" where its
    first question says it. asking: None until it is shown first, and read only then. typed, pasted,
    chosen: what was there when another chat was shown; chosen: its own settings, by their names.
    has_news: an answer ended unseen. shown: what the counter of OpenChats said when it was shown
    last. given_up: what was in its box when the person was told that closing it loses that.
    """

    kept: int | None = None
    title: str = ""
    asking: Asking | None = None
    typed: str = ""
    pasted: tuple[Attachment, ...] = ()
    chosen: Mapping[str, Value | None] = field(default_factory=dict)
    has_news: bool = False
    shown: int = 0
    given_up: Unsent | None = None

    @property
    def number(self) -> int | None:
        """Its number in the history, None while nothing of it is kept."""
        recorder = self.asking.recorder if self.asking is not None else None
        return self.kept if recorder is None or recorder.chat is None else recorder.chat

    @property
    def is_kept_nowhere(self) -> bool:
        """Whether what was said in it is gone for good when it is closed."""
        asking = self.asking
        return asking is not None and asking.recorder is None and bool(asking.transcript.turns)


class OpenChats:
    """current: the one that is shown."""

    def __init__(self, first: OpenChat) -> None:
        self.current = first
        self._chats = [first]
        self._n_shown = 0

    def __iter__(self) -> Iterator[OpenChat]:
        return iter(tuple(self._chats))

    def __len__(self) -> int:
        return len(self._chats)

    def go(self, chat: OpenChat) -> None:
        """Show a chat; one that is not open yet is the last one then."""
        if chat not in self._chats:
            self._chats.append(chat)
        self.current = chat
        self.count(chat)

    def count(self, chat: OpenChat) -> None:
        """Count a chat as the one that was shown last."""
        self._n_shown += 1
        chat.shown = self._n_shown

    def surround(self, before: Sequence[OpenChat], behind: Sequence[OpenChat]) -> None:
        """Have these open too, before and behind the one that is shown."""
        at = self._chats.index(self.current)
        self._chats[at + 1 : at + 1] = behind
        self._chats[at:at] = before

    def at(self, place: int) -> OpenChat | None:
        """Return the chat at a place, from 1 on."""
        return self._chats[place - 1] if 1 <= place <= len(self._chats) else None

    def beside(self, steps: int) -> OpenChat:
        """Return the chat so many further on; behind the last one comes the first."""
        return self._chats[(self._chats.index(self.current) + steps) % len(self._chats)]

    def find(self, number: int) -> OpenChat | None:
        """Return the chat that has this number in the history."""
        return next((chat for chat in self._chats if chat.number == number), None)

    def remove(self, chat: OpenChat) -> None:
        """Take out a chat that is not shown."""
        if chat is not self.current and chat in self._chats:
            self._chats.remove(chat)

    def spare(self, is_needed: Callable[[OpenChat], bool]) -> OpenChat | None:
        """Return the chat to close where too many are open, None if there is none to do without."""
        others = (chat for chat in self if chat is not self.current and not is_needed(chat))
        return min(others, key=lambda chat: chat.shown, default=None) if len(self) > MOST else None

    def after(self, chat: OpenChat) -> OpenChat | None:
        """Return the chat that is shown once this one is closed: the next, else the one before."""
        at = self._chats.index(chat)
        others = [*self._chats[at + 1 :], *reversed(self._chats[:at])]
        return others[0] if others else None


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of an open chat. runs: it is being answered; has_news: that ended unseen."""

    title: str
    is_current: bool = False
    runs: bool = False
    has_news: bool = False
