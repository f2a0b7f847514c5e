"""The file: private to its owner, of this version, and what is done if it cannot be.

A damaged file is put aside under another name, and a new one begun with what can be read of it.
Where nothing can be written, an old file is still read; where there is nothing to read either, or
the file is a newer version's, chats live in memory until the app ends. `notice` then says so in one
line. A file that another program locks is waited for by who writes, as at any other time.

Writing goes through a rollback journal unless the SQLite in use keeps a write-ahead log safely, and
every commit is on the disk when it returns. No file is opened here but by SQLite: closing any other
descriptor of it would drop the locks that this process holds.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from app.errors import HistoryError
from app.history import schema
from app.history.faults import REFUSALS, is_damage, is_locked, refuse_no_file, unsaved, why
from app.history.salvage import salvage
from app.history.sound import examine, examine_schema
from app.history.words import indexed
from app.paths import close_to_others
from app.sizes import counted

WAL_IS_SAFE = (3, 51, 3)
"""Older versions can damage a write-ahead log that several connections use."""
BUSY_MS = 5000
SUSPECT, DAMAGED, SALVAGED = ".suspect", ".damaged-", ".salvaged-"
BESIDE = ("-journal", "-wal", "-shm")

_memories = count()


@dataclass(slots=True)
class Database:
    """Where chats are kept. notice: one line if that is not simply the file, else "".

    anchor: what keeps a database in memory alive. waits: one line as long as another program locks
    the file; then it is made this version's before something is written.
    """

    path: Path
    uri: str
    notice: str = ""
    anchor: sqlite3.Connection | None = None
    waits: str = ""

    @property
    def lasts(self) -> bool:
        """Whether what is written stays when the app ends."""
        return self.anchor is None and self.uri.endswith("mode=rw") and not self.waits

    def reader(self) -> sqlite3.Connection:
        """Return a connection that cannot write. Raises sqlite3.Error."""
        connection = _connect(self.uri)
        connection.text_factory = self._text
        connection.execute("PRAGMA query_only = ON")
        if not self.waits:  # this would wait, too
            connection.execute("PRAGMA cache_size = -16000")
        if self.anchor:
            connection.execute("PRAGMA read_uncommitted = ON")  # a shared cache has no waiting
        return connection

    def writer(self) -> sqlite3.Connection:
        """Return a connection that writes, which fails as long as the file cannot be written.

        Raises sqlite3.Error; HistoryError, OSError where it could not be looked at before.
        """
        if self.waits:
            _prepare(self.path)
            self.waits = ""
        return _writing(self.uri if self.anchor else _uri(self.path, "rw"))

    def renewed(self) -> sqlite3.Connection:
        """Take the file that is there now, a new one where there is none; return a connection that
        reads it. Raises HistoryError, sqlite3.Error, OSError.
        """
        if not self.path.exists():  # what was left beside it is of the one before
            for suffix in BESIDE:
                _beside(self.path, suffix).unlink(missing_ok=True)
        _prepare(self.path)
        self.uri = _uri(self.path, "rw")
        return self.reader()

    def suspect(self) -> None:
        """Have the file examined when it is next opened."""
        with suppress(OSError):
            _beside(self.path, SUSPECT).touch(mode=0o600)

    def _text(self, raw: bytes) -> str:
        """Return a text, with marks in the place of damaged bytes."""
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.suspect()
            return raw.decode(errors="replace")

    def is_all(self) -> bool:
        """Whether no other file holds chats: none of a newer version's, none put aside."""
        aside = self.path.parent.glob(f"{self.path.name}{DAMAGED}*")
        return not self.notice and next(aside, None) is None

    def close(self) -> None:
        """Let go of the memory."""
        if self.anchor:
            self.anchor.close()


def open_database(path: Path) -> Database:
    """Open or begin the history. Raises HistoryError if SQLite lacks full-text search."""
    notice = ""
    for _ in range(2):
        try:
            _prepare(path)
            return Database(path, _uri(path, "rw"), notice)
        except HistoryError as refusal:
            return _in_memory(path, f"{refusal} Until then chats are not saved.")
        except (*REFUSALS, OSError) as error:
            if is_locked(error):
                return Database(path, _uri(path, "rw"), notice, waits=unsaved(path, error))
            if not is_damage(error):
                return _unwritable(path, error)
            try:
                notice = _begin_anew(path)
            except OSError as stuck:
                return _in_memory(path, f"{path} is damaged and cannot be put aside: {why(stuck)}.")
    return _in_memory(path, f"Chats are not saved: {path} is damaged time and again.")


def journal_mode(version: tuple[int, ...]) -> str:
    """Return the safest journal that this version of SQLite keeps."""
    return "WAL" if version >= WAL_IS_SAFE else "TRUNCATE"


