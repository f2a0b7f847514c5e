"""What is to be done and what is done have boxes, and nothing else in brackets has one."""

from __future__ import annotations

import pytest

from tests.app.tui.driving import WIDE, Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_selecting import drag, place, selected

TASKS = (
    "Plan:\n\n- [ ] buy *milk*\n- [x] eat [ ] bread\n1. [X] sleep\n\n[ ] no item\n\n- [y] none\n"
)


def test_the_items_of_a_task_list_are_shown_with_boxes() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("plan?")
        await chat.answered()
        await chat.until(lambda: chat.shows("☐ buy milk"))
        assert chat.shows("☑ eat [ ] bread") and chat.shows("☑ sleep")
        assert chat.shows("[ ] no item") and chat.shows("[y] none")
        assert chat.text.count("☐") == 1

    drive(scenario, FakeEngine(Answer(words(TASKS))))


@pytest.mark.parametrize("hold", [None, 2], ids=["at once", "as it grew"])
def test_a_task_is_copied_as_it_was_written(hold: int | None) -> None:
    text = "Plan:\n\n- [ ] buy *milk*\n- [X] eat [ ] bread\n- ☐ sleep"

    async def scenario(chat: Chat) -> None:
        await chat.ask("plan?")
        if hold:
            await chat.until(lambda: chat.shows("• ["))
            chat.engine.release()
        await chat.answered()
        await chat.until(lambda: chat.shows("☑ eat"))
        x, y = place(chat, "sleep")
        await drag(chat, place(chat, "Plan:"), (x + 4, y))
        assert selected(chat) == "Plan:\n\n- [ ] buy milk\n- [X] eat [ ] bread\n- ☐ sleep"
        await drag(chat, place(chat, "buy"), (x + 4, y))
        assert selected(chat).startswith("buy milk\n- [X] eat")

    drive(scenario, FakeEngine(Answer(words(text), hold_after=hold)), WIDE)


def test_a_box_that_is_still_being_written_becomes_one() -> None:
    pieces = words("Plan:\n\n- [ ] buy milk\n- [x] eat")

    async def scenario(chat: Chat) -> None:
        await chat.ask("plan?")
        await chat.until(lambda: chat.shows("[ ") or chat.shows("• ["))
        chat.engine.release()
        await chat.answered()
        assert chat.shows("☐ buy milk") and chat.shows("☑ eat")

    drive(scenario, FakeEngine(Answer(pieces, hold_after=2)))
