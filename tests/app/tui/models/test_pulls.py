"""Downloads run behind the chat, are paused and gone on with, and say how they ended."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from app.errors import PullError
from app.tui.models.model_access import Fetched
from app.tui.models.pulls import SPEED_OVER_S, PullState, States, words_of
from tests.app.tui.driving import NARROW, SIZES, Chat, Scenario, drive
from tests.app.tui.fake_models import ALPHA, MB, FakeModels, FakePuller, settings_of
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins path components with one separator between them.")
TOTAL = 3140 * MB
STALLED = PullError("someone/model: the server does not go on. What was downloaded is kept.")

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def play(
    scenario: Scenario,
    models: FakeModels,
    size: tuple[int, int] = NARROW,
    engine: FakeEngine | None = None,
) -> None:
    drive(scenario, engine or FakeEngine(Answer(JOIN)), size, settings_of(ALPHA), models)


async def begun(chat: Chat, models: FakeModels, name: str) -> FakePuller:
    """Download a pair from the models screen, and stay there."""
    await chat.open_models(name)
    await chat.pilot.press("d")
    await chat.until(lambda: name in models.pullers)
    return models.pullers[name]


def states(chat: Chat) -> States:
    desk = chat.screen.desk
    assert desk is not None
    return desk.pulls.states


@at_both_sizes
def test_a_download_goes_on_while_the_person_chats(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and chat.shows("↓ gamma …"))
        puller.report(Fetched(1350 * MB, TOTAL))
        await chat.until(lambda: chat.shows("↓ gamma 43 %"))
        await chat.ask("question")
        await chat.answered()
        assert chat.shows(whole(JOIN))
        assert chat.shows("↓ gamma 43 %")
        puller.finish()
        await chat.until(lambda: chat.toasts("gamma is installed"))
        await chat.until(lambda: not chat.shows("↓"))

    models = FakeModels()
    play(scenario, models, size)


@at_both_sizes
def test_the_models_screen_shows_how_far_it_is_and_what_came_of_it(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        await chat.until(lambda: chat.shows("asking the Hub…"))
        puller.report(Fetched(1350 * MB, TOTAL))
        await chat.until(lambda: chat.shows("↓ 43 %") and chat.shows("1.35 GB of 3.14 GB"))
        puller.report(Fetched(1350 * MB, TOTAL, "the connection ended early"))
        await chat.until(lambda: chat.shows("the connection ended early"))
        await chat.until(lambda: chat.shows("d Pause"))
        puller.finish()
        await chat.until(lambda: chat.shows("gamma ★ installed"))
        await chat.until(lambda: chat.shows("Use") and not chat.shows("Pause"))
        assert list(models.pullers) == ["gamma"]

    models = FakeModels()
    play(scenario, models, size)


def test_a_download_is_paused_and_gone_on_with() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        puller.report(Fetched(1350 * MB, TOTAL))
        await chat.until(lambda: chat.shows("↓ 43 %"))
        models.begun["gamma"] = 1350 * MB
        await chat.pilot.press("d")
        await chat.until(lambda: chat.shows("paused 43 %"))
        assert puller.stopped.is_set()
        assert not chat.app._notifications
        await chat.until(lambda: chat.shows("Download"))
        await chat.pilot.press("d")
        await chat.until(lambda: models.pullers["gamma"] is not puller)
        await chat.until(lambda: chat.shows("↓ 43 %"))
        models.pullers["gamma"].finish()
        await chat.until(lambda: chat.toasts("gamma is installed"))

    models = FakeModels()
    play(scenario, models)


def test_a_download_that_fails_says_why_and_can_be_gone_on_with() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        puller.finish(STALLED)
        await chat.until(lambda: chat.toasts("gamma was not downloaded"))
        assert chat.toasts("the server does not go on")
        await chat.until(lambda: chat.shows("↓ failed"))
        assert chat.shows("Not downloaded: someone/model: the server does not go on.")
        await chat.until(lambda: chat.shows("Download"))
        await chat.pilot.press("d")
        await chat.until(lambda: models.pullers["gamma"] is not puller)
        await chat.until(lambda: not chat.shows("↓ failed"))

    models = FakeModels()
    play(scenario, models)


def test_an_error_that_nobody_foresaw_is_one_line_too() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        puller.finish(ValueError("surprise\n\x1b[31m"))
        await chat.until(lambda: chat.toasts("ValueError: surprise"))
        assert states(chat)["gamma"].error.startswith(
            "A defect of Slipstream: ValueError: surprise [31m. Please report it with "
        )
        assert chat.app.is_running

    models = FakeModels()
    play(scenario, models)


def test_a_download_that_stalls_shows_no_speed_and_no_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        puller.report(Fetched(1340 * MB, TOTAL))
        await chat.until(lambda: chat.shows("1.34 GB of 3.14 GB"))
        now[0] += 1
        puller.report(Fetched(1350 * MB, TOTAL))
        await chat.until(lambda: chat.shows("1.35 GB of 3.14 GB · 10.0 MB/s · 3 min left"))
        now[0] += SPEED_OVER_S
        await chat.until(lambda: not chat.shows("MB/s") and not chat.shows("min left"))
        assert chat.shows("1.35 GB of 3.14 GB")
        puller.finish()

    now = [0.0]
    monkeypatch.setattr("app.tui.models.pulls.time", SimpleNamespace(monotonic=lambda: now[0]))
    models = FakeModels()
    play(scenario, models)


def test_several_downloads_run_at_once() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await begun(chat, models, "gamma")
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top)
        await begun(chat, models, "epsilon")
        await chat.pilot.press("escape")
        for puller in models.pullers.values():
            puller.report(Fetched(785 * MB, TOTAL))
        await chat.until(lambda: chat.is_on_top and chat.shows("↓ 2 models 25 %"))
        models.pullers["epsilon"].finish()
        await chat.until(lambda: chat.shows("↓ gamma 25 %"))
        assert list(models.pullers) == ["gamma", "epsilon"]

    models = FakeModels()
    models.add("epsilon")
    play(scenario, models)


def test_quitting_pauses_every_download_and_waits_for_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        puller.report(Fetched(1350 * MB, TOTAL))
        await chat.pilot.press("ctrl+q")
        await chat.until(lambda: not chat.app.is_running)

    models = FakeModels()
    play(scenario, models)
    assert models.pullers["gamma"].ended.is_set()


def test_however_often_a_thread_reports_the_screen_hears_of_it_ten_times_a_second_at_most() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        puller = await begun(chat, models, "gamma")
        heard: list[PullState] = []
        desk = chat.screen.desk
        assert desk is not None
        desk.pulls.changed.subscribe(
            chat.screen, lambda states: heard.append(states["gamma"]), immediate=True
        )
        for n in range(1000):
            puller.report(Fetched(n * MB, TOTAL))
        await chat.until(lambda: chat.shows("999 MB of 3.14 GB"))
        assert [state.fetched for state in heard] == [Fetched(999 * MB, TOTAL)]

    models = FakeModels()
    play(scenario, models)


def test_words_sum_what_runs_and_leave_out_the_rest() -> None:
    over = PullState("a", "done", Fetched(TOTAL, TOTAL))
    assert words_of({"a": over}) == ""
    runs = PullState("b", "running", Fetched(TOTAL // 2, TOTAL))
    assert words_of({"a": over, "b": runs}) == "↓ b 50 %"
    asks = PullState("c", "running")
    assert words_of({"b": runs, "c": asks}) == "↓ 2 models …"


def test_a_download_that_is_over_and_not_listed_has_nothing_looked_at_again() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        desk = chat.screen.desk
        assert desk is not None
        desk.pulls.start("someone/model:a.gguf")
        await chat.until(lambda: "someone/model:a.gguf" in models.pullers)
        models.pullers["someone/model:a.gguf"].finish(STALLED)
        await chat.until(lambda: chat.toasts("was not downloaded"))
        puller = await begun(chat, models, "gamma")
        await chat.until(lambda: not chat.shows("looking at this machine…"))
        n_looks = models.n_looks
        for percent in (20, 40, 60):
            puller.report(Fetched(TOTAL * percent // 100, TOTAL))
            await chat.until(lambda percent=percent: chat.shows(f"↓ {percent} %"))  # type: ignore[misc]
        assert models.n_looks == n_looks
        puller.finish()
        await chat.until(lambda: chat.shows("gamma ★ installed"))

    models = FakeModels()
    play(scenario, models)
