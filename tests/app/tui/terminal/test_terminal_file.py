"""A terminal that is gone keeps nobody who writes to it."""

from __future__ import annotations

import errno
import io
import threading
from typing import IO, cast

from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from app.tui.terminal.terminal_file import LastingFile, terminal_file
from tests.patience import PATIENCE_S


class Gone(io.StringIO):
    """A terminal that is gone."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_more_is_written_to_a_terminal_that_is_gone_than_a_queue_has_room_for() -> None:
    thread = WriterThread(cast("IO[str]", LastingFile(Gone())))
    thread.start()

    def paint() -> None:
        for _ in range(3 * MAX_QUEUED_WRITES):
            thread.write("a picture")
        thread.stop()

    painting = threading.Thread(target=paint, daemon=True)
    painting.start()
    painting.join(timeout=PATIENCE_S)
    assert not painting.is_alive()


class Latin(io.TextIOWrapper):
    """A terminal in a locale that has few characters."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "latin-1")

    def isatty(self) -> bool:
        return True


def test_a_character_that_the_encoding_lacks_ends_nothing() -> None:
    LastingFile(Latin()).write("◌ running")
    latin = Latin()
    painted = terminal_file(latin)
    assert painted is not None
    painted.write("◌ é")
    painted.flush()
    assert cast("io.BytesIO", latin.buffer).getvalue() == "? é".encode("latin-1")
