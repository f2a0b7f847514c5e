"""What is to be done and what is done have boxes, and nothing else in brackets has one."""

from __future__ import annotations

from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

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


def test_a_box_that_is_still_being_written_becomes_one() -> None:
    pieces = words("Plan:\n\n- [ ] buy milk\n- [x] eat")

    async def scenario(chat: Chat) -> None:
        await chat.ask("plan?")
        await chat.until(lambda: chat.shows("[ ") or chat.shows("• ["))
        chat.engine.release()
        await chat.answered()
        assert chat.shows("☐ buy milk") and chat.shows("☑ eat")

    drive(scenario, FakeEngine(Answer(pieces, hold_after=2)))
