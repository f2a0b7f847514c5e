"""Thinking is switched in mid-chat where the model has a switch; while it is off, that is seen."""

from __future__ import annotations

import msgspec
import pytest

from app.settings.values import NO_SWITCH
from app.tui.palettes.commands import Commands
from app.tui.widgets.top_bar import NO_THOUGHT
from tests.app.tui.driving import NARROW, SIZES, Chat, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, FakeSettings, words


def engine(thinks: bool | None, *answers: Answer) -> FakeEngine:
    """One whose model has a switch, that is set so unless it is told; None: it has none."""
    return FakeEngine(*answers, ready=msgspec.structs.replace(READY, thinks=thinks))


def is_off(chat: Chat) -> bool:
    """Whether the first line says that the model does not think."""
    return NO_THOUGHT in chat.lines[0]


async def loaded(chat: Chat) -> None:
    """Wait until the screen knows what the model can."""
    await chat.until(lambda: chat.screen.figures.ready is not None)


async def offered(chat: Chat) -> list[str]:
    return [str(hit.text) async for hit in Commands(chat.screen).search("thinking")]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_switch_holds_from_the_next_answer_on_and_is_seen_while_it_is_off(
    size: tuple[int, int],
) -> None:
    async def scenario(chat: Chat) -> None:
        await loaded(chat)
        for turns, (command, told) in enumerate(
            [("", None), ("/think off", False), ("/think on", True), ("/think auto", None)], 1
        ):
            await chat.ask(command)
            await chat.until(lambda told=told: is_off(chat) == (told is False))  # type: ignore[misc]
            await chat.ask("question")
            await chat.answered(turns)
            assert chat.engine.thinks[-1] is told

    drive(scenario, engine(True), size)


def test_without_a_position_it_is_turned_over_from_what_the_model_does_by_itself() -> None:
    for by_itself in (True, False):

        async def scenario(chat: Chat, by_itself: bool = by_itself) -> None:
            conversation = chat.screen.session.conversation
            await loaded(chat)
            await chat.until(lambda: is_off(chat) is not by_itself)
            for told in (not by_itself, by_itself):
                await chat.ask("/think")
                await chat.until(lambda told=told: conversation.think is told)  # type: ignore[misc]
                await chat.until(lambda told=told: is_off(chat) is not told)  # type: ignore[misc]
            assert chat.screen.chosen == {"think": by_itself}

        drive(scenario, engine(by_itself))


def test_a_model_without_a_switch_is_not_told_and_that_is_one_line() -> None:
    async def scenario(chat: Chat) -> None:
        await loaded(chat)
        await chat.ask("/think off")
        await chat.until(lambda: chat.toasts(NO_SWITCH))
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.thinks == [None] and not is_off(chat)

    drive(scenario, engine(None))


def test_it_is_offered_where_there_is_a_switch_by_what_it_would_do_now() -> None:
    async def with_switch(chat: Chat) -> None:
        await loaded(chat)
        assert "Answer without thinking" in await offered(chat)
        await chat.ask("/think off")
        await chat.until(lambda: is_off(chat))
        assert "Think before answering" in await offered(chat)

    async def without(chat: Chat) -> None:
        await loaded(chat)
        assert not {"Answer without thinking", "Think before answering"} & set(await offered(chat))

    drive(with_switch, engine(True))
    drive(without, engine(None))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_set_at_the_start_holds_for_the_first_answer(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await loaded(chat)
        await chat.until(lambda: is_off(chat))
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.thinks == [False]

    drive(scenario, engine(True), size, FakeSettings(think=False))


@pytest.mark.parametrize("text", ["/no_think why is it so?", "/no_think", "/think why is it so?"])
def test_a_message_with_the_models_own_switch_goes_to_the_model_as_it_is(text: str) -> None:
    async def scenario(chat: Chat) -> None:
        await loaded(chat)
        await chat.ask(text)
        await chat.answered()
        assert chat.engine.asked[0][-1].content == text
        assert chat.engine.thinks == [None]

    drive(scenario, engine(None), NARROW)


def test_a_changed_setting_is_seen_at_once() -> None:
    from app.tui.actions.tuning import apply

    async def scenario(chat: Chat) -> None:
        await loaded(chat)
        assert apply(chat.screen, "think", False) == ""
        await chat.until(lambda: is_off(chat))
        assert chat.screen.session.conversation.think is False
        assert chat.screen.chosen == {"think": False}

    drive(scenario, engine(True, Answer(words("Yes."))))
