"""Reads the files that a question names while it is typed, and those that are sent with it.

A picture that is sent is kept with the chat, where chats are kept; it is refused while the model
takes none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from app import attachments
from app.attachments import LONGEST_NAME, Attachment, AttachmentError
from app.pictures import Album
from app.sanitise import one_line

MOST_KNOWN = 8
"""Files whose text is kept."""


def _takes_pictures() -> str:
    return ""


def _none_before(name: str) -> Attachment | None:
    return None


class Reader:
    """Reads a file again only when it has changed: what is typed is looked at with every letter.

    blind: says why no picture is taken now, "" where they are. album: keeps those that are sent;
    None: they stay where they are. former: called with the name of a file that is not there;
    returns the picture of the chat that is meant by it all the same, None if none is. Several
    threads may ask; one reads at a time.
    """

    def __init__(self) -> None:
        self.blind: Callable[[], str] = _takes_pictures
        self.album: Album | None = None
        self.former: Callable[[str], Attachment | None] = _none_before
        self._reading = threading.Lock()
        self._known: dict[tuple[str, str, int, int], Attachment | AttachmentError] = {}

    def read(self, path: Path, name: str = "") -> Attachment:
        """Do as the function of that name does, or return the chat's. Raises AttachmentError."""
        try:
            found = path.stat()
        except (OSError, ValueError):
            former = self.former(one_line(name or path.name, LONGEST_NAME))
            return former or attachments.read(path, name)
        key = (str(path), name, found.st_mtime_ns, found.st_size)
        with self._reading:
            known = self._known.pop(key, None) or _read_or_refused(path, name)
            self._known[key] = known  # at the end: the oldest goes first
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        if isinstance(known, AttachmentError):
            raise AttachmentError(str(known))
        return known

    def take(self, path: Path, name: str = "") -> Attachment:
        """Read what is sent now. Raises AttachmentError."""
        found = self.read(path, name)
        if found.picture is None:
            return found
        if why := self.blind():
            raise AttachmentError(f"{found.name} is a picture, and {why}")
        return found if self.album is None else attachments.kept(found, self.album)


def _read_or_refused(path: Path, name: str) -> Attachment | AttachmentError:
    try:
        return attachments.read(path, name)
    except AttachmentError as error:
        return error