def _prepare(path: Path) -> None:
    """Make the file this version's, or raise: HistoryError if it is not ours to touch."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    close_to_others(path.parent, 0o700)
    refuse_no_file(path)
    close_to_others(path, 0o600)
    if path.stat().st_size:
        try:
            with closing(_connect(_uri(path, "ro"))) as connection:
                _refuse_strangers(path, connection)
        except sqlite3.OperationalError as error:
            # an interrupted write can be undone only by a connection that may write, below
            if is_locked(error):
                raise
    with closing(_writing(_uri(path, "rw"))) as connection:
        _refuse_strangers(path, connection)
        examine_schema(connection)
        if _beside(path, SUSPECT).exists():
            examine(connection)
            _beside(path, SUSPECT).unlink(missing_ok=True)
        schema.migrate(connection)
        _try_to_write(connection)


def _refuse_strangers(path: Path, connection: sqlite3.Connection) -> None:
    """Raise HistoryError for the file of a newer version, or of another program."""
    connection.execute("BEGIN")  # one look at all three: another process may begin the file now
    version = schema.version_of(connection)
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    connection.execute("COMMIT")
    if application != schema.APPLICATION and (application or version or tables):
        raise HistoryError(f"{path} is another program's database: move it elsewhere.")
    if version > schema.VERSION:
        raise HistoryError(
            f"{path} was written by a newer Slipstream (version {version} of the file, "
            f"this one knows {schema.VERSION}): update Slipstream."
        )


def _try_to_write(connection: sqlite3.Connection) -> None:
    """Raise sqlite3.Error now if the first question could not be written. Changes nothing."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA user_version = {schema.VERSION}")
    connection.execute("ROLLBACK")


def _put_aside(path: Path) -> Path:
    """Rename the file and what belongs to it; return its new name. Raises OSError."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    aside, tries = _beside(path, f"{DAMAGED}{stamp}"), count(2)
    while aside.exists():
        aside = _beside(path, f"{DAMAGED}{stamp}-{next(tries)}")
    # the journals first: left behind, they would be played into the new file
    for suffix in BESIDE:
        with suppress(FileNotFoundError):
            _beside(path, suffix).rename(_beside(aside, suffix))
    path.rename(aside)
    _beside(path, SUSPECT).unlink(missing_ok=True)
    return aside


def _begin_anew(path: Path) -> str:
    """Put the damaged file aside, for a new one with what can be read of it; say so.

    The new file is whole before it takes the place: whoever dies meanwhile leaves the damaged one
    there. Where another process was faster, its new file stays. Raises OSError.
    """
    fresh, was, found = _beside(path, f"{SALVAGED}{os.getpid()}"), path.stat().st_ino, 0
    try:
        with suppress(*REFUSALS, OSError, HistoryError):
            _prepare(fresh)
            with closing(_writing(_uri(fresh, "rw"))) as connection:
                found = salvage(path, connection)
        if path.stat().st_ino != was:
            return ""
        aside = _put_aside(path)
        if found:
            fresh.rename(path)
    finally:
        for suffix in ("", *BESIDE):
            _beside(fresh, suffix).unlink(missing_ok=True)
    told = f"{path.name} was damaged: it is now {aside.name}, and a new one has"
    chats = counted(found, "chat")
    return f"{told} what could be read of it: {chats}." if found else f"{told} begun."


def _unwritable(path: Path, error: BaseException) -> Database:
    """Return the file as it can be read, or else a database in memory."""
    uri = _uri(path, "ro")
    try:
        with closing(_connect(uri)) as connection:
            if schema.version_of(connection) != schema.VERSION:
                raise sqlite3.OperationalError
            connection.execute("SELECT count(*) FROM chats WHERE id = 0").fetchone()
    except REFUSALS:
        line = f"Chats cannot be saved to {path}: {why(error)}. They last until Slipstream ends."
        return _in_memory(path, line)
    return Database(path, uri, f"Chats cannot be saved to {path}: {why(error)}.")


def _in_memory(path: Path, notice: str) -> Database:
    """Begin an empty history that lasts as long as the process."""
    uri = f"file:slipstream-history-{next(_memories)}?mode=memory&cache=shared"
    try:
        anchor = _writing(uri)
        schema.migrate(anchor)
    except sqlite3.Error as error:
        line = f"This Python's SQLite {sqlite3.sqlite_version} cannot keep chats: {error}."
        raise HistoryError(line) from error
    return Database(path, uri, notice, anchor)


def _writing(uri: str) -> sqlite3.Connection:
    """Connect to write. Raises sqlite3.Error."""
    connection = _connect(uri)
    try:
        if connection.execute("PRAGMA page_count").fetchone() == (0,):
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # else written, and not heeded
        _choose_journal(connection, journal_mode(sqlite3.sqlite_version_info))
        connection.execute("PRAGMA synchronous = FULL")  # and fullfsync: a Mac has two kinds
        # not FAST: the states of an answer that streamed would stay in pages that are used anew
        for name in ("fullfsync", "foreign_keys", "secure_delete"):
            connection.execute(f"PRAGMA {name} = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _choose_journal(connection: sqlite3.Connection, mode: str) -> None:
    """Set the journal's mode, which fails while another process has the file open in the other.

    Staying with a rollback journal is safe. Staying with a log that this SQLite may damage is not:
    then it raises sqlite3.OperationalError.
    """
    try:
        connection.execute(f"PRAGMA journal_mode = {mode}")
    except sqlite3.OperationalError:
        if mode != "WAL":
            raise


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_MS / 1000
    )
    connection.create_function("indexed", 1, indexed, deterministic=True)
    return connection


def _uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
