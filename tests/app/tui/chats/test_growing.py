"""An answer that another window is still writing is not called stopped where it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.history import History, Outcome
from app.tui.actions.answering import can_go_on, is_whole
from app.tui.chats import elsewhere
from app.tui.widgets.turn_view import GROWING
from engine import PLAIN, Span
from tests.app.tui.chats.test_resuming import start
from tests.app.tui.driving import Chat


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elsewhere, "LOOK_S", 0.2)


def begun(folder: Path) -> tuple[History, int]:
    """Return another window's history, and the answer that it is writing."""
    other = History.open(folder / "history.db")
    number = other.new_chat()
    answer = other.add(number, other.add(number, None, "user", "long?"), "assistant")
    other.write(answer, [Span("It ", PLAIN)])
    assert other.flush()
    (folder / "last.json").write_text(f'{{"chat": {number}, "open": [{number}]}}')
    return other, answer


def test_an_answer_that_grows_in_another_window_is_said_to_and_taken_in_at_its_end(
    tmp_path: Path,
) -> None:
    other, answer = begun(tmp_path)

    def grow() -> bool:
        other.write(answer, [Span("grows ", PLAIN)])
        return other.flush()

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: grow() and chat.shows(GROWING))
        assert not chat.shows("stopped") and not can_go_on(chat.screen)
        assert is_whole(chat.screen) == "Another window is still answering this question."
        other.finish(answer, "It grows, and ends.", Outcome("stop"))
        assert other.flush()
        await chat.until(lambda: chat.shows("has ended there"))
        assert chat.shows("It grows, and ends.") and not chat.shows(GROWING)

    start(tmp_path, scenario)
    assert other.close()


def test_an_answer_that_grows_no_more_is_stopped_and_can_go_on(tmp_path: Path) -> None:
    other, answer = begun(tmp_path)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        assert chat.shows("stopped") and can_go_on(chat.screen)
        other.write(answer, [Span("grows ", PLAIN)])
        assert other.flush()
        await chat.until(lambda: chat.shows(GROWING))
        await chat.until(lambda: chat.shows("stopped"))
        assert not chat.shows(GROWING) and can_go_on(chat.screen)

    start(tmp_path, scenario)
    assert other.close()
