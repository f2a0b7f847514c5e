"""The chats of one person: what the app holds of them.

Reading asks the file at that moment, in the caller's thread. Writing returns at once, with an id
where there is a new one, and is on the disk soon after; `flush` waits for it, and whoever reads
what they have just written must call it first. What cannot be written is kept, tried again and
reported (writer.py), so no writing method raises for what the disk does.

A branch begins where a message is added beside another, to the same parent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from app.errors import HistoryError
from app.files.pictures import Album
from app.history import reading
from app.history.bring_in import imported
from app.history.database import Database, open_database
from app.history.figures import (
    UNMEASURED,
    Attachment,
    Figures,
    Outcome,
    pack_attachments,
    pack_settings,
    storable,
)
from app.history.ids import Ids
from app.history.importing import GO_ON, Progress, write_all
from app.history.interchange import as_json
from app.history.markdown import as_markdown
from app.history.moved import GoingOn
from app.history.records import BroughtIn, Chat, ChatInfo, Hit
from app.history.search import search
from app.history.steps import pack_steps
from app.history.store import ChatRow, MessageRow
from app.history.title import own_title
from app.history.writer import PATIENCE_S, Report, Writer
from engine import Span, TracedStep

PAGE = 50
DELETED_FOR_S = 30 * 86_400
"""How long a deleted chat can be brought back."""


class History:
    """The chats. `open` it, and `close` it at the end.

    album: the pictures of the chats, in a folder beside the file. going_on: is told of chats that
    are taken up again (moved.py).
    """

    def __init__(self, database: Database, report: Report, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._ids = Ids(clock)
        self._reader = reading.Reader(database)
        self.album = Album(database.path.with_name("pictures"))
        # with a notice, these are not the chats that the pictures are of
        album = None if database.notice else self.album
        self.going_on = GoingOn(database, self._reader)
        self._writer = Writer(database, report, clock, album=album, moved=self.going_on.moved)

    @classmethod
    def open(
        cls, path: Path, report: Report = lambda line: None, clock: Callable[[], float] = time.time
    ) -> History:
        """Open the file, or begin it.

        report: told in one line, in another thread, when chats cannot be saved, and "" when they
        can again. Raises HistoryError if SQLite here is no use at all.
        """
        return cls(open_database(path), report, clock)

    @property
    def notice(self) -> str:
        """One line if the file was damaged, is newer, or cannot be written by now; else ""."""
        return self._database.notice or self._database.waits

    @property
    def lasts(self) -> bool:
        """Whether chats are still there when the app has ended, as far as was seen by now."""
        return self._database.lasts

    def chats(self, limit: int = PAGE, archived: bool = False) -> list[ChatInfo]:
        """Return some chats, pinned ones first, then the newest. Raises HistoryError."""
        return reading.read_list(self._reader, limit, archived)

    def n_archived(self) -> int:
        """Return how many chats are in the archive. Raises HistoryError."""
        return reading.count_archived(self._reader)

    def deleted(self) -> list[ChatInfo]:
        """Return the chats that can be brought back, the last one first. Raises HistoryError."""
        return reading.read_deleted(self._reader)

    def n_deleted(self) -> int:
        """Return how many can be brought back. Raises HistoryError."""
        return reading.count_deleted(self._reader)

    def search(self, words: str, limit: int = PAGE, archived: bool = False) -> list[Hit]:
        """Return the chats that the words are about, the best first. Raises HistoryError."""
        return search(self._reader, words, limit, archived, self._clock())

    def chat(self, chat: int) -> Chat:
        """Return a chat with all its branches. Raises HistoryError."""
        return reading.read_chat(self._reader, chat)

    def answers(self, chat: int) -> set[int]:
        """Return those of a chat's answers that are over, of all branches. Raises HistoryError."""
        return reading.read_answers(self._reader, chat)

    def is_deleted(self, chat: int) -> bool:
        """Return whether a chat is there and deleted. Raises HistoryError."""
        return reading.is_deleted(self._reader, chat)

    def titles(self, chats: Sequence[int]) -> dict[int, str]:
        """Return the titles of those chats that are there and not deleted. Raises HistoryError."""
        return reading.read_titles(self._reader, chats)

    def archived(self, chats: Sequence[int]) -> set[int]:
        """Return those of the chats that are archived. Raises HistoryError."""
        return reading.read_archived(self._reader, chats)

    def new_chat(
        self, system: str = "", pair: str = "", settings: Mapping[str, object] | None = None
    ) -> int:
        """Begin a chat and return its id; its first question gives it a title."""
        id, now, packed = self._ids.new(), self._clock(), pack_settings(settings or {})
        row = ChatRow(id, "", False, now, now, storable(pair), storable(system), packed)
        self.going_on.add(row.id)
        self._writer.post(lambda store: store.new_chat(row))
        return row.id

    def add(
        self,
        chat: int,
        parent: int | None,
        role: str,
        content: str = "",
        pair: str = "",
        attachments: Sequence[Attachment] = (),
    ) -> int:
        """Add a message, show it, return its id. role: "user" or "assistant".

        An answer is added empty, then grows by `write` and ends by `finish`.
        """
        row = MessageRow(
            id=self._ids.new(),
            chat=chat,
            parent=parent,
            role=role,
            content=storable(content),
            created_at=self._clock(),
            searchable=role == "user",
            pair=storable(pair),
            attachments=pack_attachments(attachments),
        )
        self._writer.post(lambda store: store.add(row))
        return row.id

    def write(self, message: int, spans: Iterable[Span], figures: Figures = UNMEASURED) -> None:
        """Add to a growing answer; cheap enough for every delta."""
        self._writer.write(message, spans, figures)

    def finish(self, message: int, content: str, outcome: Outcome) -> None:
        """End an answer: its whole text, why it ended, what was measured."""
        self._writer.finish(message, content, outcome)

    def keep_steps(self, message: int, steps: Sequence[TracedStep]) -> None:
        """Keep the steps of an answer that has ended, as far as there is room (steps.py)."""
        made = tuple(steps)
        self._writer.post_spare(lambda store: store.keep_steps(message, pack_steps(made)))

    def steps(self, message: int) -> list[TracedStep]:
        """Return the steps of an answer, none if they are not kept. Raises HistoryError."""
        return reading.read_steps(self._reader, message)

    def summarise(self, message: int, summary: str) -> None:
        """Keep a summary of a branch up to a message, in the place of an earlier one; "": none."""
        self._writer.post(lambda store: store.summarise(message, storable(summary)))

    def leave_out(self, message: int) -> None:
        """Keep that an answer is left out, with its question, of what is sent."""
        self._writer.post(lambda store: store.skip(message, True))

    def take_in(self, message: int) -> None:
        """Keep that an answer is sent again, with its question."""
        self._writer.post(lambda store: store.skip(message, False))

    def show(self, chat: int, message: int) -> None:
        """Show the branch of a message, down to the newest leaf below it."""
        self._writer.post(lambda store: store.show(chat, message))

    def show_upto(self, chat: int, message: int | None) -> None:
        """Show a branch down to a message and not what is below it; None: show nothing."""
        self._writer.post(lambda store: store.show_upto(chat, message))

    def configure(self, chat: int, system: str, settings: Mapping[str, object]) -> None:
        """Change what the next answer is asked with. Raises HistoryError if it cannot be kept."""
        packed = pack_settings(settings)
        self._writer.post(lambda store: store.configure(chat, storable(system), packed))

    def rename(self, chat: int, title: str) -> None:
        """Give a chat a title; "" gives back the one it would have by itself."""
        self._writer.post(lambda store: store.rename(chat, own_title(title)))

    def entitle(self, chat: int, title: str) -> None:
        """Give a chat a title that no person wrote, unless it has one that somebody did."""
        self._writer.post(lambda store: store.entitle(chat, own_title(title)))

    def pin(self, chat: int) -> None:
        """List a chat before all that are not pinned."""
        self._writer.post(lambda store: store.pin(chat, True))

    def unpin(self, chat: int) -> None:
        """List a chat by its time again."""
        self._writer.post(lambda store: store.pin(chat, False))

    def archive(self, chat: int) -> None:
        """Keep a chat out of list and search, in the archive, until somebody writes to it."""
        self._writer.post(lambda store: store.archive(chat, True))

    def unarchive(self, chat: int) -> None:
        """Have a chat among the others again."""
        self._writer.post(lambda store: store.archive(chat, False))

    def delete(self, chat: int) -> None:
        """Take a chat out of lists and searches; `undelete` brings it back until it is erased."""
        now = self._clock()
        self._writer.post(lambda store: store.delete(chat, now))

    def undelete(self, chat: int) -> None:
        """Bring a deleted chat back as it was."""
        self._writer.post(lambda store: store.delete(chat, None))

    def erase(self, chats: Sequence[int]) -> set[int]:
        """Remove for good, every word of them, those of the chats that are deleted; return, once
        that is on the disk, those that are not deleted any more. Raises HistoryError.
        """
        if not self._writer.settle(lambda store: store.erase(chats)):
            raise HistoryError("Not erased yet: the disk refuses. It is tried until it works.")
        return set(self.titles(chats))

    def purge(self, older_than_s: float = DELETED_FOR_S) -> None:
        """Erase what was deleted longer ago than that, and pictures that are left over."""
        now = self._clock()
        self._writer.post(lambda store: store.purge(now, older_than_s))
        self._writer.post(lambda store: self._sweep(store.wanted(), now))

    def tidy(self) -> None:
        """Remove the pictures that were spared, as far as they may go by now."""
        if self.album.spared:  # that is seen with whatever is written
            self._writer.post_spare(lambda _: None)

    def _sweep(self, wanted: set[str], now: float) -> None:
        with suppress(OSError):
            if self._database.is_all():
                self.album.sweep(wanted, now)

    def export_markdown(self, chat: int) -> str:
        """Return the shown branch of a chat as Markdown. Raises HistoryError."""
        return as_markdown(self.chat(chat), self.album)

    def export_json(self, chats: Iterable[int]) -> bytes:
        """Return chats with all that is known of them. Raises HistoryError, OSError."""
        return as_json(map(self.chat, chats), self.album)

    def import_json(self, raw: bytes, progress: Progress = GO_ON) -> BroughtIn:
        """Bring in exported chats, ChatGPT's, or conversations in OpenAI's form that are not here
        already; return once they are on the disk.

        All of them or none. Raises HistoryError, which says what is wrong with the file or the
        disk, or that `progress` called it off.
        """
        now = self._clock()
        found = imported(raw, self._ids, now)
        return write_all(self._writer, self._reader, self.album, found, now, progress)

    @property
    def is_unsaved(self) -> bool:
        """Whether something is not on the disk: refused for good, or when it was last tried."""
        return self._writer.is_unsaved

    def flush(self, timeout_s: float = PATIENCE_S) -> bool:
        """Wait for the disk; say whether all is there that was posted since the last flush."""
        return self._writer.flush(timeout_s)

    def close(self) -> bool:
        """Write what is left and let go of the file; say whether everything is on the disk."""
        self.tidy()
        is_saved = self._writer.close()
        self._reader.close()
        self._database.close()
        return is_saved
