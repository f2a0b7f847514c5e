"""What is sent while its chat is still being laid out, which is left, closed or ended meanwhile, is
neither lost nor taken for another chat's.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual import events

from app.chat.branches import Places
from app.chat.conversation import Turn
from app.history import History
from app.last import read_last
from app.tui.chats.addressed import Addressed
from app.tui.turns.asking import Asking
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.transcript import Transcript
from app.tui.widgets.turn_view import TurnView
from tests.app.tui.branching import NUMBERS, act, answers, play, talk
from tests.app.tui.chats.test_resuming import last_chat, start, two
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import FakeEngine


def press(chat: Chat, *keys: str) -> None:
    """Press keys, as who does not wait for a busy app."""
    for key in keys:
        chat.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def sent(chat: Chat) -> None:
    asking = chat.screen.asking
    await chat.until(lambda: bool(asking.on_way))
    assert chat.prompt.text == ""


async def another(chat: Chat, asking: Asking) -> None:
    await chat.until(lambda: chat.screen.asking is not asking)


def test_a_changed_answer_is_taken_though_another_chat_is_shown_by_then(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        await act(chat, "amend")
        chat.prompt.text = mine = "My answer is 7"
        asking = chat.screen.asking
        async with asking.changing:
            press(chat, "enter")
            await chat.until(lambda: not asking.amends)
            press(chat, "ctrl+n")
            await another(chat, asking)
        await chat.until(lambda: [view.text for view in asking.transcript.turns] == [mine])
        await chat.pilot.pause()
        assert not chat.turns
        await chat.pilot.press("alt+p")
        await chat.until(lambda: answers(chat) == ["7"])

    play(tmp_path, scenario)


def test_a_changed_question_leaves_the_box_of_another_chat_alone(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        chat.prompt.text = "typed before"
        await act(chat, "edit")
        assert chat.prompt.text == "first"
        chat.prompt.text = "changed"
        asking = chat.screen.asking
        async with asking.changing:
            press(chat, "enter")
            await chat.until(lambda: chat.prompt.text == "typed before")
            press(chat, "ctrl+n")
            await another(chat, asking)
            press(chat, *"other")
            await chat.until(lambda: chat.prompt.text == "other")
        await chat.until(lambda: [t.question for t in asking.conversation.turns] == ["changed"])
        assert chat.prompt.text == "other"
        await chat.pilot.press("alt+p")
        await chat.until(lambda: chat.prompt.text == "typed before")

    play(tmp_path, scenario)


def test_a_first_question_is_asked_in_its_chat_though_another_is_begun() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        asking = chat.screen.asking
        async with asking.changing:
            press(chat, *"hm?", "enter")
            await sent(chat)
            press(chat, "ctrl+n")
            await another(chat, asking)
        await chat.until(lambda: [t.question for t in asking.conversation.turns] == ["hm?"])
        assert not chat.turns, "the other chat has none of it"
        await chat.pilot.press("alt+p")
        await chat.until(lambda: answers(chat) == ["0"])

    drive(scenario, FakeEngine(*NUMBERS))


@pytest.mark.parametrize("key", ["", "ctrl+n"], ids=["here", "another chat"])
def test_no_benchmark_begins_while_a_question_is_on_its_way(tmp_path: Path, key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        asking = chat.screen.asking
        async with asking.changing:
            press(chat, *"hm?", "enter")
            await sent(chat)
            if key:
                press(chat, key)
                await another(chat, asking)
            await chat.screen.action_act("bench")
            await chat.until(lambda: chat.toasts("The question that you sent comes first."))
        await chat.until(lambda: len(chat.engine.asked) == 2)
        assert chat.is_on_top

    play(tmp_path, scenario)


def test_a_question_of_a_chat_that_is_closed_is_brought_by_up_and_not_asked(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "first")
        asking = chat.screen.asking
        async with asking.changing:
            press(chat, *"hm?", "enter")
            await sent(chat)
            press(chat, "alt+w")
            await another(chat, asking)
            await chat.until(lambda: not asking.transcript.is_attached)
        await talk(chat, "second")
        assert [messages[-1].content for messages in chat.engine.asked] == ["first", "second"]
        await chat.pilot.press("up", "up")
        assert chat.prompt.text == "hm?"

    play(tmp_path, scenario)


def test_a_question_is_unsent_text_of_its_chat_where_the_app_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = Transcript.show

    async def endless(
        self: Transcript, turns: Sequence[tuple[TurnView, Turn]], places: Sequence[Places]
    ) -> None:
        await show(self, turns, places)
        await asyncio.Event().wait()

    async def asking(chat: Chat) -> None:
        await chat.ready()
        press(chat, *"hm?")
        await chat.until(lambda: chat.prompt.text == "hm?")
        press(chat, "enter")
        await sent(chat)
        press(chat, "ctrl+q")
        await chat.until(lambda: not chat.app.is_running)

    start(tmp_path, two)
    kept = last_chat(tmp_path)
    monkeypatch.setattr(Transcript, "show", endless)
    start(tmp_path, asking, waits=False)
    (left,) = read_last(tmp_path / "last.json").unsent
    assert (left.text, left.chat, left.is_shown) == ("hm?", kept, True)
    history = History.open(tmp_path / "history.db")
    assert len(history.chat(kept).path()) == 4
    assert history.close()


def test_a_question_whose_sending_never_begins_leaves_nothing_behind() -> None:
    """As where the app ends in the same moment: a coroutine that nobody ran would warn here."""

    async def scenario(chat: Chat) -> None:
        chat.screen._on_sent(Addressed(Prompt.Submitted("Is it lost?"), chat.screen.asking, None))
        chat.screen.workers.cancel_all()
        await chat.pilot.pause()
        gc.collect()
        assert not chat.turns

    drive(scenario, FakeEngine())
