"""What an empty chat offers to ask."""

from __future__ import annotations

import pytest

from app.models.catalog import DEFAULT_PAIR, load_catalog
from app.tui.widgets.welcome import DEMO, DEMO_EXAMPLES, EXAMPLES
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fake_models import FakeModels
from tests.app.tui.fakes import FakeEngine, FakeSettings


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_pair_of_ones_own_is_asked_other_things_than_the_demo(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.until(lambda: all(chat.shows(each) for each in DEMO_EXAMPLES))
        await chat.use("beta")
        await chat.until(lambda: all(chat.shows(each) for each in EXAMPLES))
        assert not chat.shows(DEMO_EXAMPLES[0])
        await chat.ready()
        await chat.pilot.press("shift+tab", "enter")
        await chat.answered()
        assert chat.engine.asked[0][-1].content == EXAMPLES[0]

    assert load_catalog().pairs[DEFAULT_PAIR].title == DEMO
    drive(scenario, FakeEngine(), size, FakeSettings(title=DEMO), FakeModels())
