"""A chat says of files that were opened by path what of them is not used."""

from __future__ import annotations

import msgspec
import pytest

from app.settings.config import ChatSettings
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fakes import PAIR, READY, SAMPLING, FakeEngine

UNUSED = "The draft model is not used: the drafter is lookup; --drafter auto, or /draft auto"


@pytest.mark.parametrize(
    ("drafter", "name", "is_told"),
    [("lookup", "", True), ("auto", "", False), ("lookup", "demo", False)],
    ids=["in vain", "used", "a pair's own"],
)
def test_a_draft_model_that_was_given_in_vain_is_said_to_be(
    drafter: str, name: str, is_told: bool
) -> None:
    pair = msgspec.structs.replace(PAIR, drafter=drafter)
    settings = ChatSettings(pair, SAMPLING, None, None, "files", name=name)

    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        assert chat.shows(UNUSED) is is_told

    drive(scenario, FakeEngine(ready=READY), settings=settings)
