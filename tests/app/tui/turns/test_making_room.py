"""What makes room in a full context does so in the chat that it was chosen in, and leaves what is
being changed there as it was.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from app.files.attachments import pasted
from app.tui.turns.asking import Asking
from tests.app.tui.driving import Chat
from tests.app.tui.fakes import Answer, words
from tests.app.tui.turns.test_full_context import THREE, asked, offered, play, talk

SHORT = Answer(words("one"))


def shown(asking: Asking) -> list[str]:
    return [view.question for view in asking.transcript.turns]


async def too_long(chat: Chat) -> None:
    """Have a file that is too long behind a question."""
    await talk(chat, "a")
    file = pasted("".join(f"line{n}\n" for n in range(60)))
    await chat.screen.asking.ask("why?", (file,))
    full = await offered(chat)
    assert "send-head" in [name for name, _ in full.choices]


async def goes_on_elsewhere(chat: Chat, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do it, and go to another chat before the turn is out of sight."""
    drop, gone = Asking.drop_last, asyncio.Event()

    async def slow(self: Asking) -> None:
        await drop(self)
        await gone.wait()

    monkeypatch.setattr(Asking, "drop_last", slow)
    acting = asyncio.ensure_future(chat.screen.action_act(name))
    await chat.pilot.pause()
    await chat.screen.tabs.new()
    gone.set()
    await acting


def test_the_first_lines_are_sent_in_the_chat_that_they_were_chosen_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await too_long(chat)
        asking = chat.screen.asking
        await goes_on_elsewhere(chat, "send-head", monkeypatch)
        await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")
        assert shown(asking) == ["a", "why?"] and not chat.turns

    play(tmp_path, scenario, SHORT)


def test_who_changes_a_question_meanwhile_has_it_as_it_was(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await too_long(chat)
        asking = chat.screen.asking
        asking.edit(chat.turns[0])
        chat.prompt.text = "a changed"
        await chat.screen.action_act("send-head")
        await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")
        assert shown(asking) == ["a", "why?"] and asking.editing is None
        assert not chat.prompt.text

    play(tmp_path, scenario, SHORT)


def test_a_question_that_moves_leaves_the_chat_that_it_was_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        await offered(chat)
        asking = chat.screen.asking
        asking.edit(chat.turns[0])
        await goes_on_elsewhere(chat, "move", monkeypatch)
        await chat.until(lambda: len(chat.engine.asked) == 4 and chat.state == "ready")
        assert asked(chat) == ["j k l m"] and shown(asking) == list(THREE)
        assert asking.editing is None and len(chat.screen.tabs.open) == 3 and not chat.turns

    play(tmp_path, scenario)
