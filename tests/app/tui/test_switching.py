"""Another pair under the same chat: the turns stay, and there is always a way back."""

from __future__ import annotations

import msgspec
import pytest

from app.errors import FitError
from app.tui.actions.tuning import apply
from app.tui.widgets.top_bar import TopBar
from app.tui.widgets.welcome import Welcome
from engine import ModelFileError
from tests.app.tui.driving import NARROW, SIZES, WIDE, Chat, Scenario, drive
from tests.app.tui.fake_models import ALPHA, BETA, FakeModels, settings_of
from tests.app.tui.fakes import Answer, FakeEngine, whole, words

JOIN = words("It joins path components with one separator between them.")
BROKEN = ModelFileError("beta.gguf is no GGUF file.", "Pull it again.")
TO_ALPHA, TO_BETA = settings_of(ALPHA).pair, settings_of(BETA).pair

at_both_sizes = pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])


def play(
    scenario: Scenario,
    engine: FakeEngine,
    size: tuple[int, int] = NARROW,
    models: FakeModels | None = None,
) -> None:
    """Drive a chat that begins with the pair alpha."""
    drive(scenario, engine, size, settings_of(ALPHA), models or FakeModels())


def title(chat: Chat) -> str:
    return chat.screen.query_one(TopBar).title


@at_both_sizes
def test_the_chat_goes_on_with_the_other_pair_and_keeps_its_turns(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.answered(1)
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA]
        assert title(chat) == "Beta"
        await chat.until(lambda: chat.shows("Beta") and chat.shows(whole(JOIN)))
        await chat.ask("second")
        await chat.answered(2)
        said = [message.content for message in chat.engine.asked[1]]
        assert said == ["first", whole(JOIN), "second"]

    play(scenario, FakeEngine(Answer(JOIN)), size)


def test_what_was_chosen_in_this_chat_stays_with_the_other_pair() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        for command in ("/temp 1.25", "/system Be brief.", "/draft none"):
            await chat.ask(command)
        await chat.until(lambda: len(chat.screen.chosen) == 4)
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.loaded[1] == msgspec.structs.replace(TO_BETA, drafter="none")
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.asked[0][0].content == "Be brief."
        assert chat.screen.session.conversation.sampling.temperature == 1.25
        await chat.ask("/temp")
        await chat.until(lambda: chat.toasts("The temperature is 1.25."))

    play(scenario, FakeEngine(Answer(JOIN)))


def test_the_welcome_of_an_empty_chat_names_the_other_pair() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        await chat.until(lambda: chat.shows("Runs on this machine alone"))
        assert chat.screen.query_one(Welcome).display
        assert not chat.shows("Alpha")

    play(scenario, FakeEngine())


def test_a_running_answer_is_stopped_and_its_text_stays() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.cancels
        await chat.until(lambda: chat.shows("stopped"))
        assert chat.shows(whole(JOIN[:4]).strip())
        assert not chat.shows(whole(JOIN))

    play(scenario, FakeEngine(Answer(JOIN, hold_after=4), Answer(JOIN)))


def test_a_waiting_question_is_answered_by_the_other_pair() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.state == "answering")
        await chat.ask("second")
        await chat.until(lambda: len(chat.turns) == 2)
        await chat.use("beta")
        await chat.answered(2)
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA]
        assert chat.engine.asked[-1][-1].content == "second"
        assert chat.shows(whole(JOIN))

    play(scenario, FakeEngine(Answer(JOIN, hold_after=2), Answer(JOIN)))


@at_both_sizes
def test_a_pair_that_does_not_load_gives_way_to_the_former_one(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 3 and chat.state == "ready")
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA, TO_ALPHA]
        await chat.until(lambda: chat.shows("Beta was not loaded: beta.gguf is no GGUF file."))
        assert chat.shows("Back to Alpha.")
        assert title(chat) == "Alpha"
        await chat.ask("question")
        await chat.answered()

    play(scenario, FakeEngine(load_errors=[None, BROKEN]), size)


