"""What is typed is painted at once, whatever else waits to be painted."""

from __future__ import annotations

import pytest

from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine


def displayed(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that tells of each picture whether it was let through."""
    pictures: list[bool] = []
    app = chat.app
    monkeypatch.setattr(app, "_display", lambda *_: pictures.append(not app._batch_count))
    return pictures


def test_a_letter_is_painted_while_an_answer_is_put_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.pause()
        pictures = displayed(chat, monkeypatch)
        with chat.app.batch_update():
            chat.prompt.insert("a")
            assert pictures == [True]
            assert any("│ a" in line for line in chat.lines)
            assert chat.app._batch_count
        await chat.until(lambda: not chat.app._batch_count)

    drive(scenario, FakeEngine())


def test_a_field_that_is_covered_is_not_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press("f1")
        await chat.until(lambda: not chat.is_on_top)
        await chat.pilot.pause()
        pictures = displayed(chat, monkeypatch)
        chat.prompt.insert("a")
        assert pictures == []
        assert chat.prompt.text == "a"

    drive(scenario, FakeEngine())
