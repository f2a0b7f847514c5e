"""The app paints first and loads then; whatever loading does, the chat stays open."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.widgets import ProgressBar

from app.tui.models.model_access import FirstOffer
from app.tui.widgets.load_bar import LoadBar
from app.tui.widgets.welcome import Welcome
from engine import ModelFileError
from tests.app.tui.driving import SIZES, Chat, drive
from tests.app.tui.fakes import READY, Answer, FakeEngine, whole, words

JOIN = words("It joins path components.")
BROKEN = ModelFileError("target.gguf is no GGUF file.", "Check the path.")


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_chat_is_painted_while_the_model_loads(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("Loading the target"))
        assert chat.state == "loading"
        assert chat.shows("What does os.path.join do?")
        await chat.until(lambda: chat.screen.query_one(ProgressBar).percentage == 0.8)
        chat.engine.release()
        await chat.ready()
        await chat.until(lambda: not chat.screen.query_one(LoadBar).display)
        await chat.until(lambda: chat.shows("Runs on this machine alone"))

    drive(scenario, FakeEngine(hold_load=True), size)


def test_an_early_question_is_answered_when_the_model_is_loaded() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("early")
        await chat.until(lambda: chat.shows("waits until the model is loaded"))
        assert not chat.engine.asked
        chat.engine.release()
        await chat.answered()
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN), hold_load=True))


def test_escape_takes_an_early_question_back() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("early")
        await chat.until(lambda: len(chat.turns) == 1)
        await chat.pilot.press("escape")
        await chat.until(lambda: not chat.turns)
        assert chat.prompt.text == "early"
        assert chat.screen.query_one(Welcome).display
        chat.engine.release()
        await chat.ready()
        assert not chat.engine.asked

    drive(scenario, FakeEngine(hold_load=True))


def test_a_failed_load_says_what_to_do_and_the_next_question_tries_again() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("target.gguf is no GGUF file. Check the path."))
        assert chat.state == "down"
        await chat.until(lambda: chat.shows("Ctrl+R"))
        await chat.until(lambda: chat.shows("No model is loaded."))
        await chat.ask("question")
        await chat.answered()
        assert chat.engine.loads == 2
        assert chat.shows(whole(JOIN))

    drive(scenario, FakeEngine(Answer(JOIN), load_errors=[BROKEN]))


def test_a_question_that_waited_for_a_failed_load_is_asked_by_retry() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ask("early")
        chat.engine.release()
        await chat.until(lambda: chat.shows("not asked"))
        await chat.pilot.press("ctrl+r")
        chat.engine.release()
        await chat.answered()
        assert chat.engine.asked[0][-1].content == "early"

    drive(scenario, FakeEngine(Answer(JOIN), load_errors=[BROKEN], hold_load=True))


def test_retry_alone_starts_an_engine_that_did_not_load() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.state == "down")
        await chat.pilot.press("ctrl+r")
        await chat.ready()
        assert chat.engine.loads == 2

    drive(scenario, FakeEngine(load_errors=[BROKEN]))


def test_any_error_of_a_load_leaves_the_chat_open() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("ValueError: surprise"))
        assert chat.app.is_running

    drive(scenario, FakeEngine(load_errors=[ValueError("surprise")]))


def test_notices_are_shown_once() -> None:
    ready = replace(READY, notices=["The template was replaced by chatml."])

    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.shows("The template was replaced by chatml."))
        await chat.ask("question")
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.pilot.pause()
        assert chat.text.count("The template was replaced by chatml.") == 1

    drive(scenario, FakeEngine(Answer(JOIN, die_after=1), ready=ready))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_the_welcome_stays_where_it_is_when_loading_ends(size: tuple[int, int]) -> None:
    async def scenario(chat: Chat) -> None:
        places: set[int] = set()

        def look() -> None:
            places.update(y for y, line in enumerate(chat.lines) if "Try one of these" in line)

        def is_measuring() -> bool:
            look()
            return chat.screen.query_one(LoadBar).region.height == 1

        def is_over() -> bool:
            look()
            return chat.shows("nothing leaves it") and not chat.screen.query_one(LoadBar).region

        await chat.until(is_measuring)
        chat.transcript.welcome.suggest(FirstOffer("qwen3-4b", 3_140_000_000))
        await chat.until(lambda: chat.shows("For real work"))
        chat.engine.release()
        await chat.until(is_over)
        await chat.pilot.pause()
        look()
        assert len(places) == 1, places

    drive(scenario, FakeEngine(hold_load=True), size)


class Counting(FakeEngine):
    """Counts what is typed, a token a word."""

    async def count(self, what: str, think: bool | None) -> int:
        return len(what.split())


def test_what_is_typed_while_the_model_loads_is_counted_when_it_is_ready() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.until(lambda: chat.state == "loading")
        await chat.pilot.press(*"two", "space", *"words")
        await chat.until(lambda: chat.prompt.text == "two words" and chat.prompt._typed is None)
        assert not chat.shows("2 tokens")
        chat.engine.release()
        await chat.until(lambda: chat.shows("2 tokens"))
        assert chat.prompt.text == "two words"

    drive(scenario, Counting(hold_load=True))


def test_a_command_is_not_counted_for_it_is_not_sent() -> None:
    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.pilot.press(*"words", "home", "/")
        await chat.until(lambda: chat.prompt.text == "/words" and chat.prompt._typed is None)
        await chat.pilot.pause()
        assert not chat.shows("1 token")
        await chat.pilot.press("/")
        await chat.until(lambda: chat.shows("1 token"))
        assert chat.prompt.text == "//words"

    drive(scenario, Counting())