@pytest.mark.parametrize("other", ["alpha", "beta"])
def test_a_setting_that_does_not_load_gives_way_to_what_was_loaded(other: str) -> None:
    too_much = FitError("Not with this context.")

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        apply(chat.screen, "ctx_size", 99_999_999)
        await chat.use(other)
        await chat.until(lambda: len(chat.engine.loaded) == 3 and chat.state == "ready")
        wished = settings_of(models.pairs[other]).pair
        assert chat.engine.loaded == [
            TO_ALPHA,
            msgspec.structs.replace(wished, n_ctx=99_999_999),
            TO_ALPHA,
        ]
        await chat.until(
            lambda: chat.shows("Back to Alpha; what was changed for the next load is as before.")
        )
        assert chat.screen.chosen == {"ctx_size": None}, "F2 shows what is loaded"
        await chat.ask("question")
        await chat.answered()

    models = FakeModels()
    play(scenario, FakeEngine(Answer(JOIN), load_errors=[None, too_much]), WIDE, models)


def test_a_setting_that_is_changed_meanwhile_does_not_keep_the_former_pair_away() -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2)
        apply(chat.screen, "ctx_size", 99_999_999)
        await chat.pilot.press("escape")
        await chat.until(lambda: len(chat.engine.loaded) == 3)
        chat.engine.release()
        await chat.ready()
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA, TO_ALPHA]
        assert chat.screen.chosen == {"ctx_size": None}

    play(scenario, FakeEngine(hold_load=True))


def test_the_figures_of_the_last_answer_come_back_with_the_pair_that_gave_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.answered()
        stats = chat.screen.figures.stats
        assert stats is not None
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 3 and chat.state == "ready")
        await chat.until(lambda: chat.shows("Back to Alpha."))
        assert chat.screen.figures.stats == stats
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 4 and chat.state == "ready")
        await chat.until(lambda: title(chat) == "Beta")
        assert chat.screen.figures.stats is None

    play(scenario, FakeEngine(Answer(JOIN), load_errors=[None, BROKEN]))


def test_an_answer_that_is_stopped_by_a_switch_is_named_after_the_pair_that_gave_it() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.use("beta")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        await chat.ask("second")
        await chat.answered(2)
        turns = chat.screen.session.conversation.turns
        assert [turn.pair for turn in turns] == ["Alpha", "Beta"]
        assert chat.shows("by Alpha") and chat.shows("by Beta")

    play(scenario, FakeEngine(Answer(JOIN, hold_after=4), Answer(JOIN)), WIDE)


def test_escape_gives_up_loading_the_other_pair() -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ready()
        await chat.use("beta")
        await chat.until(lambda: chat.shows("Esc keeps the former model"))
        await chat.pilot.press("escape")
        await chat.until(lambda: len(chat.engine.loaded) == 3)
        chat.engine.release()
        await chat.ready()
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA, TO_ALPHA]
        await chat.until(lambda: chat.shows("Gave up loading Beta. Back to Alpha."))
        assert title(chat) == "Alpha"
        assert not chat.shows("SIGKILL")

    play(scenario, FakeEngine(hold_load=True))


def test_the_last_wish_counts_while_pairs_are_being_loaded() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.engine.loads == 1)
        await chat.use("beta")
        await chat.until(lambda: chat.engine.loads == 2)
        await chat.use("alpha")
        await chat.until(lambda: chat.engine.loads == 3)
        chat.engine.release()
        await chat.ready()
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA, TO_ALPHA]
        assert title(chat) == "Alpha" and not chat.shows("Gave up loading")

    play(scenario, FakeEngine(hold_load=True))


def test_the_line_below_the_box_says_what_escape_does_first_while_another_pair_comes() -> None:
    async def scenario(chat: Chat) -> None:
        chat.engine.release()
        await chat.ask("first")
        await chat.answered()
        await chat.use("beta")
        await chat.until(lambda: chat.shows("Esc keeps the former model"))
        await chat.ask("second")
        await chat.until(lambda: chat.shows("1 question waits for the model · Esc takes it back"))
        await chat.pilot.press("escape", "ctrl+u", "ctrl+e")
        await chat.until(lambda: chat.shows("Esc leaves it as it was"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.shows("Esc keeps the former model"))
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA], "nothing was given up by that"

    play(scenario, FakeEngine(Answer(JOIN), hold_load=True), WIDE)


