"""Titles by the model are made while nobody waits for it; whoever asks something goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.chat.titles import PLEASE
from app.errors import HistoryError
from app.history import History
from app.settings.habits import Habits
from app.tui.actions.tuning import apply
from tests.app.tui.driving import Chat, Scenario, drive
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words

FIRST = "What does os.path.join do?"
REPLY = Answer(words("It joins paths."))
TITLE = Answer(words("Joining paths"))
HELD = replace(TITLE, hold_after=1)
MODELS = FakeSettings(habits=Habits(titles="model"))


def play(
    tmp_path: Path | None,
    scenario: Scenario,
    *answers: Answer,
    settings: FakeSettings = MODELS,
) -> None:
    """Play it; without a folder, nothing is kept."""
    history = History.open(tmp_path / "history.db") if tmp_path is not None else None
    drive(scenario, FakeEngine(*answers), settings=settings, history=history)


def title(chat: Chat) -> str:
    tabs = chat.screen.tabs
    return tabs.title(tabs.open.current)


def kept(chat: Chat) -> tuple[str, bool]:
    """Return the title on the disk, and whether it is the person's."""
    history, number = chat.screen.history, chat.screen.tabs.open.current.number
    assert history is not None and number is not None and history.flush()
    info = history.chat(number).info
    return info.title, info.is_title_own


def requests(chat: Chat) -> list[str]:
    """Return the last message of each request."""
    return [messages[-1].content for messages in chat.engine.asked]


async def settled(chat: Chat) -> None:
    """Wait until all that was posted has been dealt with."""
    for _ in range(3):
        await chat.pilot.pause()


def test_chats_that_cannot_be_read_just_now_do_not_end_the_app(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        refused: list[Sequence[int]] = []

        def locked(numbers: Sequence[int]) -> dict[int, str]:
            refused.append(numbers)
            raise HistoryError("The chats cannot be read: database is locked.")

        assert chat.screen.history is not None
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chat.screen.history, "titles", locked)
            await chat.ask(FIRST)
            await chat.until(lambda: bool(refused))
            await settled(chat)
        await chat.ask("And more?")
        await chat.answered(2)
        assert kept(chat) == ("Joining paths", False)

    play(tmp_path, scenario, REPLY, TITLE, REPLY)


