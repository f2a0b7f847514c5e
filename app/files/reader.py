"""Reads the files that a question names while it is typed, and those that are sent with it.

A picture that is sent is kept with the chat, where chats are kept; it is refused while the model
takes none.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from app.files import attachments
from app.files.attachments import LONGEST_NAME, Attachment, AttachmentError
from app.files.pdf import Stopper
from app.files.pictures import Album
from app.terminal.sanitise import one_line

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
    threads may ask; one reads at a time. stopper: of what is read from now on.
    """

    def __init__(self) -> None:
        self.blind: Callable[[], str] = _takes_pictures
        self.album: Album | None = None
        self.former: Callable[[str], Attachment | None] = _none_before
        self.stopper = Stopper()
        self._reading = threading.Lock()
        self._known: dict[tuple[str, str, int, int], Attachment | AttachmentError] = {}

    def stop(self) -> None:
        """End what is read, and what waits for that; a PDF that was is not read again until it is
        sent again.
        """
        stopper, self.stopper = self.stopper, Stopper()
        stopper.stop()

    def read(self, path: Path, name: str = "", stopper: Stopper | None = None) -> Attachment:
        """Do as the function of that name does, or return the chat's. Raises AttachmentError."""
        stopper = stopper or self.stopper
        try:
            found = path.stat()
        except (OSError, ValueError):
            former = self.former(one_line(name or path.name, LONGEST_NAME))
            return former or attachments.read(path, name, stopper)
        key = (str(path), name, found.st_mtime_ns, found.st_size)
        with self._reading:
            known = self._known.pop(key, None) or _read_or_refused(path, name, stopper)
            self._known[key] = known  # at the end: the oldest goes first
            if len(self._known) > MOST_KNOWN:
                del self._known[next(iter(self._known))]
        if isinstance(known, AttachmentError):
            raise AttachmentError(str(known))
        return known

    def take(self, path: Path, name: str = "", stopper: Stopper | None = None) -> Attachment:
        """Read what is sent now, also what was refused before: why it was may have ended without a
        change of the file. Raises AttachmentError.
        """
        with self._reading:
            known = self._known.items()
            self._known = {key: it for key, it in known if not isinstance(it, AttachmentError)}
        found = self.read(path, name, stopper)
        if found.picture is None:
            return found
        if why := self.blind():
            raise AttachmentError(f"{found.name} is a picture, and {why}")
        return found if self.album is None else attachments.kept(found, self.album)


def _read_or_refused(path: Path, name: str, stopper: Stopper) -> Attachment | AttachmentError:
    try:
        return attachments.read(path, name, stopper)
    except AttachmentError as error:
        return error