@at_both_sizes
def test_unloading_ends_the_engine_and_the_next_question_loads_again(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("first")
        await chat.answered(1)
        await chat.open_models()
        await chat.pilot.press("u")
        await chat.until(lambda: chat.state == "unloaded")
        assert not chat.engine.alive
        await chat.until(lambda: not chat.shows("Unload"))
        await chat.pilot.press("escape")
        await chat.until(lambda: chat.is_on_top and chat.shows("○ unloaded"))
        assert chat.shows(whole(JOIN))
        await chat.ask("second")
        await chat.answered(2)
        assert chat.engine.loaded == [TO_ALPHA, TO_ALPHA]
        assert not chat.shows("The engine runs again.")

    play(scenario, FakeEngine(Answer(JOIN)), size)


def test_unloading_stops_the_answer_and_drops_what_waits() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("first")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.ask("second")
        await chat.until(lambda: len(chat.turns) == 2)
        await chat.open_models()
        await chat.pilot.press("u", "escape")
        await chat.until(lambda: chat.state == "unloaded" and chat.is_on_top)
        await chat.until(lambda: chat.shows("not asked"))
        assert chat.shows(whole(JOIN[:4]).strip())
        assert len(chat.engine.asked) == 1

    play(scenario, FakeEngine(Answer(JOIN, hold_after=4)))


def test_unloading_while_a_pair_loads_ends_the_load() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.engine.loads == 1)
        await chat.open_models()
        await chat.pilot.press("u", "escape")
        await chat.until(lambda: chat.state == "unloaded" and chat.is_on_top)
        assert not chat.engine.alive
        assert not chat.shows("SIGKILL")

    play(scenario, FakeEngine(hold_load=True))


def test_what_was_unloaded_stays_so_when_another_pair_does_not_load() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.open_models()
        await chat.pilot.press("u")
        await chat.until(lambda: chat.state == "unloaded")
        await chat.pilot.press("escape")
        await chat.use("beta")
        await chat.until(lambda: chat.shows("Back to Alpha."))
        assert chat.state == "unloaded"
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA]

    play(scenario, FakeEngine(load_errors=[None, BROKEN]))


def test_a_switch_ends_an_engine_that_does_not_stop_at_the_second_escape() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("question")
        await chat.until(lambda: chat.shows(whole(JOIN[:4]).strip()))
        await chat.use("beta")
        await chat.until(lambda: chat.state == "stopping")
        await chat.pilot.press("escape")
        await chat.until(lambda: len(chat.engine.loaded) == 2 and chat.state == "ready")
        assert chat.engine.loaded == [TO_ALPHA, TO_BETA]
        assert chat.shows(whole(JOIN[:4]).strip())

    play(scenario, FakeEngine(Answer(JOIN, hold_after=4, deaf=True)))


def test_a_pair_that_cannot_be_opened_says_why_and_changes_nothing() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.open_models("beta")
        models.settings_error = OSError("beta has gone")
        await chat.pilot.press("enter")
        await chat.until(lambda: chat.toasts("beta has gone"))
        assert chat.engine.loads == 1
        assert chat.state == "ready"

    models = FakeModels()
    play(scenario, FakeEngine(), models=models)


def test_using_the_pair_that_is_loaded_only_goes_back() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.use("alpha")
        await chat.pilot.pause()
        assert chat.engine.loads == 1

    play(scenario, FakeEngine())


def test_a_pair_that_fits_nowhere_is_not_loaded_and_says_so() -> None:
    models = FakeModels()
    models.place_error = FitError("Alpha does not fit: needs 99 GB.")

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.state == "down" and chat.shows("Alpha does not fit"))
        assert chat.engine.loads == 0
        models.place_error = None
        await chat.ask("Now?")
        await chat.answered(1)
        assert chat.engine.loads == 1

    play(scenario, FakeEngine(Answer(JOIN)), models=models)