def test_a_chat_is_called_by_the_models_title_after_its_first_answer(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.answered()
        await chat.until(lambda: title(chat) == "Joining paths")
        assert kept(chat) == ("Joining paths", False)
        assert requests(chat) == [FIRST, PLEASE]
        turns = chat.screen.session.conversation.turns
        assert [turn.question for turn in turns] == [FIRST]
        assert chat.screen.figures.context_used == turns[0].context_used
        await chat.ask("And more?")
        await chat.answered(2)
        await settled(chat)
        assert requests(chat) == [FIRST, PLEASE, "And more?"], "once for a chat"
        assert [m.content for m in chat.engine.asked[-1]] == [FIRST, "It joins paths.", "And more?"]

    play(tmp_path, scenario, REPLY, TITLE, REPLY)


def test_unless_it_is_wished_the_first_words_are_the_title(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.answered()
        await settled(chat)
        assert (title(chat), requests(chat)) == (FIRST, [FIRST])
        assert apply(chat.screen, "titles", "model") == "", "at once"
        await chat.pilot.press("ctrl+n")
        await chat.ask("Second?")
        await chat.until(lambda: title(chat) == "Joining paths")

    play(tmp_path, scenario, REPLY, REPLY, TITLE, settings=FakeSettings())


def test_a_question_goes_first_and_the_title_is_made_when_there_is_time_again(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        assert chat.state == "ready" and chat.screen.session.is_free, "for all others it is"
        await chat.ask("Quick?")
        await chat.answered(2)
        assert chat.engine.cancels and requests(chat)[:3] == [FIRST, PLEASE, "Quick?"]
        await chat.until(lambda: title(chat) == "Joining paths")
        assert requests(chat) == [FIRST, PLEASE, "Quick?", PLEASE]
        assert chat.turns[1].text == "Quick indeed."

    play(tmp_path, scenario, REPLY, HELD, Answer(words("Quick indeed.")), TITLE)


def test_a_name_that_the_person_gave_is_not_replaced(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        await chat.screen.action_act("rename", "Mine")
        chat.engine.release()
        await settled(chat)
        await chat.until(lambda: not chat.screen.session.spare._wishes)
        await settled(chat)
        assert (title(chat), kept(chat)) == ("Mine", ("Mine", True))
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: len(requests(chat)) == 3 and chat.state == "ready")
        await settled(chat)
        assert requests(chat) == [FIRST, PLEASE, FIRST], "and none is asked for"

    play(tmp_path, scenario, REPLY, HELD, REPLY)


def test_one_that_was_given_to_the_same_words_on_the_disk_stays(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        await chat.screen.action_act("rename", FIRST)
        chat.engine.release()
        await chat.until(lambda: not chat.screen.session.spare._wishes)
        await settled(chat)
        assert (title(chat), kept(chat)) == (FIRST, (FIRST, True))

    play(tmp_path, scenario, REPLY, HELD)


def test_a_useless_one_leaves_the_first_words(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: len(requests(chat)) == 2)
        await chat.until(lambda: not chat.screen.session.spare._wishes)
        await settled(chat)
        assert (title(chat), kept(chat)[0]) == (FIRST, FIRST)
        await chat.ask(FIRST)
        await chat.answered(2)
        await settled(chat)
        assert requests(chat) == [FIRST, PLEASE, FIRST], "it is not tried again"

    play(tmp_path, scenario, REPLY, Answer(words(FIRST)), REPLY)


def test_the_command_has_a_title_written_whatever_the_setting_and_it_is_the_persons(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.screen.action_act("title")
        await chat.until(
            lambda: chat.toasts("There is no answer yet that a title could be made of.")
        )
        await chat.ask(FIRST)
        await chat.answered()
        await chat.screen.action_act("rename", "Mine")
        await chat.screen.action_act("title")
        await chat.until(lambda: chat.toasts("This chat is called “Joining paths”."))
        assert (title(chat), kept(chat)) == ("Joining paths", ("Joining paths", True))
        await chat.screen.action_act("title")
        await chat.until(lambda: chat.toasts("The model wrote no title that would be of use"))
        assert title(chat) == "Joining paths"

    play(tmp_path, scenario, REPLY, TITLE, Answer(words("")), settings=FakeSettings())


def test_a_private_chat_has_its_title_in_its_tab_alone() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: title(chat) == "Joining paths")
        assert chat.screen.history is None

    play(None, scenario, REPLY, TITLE)


def test_a_private_chat_that_is_named_meanwhile_keeps_its_name() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        await chat.screen.action_act("rename", "Mine")
        chat.engine.release()
        await chat.until(lambda: not chat.screen.session.spare._wishes)
        await settled(chat)
        assert title(chat) == "Mine"

    play(None, scenario, REPLY, HELD)


def test_a_chat_that_is_put_away_in_the_list_meanwhile_can_be_brought_back(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: title(chat) == "Joining paths")
        await chat.pilot.press("ctrl+n")
        await chat.ask("Second?")
        await chat.until(lambda: len(requests(chat)) == 4)
        await chat.pilot.press("f3")
        await chat.until(lambda: not chat.is_on_top and chat.shows("2 chats"))
        await chat.pilot.press("down", "ctrl+d")
        await chat.until(lambda: chat.shows("1 chat"))
        chat.engine.release()
        await chat.until(lambda: title(chat) == "What came second")
        await settled(chat)
        assert not chat.toasts("another window")
        await chat.pilot.press("ctrl+z")
        await chat.until(lambda: chat.shows("2 chats"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        tabs = chat.screen.tabs
        assert [tabs.title(one) for one in tabs.open] == ["Joining paths", "What came second"]

    play(tmp_path, scenario, REPLY, TITLE, REPLY, replace(HELD, spans=words("What came second")))


def test_a_chat_that_is_left_gets_its_own_title(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        first = chat.screen.tabs.open.current
        await chat.pilot.press("ctrl+n")
        await chat.until(lambda: chat.screen.tabs.open.current is not first)
        chat.engine.release()
        await chat.until(lambda: chat.screen.tabs.title(first) == "Joining paths")
        assert title(chat) == "New chat"

    play(tmp_path, scenario, REPLY, HELD)


def test_of_a_chat_that_is_closed_nothing_comes(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        await chat.screen.action_act("close")
        chat.engine.release()
        await chat.until(lambda: not chat.screen.session.spare._wishes)
        await chat.ask("Second?")
        await chat.answered()
        assert requests(chat)[:3] == [FIRST, PLEASE, "Second?"]
        history = chat.screen.history
        assert history is not None and history.flush()
        assert FIRST in [info.title for info in history.chats()]

    play(tmp_path, scenario, REPLY, HELD, REPLY, Answer(words("")))


def test_an_engine_that_dies_of_it_runs_again_and_it_is_given_up(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await settled(chat)
        assert (title(chat), requests(chat)) == (FIRST, [FIRST, PLEASE])
        await chat.ask("Second?")
        await chat.answered(2)
        assert chat.turns[1].text == "It joins paths."

    play(tmp_path, scenario, REPLY, replace(TITLE, die_after=1), REPLY)


def test_another_pair_is_loaded_without_waiting_for_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask(FIRST)
        await chat.until(lambda: requests(chat) == [FIRST, PLEASE])
        await chat.screen.session.switch(FakeSettings(title="Other", habits=Habits(titles="model")))
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        assert chat.engine.cancels
        await chat.until(lambda: title(chat) == "Joining paths")

    play(tmp_path, scenario, REPLY, HELD, TITLE)
