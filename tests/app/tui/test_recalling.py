"""Earlier prompts are found by their words and put into the box, where Enter sends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.prompts.prompt_history import PromptHistory
from app.tui.prompting.completing import recalled
from app.tui.widgets.completions import Completions
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import FakeEngine

EARLIER = ("Why is the sky blue?", "Sort a list\nin Rust", "Why is the sea blue?")


def past(*prompts: str) -> PromptHistory:
    history = PromptHistory(None)
    for prompt in prompts:
        history.add(prompt)
    return history


def found(text: str, *prompts: str) -> list[str]:
    return [offer.insert for offer in recalled(text, len(text), past(*prompts)).offers]


def test_the_newest_prompts_with_all_the_words_are_found() -> None:
    assert found("/recall why blue", *EARLIER) == [EARLIER[2], EARLIER[0]]
    assert found("/RECALL rust sort", *EARLIER) == [EARLIER[1]]
    assert found("/recall rust blue", *EARLIER) == []


def test_recall_alone_finds_the_newest_first_but_never_itself() -> None:
    assert found("/recall ", *EARLIER, "/recall sky") == [*reversed(EARLIER)]


@pytest.mark.parametrize("text", ["/recall", "/recalling why", "why /recall why", "/search why"])
def test_other_texts_recall_nothing(text: str) -> None:
    assert found(text, *EARLIER) == []


def test_commands_are_not_recalled_and_leave_the_room_to_questions() -> None:
    assert found("/recall ", "/help", "/rename sky", "/", "//slash", "/etc/hosts says", "a") == [
        *("a", "/etc/hosts says", "//slash")
    ]
    assert found("/recall ", "why?", *(f"/temp {n}" for n in range(200))) == ["why?"]


def test_control_codes_in_a_prompt_are_not_recalled() -> None:
    assert ["\x1b" in each for each in found("/recall sky", "sky\x1b[2J")] == [False]


def shown(chat: Chat) -> list[str]:
    return [offer.past for offer in chat.screen.query_one(Completions)._offers]


def test_delete_forgets_the_chosen_one_for_good_and_leaves_the_list_open(tmp_path: Path) -> None:
    file = tmp_path / "prompts.jsonl"
    history = PromptHistory(file)
    for prompt in (*EARLIER, EARLIER[0]):
        history.add(prompt)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        past = chat.prompt.past
        past.prompts, past._path = history.prompts, file
        await chat.pilot.press("alt+r", "down", "down")
        await chat.until(lambda: shown(chat) == [EARLIER[0], EARLIER[2], EARLIER[1]])
        await chat.until(lambda: chat.shows("Enter puts it into the box · Delete forgets it"))
        await chat.pilot.press("up", "up", "delete")
        assert shown(chat) == [EARLIER[2], EARLIER[1]]
        assert chat.prompt.text == "/recall "
        await chat.pilot.press("down", "delete")
        assert shown(chat) == [EARLIER[2]]
        await chat.pilot.press("enter")
        assert chat.prompt.text == EARLIER[2]

    drive(scenario, FakeEngine())
    assert PromptHistory(file).prompts == [EARLIER[2]]
    assert "Rust" not in file.read_text()


def test_without_a_list_nothing_is_said_of_its_keys() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"sky", "alt+r")
        await chat.until(lambda: chat.shows("Delete forgets it"))
        await chat.pilot.press("escape")
        await chat.until(lambda: not chat.prompt.is_completing)
        await chat.pilot.pause()
        assert not chat.shows("Delete forgets it") and chat.shows("Enter carries it out")

    drive(scenario, FakeEngine())


def test_delete_in_another_list_forgets_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"/rec", "delete")
        assert chat.prompt.is_completing
        assert chat.prompt.past.prompts == [*EARLIER]

    drive(scenario, FakeEngine())


@pytest.mark.parametrize(("key", "left"), [("y", []), ("escape", [*EARLIER])])
def test_all_of_them_are_forgotten_once_that_is_confirmed(key: str, left: list[str]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.screen.action_act("forget-prompts")
        await chat.until(lambda: chat.shows("Forget all 3 texts that you typed earlier?"))
        await chat.pilot.press(key)
        await chat.until(lambda: chat.is_on_top)
        assert chat.prompt.past.prompts == left

    drive(scenario, FakeEngine())


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_chosen_stands_in_the_box_and_is_not_asked(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"/recall", "space", *"why")
        await chat.until(lambda: chat.shows(EARLIER[2]) and chat.shows(EARLIER[0]))
        await chat.pilot.press("down", "enter")
        assert chat.prompt.text == EARLIER[0] and not chat.turns
        assert not chat.prompt.is_completing
        await chat.pilot.press("enter")
        await chat.answered()
        assert chat.turns[0].question == EARLIER[0]

    drive(scenario, FakeEngine(), size)


def test_the_key_lists_what_has_the_words_in_the_box() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"list", "alt+r")
        await chat.until(lambda: chat.shows("Sort a list in Rust"))
        assert chat.prompt.text == "/recall list"
        await chat.pilot.press("enter")
        assert chat.prompt.text == EARLIER[1]

    drive(scenario, FakeEngine())


def test_the_command_alone_lists_the_newest() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"/recall", "enter")
        await chat.until(lambda: chat.prompt.is_completing)
        assert chat.prompt.text == "/recall "
        assert chat.screen.query_one(Completions).option_count == len(EARLIER)

    drive(scenario, FakeEngine())


def test_words_that_no_prompt_has_are_said_and_stay() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.past.prompts = [*EARLIER]
        await chat.pilot.press(*"moon", "alt+r")
        await chat.until(lambda: chat.toasts("Nothing that you typed before has these words."))
        assert chat.prompt.text == "moon"

    drive(scenario, FakeEngine())
