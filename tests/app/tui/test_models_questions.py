"""What cannot be undone is asked about first, with all there is to know; hurry means no."""

from __future__ import annotations

import pytest

from app.tui.screens.confirm import ConfirmScreen
from app.tui.screens.models import ModelsScreen
from tests.app.tui.driving import NARROW, SIZES, Chat, Scenario, beyond, drive
from tests.app.tui.fake_models import ALPHA, FakeModels, settings_of
from tests.app.tui.fakes import FakeEngine

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
DRAFT_STAYS = "beta-draft-Q8_0.gguf is used by alpha: it stays."


def play(scenario: Scenario, models: FakeModels, size: tuple[int, int] = NARROW) -> None:
    async def when_ready(chat: Chat) -> None:
        await chat.ready()
        await scenario(chat)

    drive(when_ready, FakeEngine(), size, settings_of(ALPHA), models)


@at_both_sizes
def test_removing_asks_first_and_says_what_stays_and_why(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("r")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.until(lambda: chat.shows("Remove Beta? That frees 2.50 GB."))
        assert chat.shows("beta-Q4_K_M.gguf")
        assert chat.shows(DRAFT_STAYS)
        assert not models.removed
        await chat.pilot.press("y")
        await chat.until(lambda: chat.toasts("beta is removed: 2.50 GB freed."))
        await chat.until(lambda: chat.shows("beta available"))
        assert models.removed == ["beta"]
        assert chat.state == "ready"

    models = FakeModels(staying=(DRAFT_STAYS,))
    play(scenario, models, size)


@pytest.mark.parametrize("size", [(60, 10), (80, 8)])
def test_both_answers_are_seen_in_a_low_terminal(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("delta")
        await chat.pilot.press("d")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.until(lambda: chat.shows("Delta does not fit this machine."))
        assert chat.shows("Leave it (Esc)")
        assert chat.shows("Download (y)")
        assert not beyond(chat.app.screen)

    play(scenario, FakeModels(), size)


@pytest.mark.parametrize("key", ["escape", "enter", "n"])
def test_whoever_hurries_past_the_question_removes_nothing(key: str) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("delete")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.pilot.press(key)
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        assert not models.removed

    models = FakeModels()
    play(scenario, models)


def test_what_is_loaded_is_unloaded_before_it_is_removed() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("alpha")
        await chat.pilot.press("r")
        await chat.until(lambda: chat.shows("It is loaded, and will be unloaded first."))
        await chat.pilot.press("y")
        await chat.until(lambda: models.removed == ["alpha"])
        await chat.until(lambda: chat.state == "unloaded")
        assert not chat.engine.alive

    models = FakeModels()
    play(scenario, models)


def test_a_loaded_pair_that_shares_what_goes_is_named_and_unloaded_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("r")
        await chat.until(lambda: chat.shows("Made of them too: alpha."))
        assert chat.shows("It is loaded, and will be unloaded first.")
        await chat.pilot.press("y")
        await chat.until(lambda: models.removed == ["beta"] and chat.state == "unloaded")

    models = FakeModels(losing=("alpha",))
    play(scenario, models)


def test_what_others_need_wholly_is_not_removed_and_says_why() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("r")
        await chat.until(lambda: chat.toasts("It all stays."))
        assert not models.removed

    models = FakeModels(staying=("It all stays.", "So does this."))
    play(scenario, models)


def test_what_does_not_fit_is_downloaded_only_after_a_question() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("delta")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.shows("Delta does not fit this machine."))
        assert not models.pullers
        await chat.pilot.press("escape")
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        assert not models.pullers
        await chat.pilot.press("enter")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.pilot.press("y")
        await chat.until(lambda: "delta" in models.pullers)

    models = FakeModels()
    play(scenario, models)


@at_both_sizes
@pytest.mark.parametrize("button, is_removed", [("#no", False), ("#yes", True)])
def test_the_answers_can_be_clicked(size: tuple[int, int], button: str, is_removed: bool) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.open_models("beta")
        await chat.pilot.press("r")
        await chat.until(lambda: isinstance(chat.app.screen, ConfirmScreen))
        await chat.pilot.pause()
        await chat.pilot.click(button)
        await chat.until(lambda: isinstance(chat.app.screen, ModelsScreen))
        await chat.until(lambda: models.removed == (["beta"] if is_removed else []))

    models = FakeModels()
    play(scenario, models, size)
    assert bool(models.removed) == is_removed
