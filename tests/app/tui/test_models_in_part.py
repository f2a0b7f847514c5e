"""A pair of which a projector alone is not here is gone on with; what was refused, as it does not
fit this machine, is asked about at the next try.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from app.errors import FitError
from app.tui.screens.confirm import ConfirmScreen
from tests.app.tui.driving import Chat, drive
from tests.app.tui.fake_models import ALPHA, BETA, DELTA, MB, FakeModels, held, settings_of
from tests.app.tui.fakes import FakeEngine

EYES = held("mmproj-beta-f16.gguf", 850 * MB, is_here=False)
BLIND = replace(BETA, state="partly installed", files=(*BETA.files, EYES), sees=True)
ON_HUB = "someone/models:Q4_K_M"
ANYWAY = "does not fit this machine."


def play(scenario: Callable[[Chat], Awaitable[None]], models: FakeModels) -> None:
    async def when_ready(chat: Chat) -> None:
        await chat.ready()
        await scenario(chat)

    drive(when_ready, FakeEngine(), settings=settings_of(ALPHA), models=models)


@pytest.mark.parametrize("how", ["enter", "click"])
def test_what_lacks_its_projector_alone_is_gone_on_with(how: str) -> None:
    models = FakeModels(ALPHA, BLIND)

    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.until(lambda: "⏎ Use" in chat.lines[-1] and "d Download" in chat.lines[-1])
        assert chat.shows("beta partly installed")
        if how == "enter":
            await chat.pilot.press("enter")
        else:
            await chat.pilot.click("PairList OptionList", offset=(4, 1), times=2)
        await chat.until(lambda: chat.is_on_top and chat.engine.loads == 2)
        assert chat.engine.loaded[-1] == settings_of(BETA).pair
        assert not models.pullers

    play(scenario, models)


def test_the_projector_that_was_left_out_comes_when_it_is_wished() -> None:
    models = FakeModels(ALPHA, BLIND)

    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("d")
        await chat.until(lambda: "beta" in models.pullers)
        assert not chat.is_on_top

    play(scenario, models)


def test_what_is_begun_before_anybody_looked_is_not_forced_and_asked_about_once_refused() -> None:
    models = FakeModels(ALPHA, DELTA, hold=True)

    async def scenario(chat: Chat) -> None:
        await chat.pilot.press("ctrl+o")
        await chat.until(lambda: chat.shows("delta available 8 GB 3.14 GB …"))
        await chat.pilot.press("down", "enter")
        await chat.until(lambda: "delta" in models.pullers)
        first = models.pullers["delta"]
        assert not first.is_forced
        first.finish(FitError("delta does not fit: needs much"))
        await chat.until(lambda: chat.shows("↓ failed"))
        await chat.pilot.press("d")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.until(lambda: chat.shows(ANYWAY) and chat.shows("needs much"))
        await chat.pilot.press("y")
        await chat.until(lambda: models.pullers["delta"] is not first)
        assert models.pullers["delta"].is_forced
        models.looks.set()

    play(scenario, models)


@pytest.mark.parametrize("key", ["y", "escape"])
def test_what_was_refused_by_its_name_is_asked_about_at_the_next_try(key: str) -> None:
    models = FakeModels()

    async def scenario(chat: Chat) -> None:
        await chat.ask(f"/model {ON_HUB}")
        await chat.until(lambda: chat.shows(f"{ON_HUB} is not here. Download it"))
        await chat.pilot.press("y")
        await chat.until(lambda: ON_HUB in models.pullers)
        first = models.pullers[ON_HUB]
        assert not first.is_forced
        first.finish(FitError("it does not fit: needs much"))
        await chat.until(lambda: chat.toasts("needs much"))
        await chat.ask(f"/model {ON_HUB}")
        await chat.until(lambda: chat.shows(f"{ON_HUB} {ANYWAY}"))
        await chat.pilot.press(key)
        await chat.until(lambda: chat.is_on_top)
        await chat.until(lambda: (models.pullers[ON_HUB] is not first) == (key == "y"))
        assert models.pullers[ON_HUB].is_forced == (key == "y")

    play(scenario, models)
