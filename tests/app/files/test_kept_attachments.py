"""What was attached to a question is shown, and sent, as it was when its chat is opened again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.recorder import HistoryRecorder
from app.files.attachments import pasted, read
from app.history import Attachment as Kept
from app.history import History
from tests.app.recorded import Recorded, opened


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    history = History.open(tmp_path / "history.db")
    yield history
    assert history.close()


def test_a_reopened_attachment_is_shown_as_it_was(history: History, tmp_path: Path) -> None:
    file = tmp_path / "old.txt"
    file.write_bytes("é\r\nà\r\n".encode("cp1252"))
    attached = read(file)
    recorded = Recorded(history)
    recorded.done(recorded.talk.ask("a", [attached]))
    recorded.reopen()
    assert recorded.turns[0].attachments == (attached,)
    assert attached.label == "old.txt (2 lines, 6 B, taken for Windows-1252)"


def test_an_attachment_that_was_kept_without_its_size_has_that_of_its_text(
    history: History,
) -> None:
    chat = history.new_chat("", "demo", {})
    history.add(chat, None, "user", "a", attachments=[Kept("a.py", "é")])
    [turn] = opened(HistoryRecorder(history, lambda: "demo"), chat)
    assert [(it.size_bytes, it.encoding) for it in turn.attachments] == [(2, "")]


def test_attachments_are_kept_and_sent_again_after_reopening(history: History) -> None:
    recorded = Recorded(history)
    attached = pasted("line 1\nline 2").head(1)
    recorded.done(recorded.talk.ask("a", [attached]))
    recorded.reopen()
    assert recorded.turns[0].attachments == (attached,)
    recorded.retry()
    assert recorded.engine.asked[1] == recorded.engine.asked[0]
    assert recorded.kept().messages[0].attachments[0].text == attached.text
