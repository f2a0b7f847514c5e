"""What is done right behind a question that was sent, before the screen has seen it asked or
answered, is not done: it would tear turns and views apart.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.app.tui.branching import check, play, talk
from tests.app.tui.chats.test_addressed import busy, send
from tests.app.tui.driving import Chat

CHANGES = ("version-back", "retry", "undo", "edit", "branch", "amend")


def questions(chat: Chat) -> list[str]:
    return [turn.question for turn in chat.screen.session.conversation.turns]


async def all_is_answered(chat: Chat) -> None:
    await chat.until(lambda: questions(chat) == ["first", "second"])
    await chat.until(lambda: len(chat.turns) == 2 and all(view.over for view in chat.turns))
    await chat.pilot.pause()
    check(chat)


async def two_answers(chat: Chat) -> None:
    await talk(chat, "first")
    await chat.pilot.press("ctrl+r")
    await chat.until(lambda: len(chat.engine.asked) == 2 and chat.state == "ready")
    await chat.answered(1)


@pytest.mark.parametrize("name", CHANGES)
def test_a_question_that_is_on_its_way_comes_first(tmp_path: Path, name: str) -> None:
    async def scenario(chat: Chat) -> None:
        await two_answers(chat)
        async with chat.screen.asking.changing:
            send(chat, "second")
            acting = asyncio.ensure_future(chat.screen.action_act(name))
            await chat.until(lambda: chat.toasts("The question that you sent comes first."))
        await acting
        await all_is_answered(chat)
        assert not chat.prompt.text and len(chat.engine.asked) == 3, "nothing has come of it"

    play(tmp_path, scenario)


@pytest.mark.parametrize("name", CHANGES)
def test_an_answer_that_the_screen_has_not_seen_yet_comes_first(tmp_path: Path, name: str) -> None:
    async def scenario(chat: Chat) -> None:
        await two_answers(chat)
        session = chat.screen.session
        session.put_off(lambda _: True)
        send(chat, "second")
        await chat.until(lambda: bool(session.waiting))
        async with busy(chat):
            session.put_off()
            await chat.until(lambda: len(questions(chat)) == 2 and session.is_idle)
            await chat.screen.action_act(name)
        await all_is_answered(chat)
        assert not chat.prompt.text and len(chat.engine.asked) == 3, "nothing has come of it"

    play(tmp_path, scenario)
