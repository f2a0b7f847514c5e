"""A picture that a question names goes to a model that takes pictures, and to no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.files.pictures import sha256_of
from engine import EngineError
from tests.app.files.picture_files import png
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, FakeEngine, FakeSettings, words
from tests.app.tui.looking import ask_of_cat, kept, reopened, see, seen
from tests.app.tui.seeing import TOKENS, SeeingEngine, Sighted, cat


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_a_picture_goes_with_its_question_and_is_shown_by_name_kind_and_size(
    here: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        assert seen(chat) == [[png(shade=9)]]
        assert chat.engine.asked[0][0].content == "What is on @cat.png ?"
        assert chat.shows("cat.png (PNG, 2 \N{MULTIPLICATION SIGN} 3 pixels, ")
        [path] = kept(tmp_path)
        assert chat.engine.asked[0][0].pictures[0].path == str(path)
        await chat.ask("And now?")
        await chat.answered(2)
        assert seen(chat) == [[png(shade=9)], []], "it stays in the prompt"

    see(scenario, tmp_path, size=size)


def test_a_pair_that_takes_text_only_is_asked_nothing_and_the_prompt_says_what_to_do(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("What is on @cat.png ?")
        await chat.until(lambda: chat.shows("takes text only"))
        assert chat.shows("cat.png is a picture, and Slipstream demo takes text only: `slipstream")
        assert chat.prompt.text == "What is on @cat.png ?"
        assert chat.engine.asked == [] and kept(tmp_path) == []

    see(scenario, tmp_path, SeeingEngine(), FakeSettings())


def test_a_projector_that_cannot_be_used_makes_no_pair_that_sees(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("@cat.png ?")
        await chat.until(lambda: chat.shows("Argus takes text only"))
        assert not chat.turns

    see(scenario, tmp_path, FakeEngine(), Sighted())


def test_a_pair_that_takes_text_only_is_told_of_earlier_pictures(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        await chat.screen.session.switch(FakeSettings())
        await chat.until(lambda: chat.engine.loads == 2 and chat.state == "ready")
        await chat.ask("Is it black?")
        await chat.answered(2)
        assert seen(chat) == [[], []]
        first = chat.engine.asked[1][0].content
        assert first == "What is on @cat.png ?\n\n[The picture cat.png is not shown here.]"

    see(scenario, tmp_path)


def test_a_chat_that_saw_goes_on_with_a_pair_that_takes_text_only(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await reopened(chat)
        await chat.ask("Is it black?")
        await chat.answered(2)
        assert seen(chat) == [[], []]
        assert "[The picture cat.png is not shown here.]" in chat.engine.asked[0][0].content

    see(ask_of_cat, tmp_path)
    see(scenario, tmp_path, SeeingEngine(), FakeSettings())


def test_the_count_below_the_prompt_holds_the_picture(here: Path, tmp_path: Path) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("What is on @cat.png")
        await chat.until(lambda: chat.shows(f"{4 + TOKENS} tokens"))
        assert kept(tmp_path) == [], "what is typed is not yet sent"

    see(scenario, tmp_path)


def test_the_count_of_a_pair_that_takes_text_only_is_that_of_the_text(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("What is on @cat.png")
        await chat.until(lambda: chat.shows("4 tokens"))
        assert not chat.turns

    see(scenario, tmp_path, SeeingEngine(), FakeSettings())


def test_a_dropped_picture_is_mentioned_and_sent(here: Path, tmp_path: Path) -> None:
    path = cat(here)

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        chat.prompt.insert("Who is ")
        chat.prompt.take_in(f"'{path}'")
        assert chat.prompt.text == f"Who is @{path} "
        await chat.pilot.press("enter")
        await chat.answered()
        assert seen(chat) == [[png(shade=9)]]

    see(scenario, tmp_path)


def test_a_summary_has_the_name_of_a_picture_and_not_the_picture(
    here: Path, tmp_path: Path
) -> None:
    cat(here)
    answers = [Answer(words(text)) for text in ("A black cat sat there. " * 9, "Yes.", "In short.")]

    async def scenario(chat: Chat) -> None:
        await ask_of_cat(chat)
        await chat.ask("Sure?")
        await chat.answered(2)
        await chat.screen.action_act("compact")
        await chat.until(lambda: len(chat.engine.asked) == 3 and chat.state == "ready")
        assert seen(chat) == [[]]
        assert "[The picture cat.png is not shown here.]" in chat.engine.asked[2][0].content

    see(scenario, tmp_path, SeeingEngine(*answers))


def test_what_the_engine_refuses_is_said_and_the_chat_goes_on(here: Path, tmp_path: Path) -> None:
    cat(here)
    path = tmp_path / "pictures" / f"{sha256_of(png(shade=9))}.png"
    refused = Answer([], fail_after=0, error=EngineError(f"{path} is no picture."))

    async def scenario(chat: Chat) -> None:
        await chat.ready()
        await chat.ask("What is on @cat.png ?")
        await chat.until(lambda: chat.shows(" cat.png is no picture."))
        await chat.ask("Hello")
        await chat.answered(2)
        assert seen(chat) == [[]], "a question without an answer is not sent again"

    see(scenario, tmp_path, SeeingEngine(refused, Answer(words("Hi."))))


def test_of_a_chat_with_pictures_a_model_that_sees_none_is_told_when_it_writes_a_title(
    here: Path, tmp_path: Path
) -> None:
    cat(here)

    async def scenario(chat: Chat) -> None:
        await reopened(chat)
        assert not chat.screen.session.conversation.sees
        await chat.screen.action_act("title")
        await chat.until(lambda: chat.toasts("This chat is called “A cat”."))
        assert seen(chat) == [[], []]

    async def elsewhere(chat: Chat) -> None:
        await reopened(chat)
        await chat.screen.action_act("title")
        conversation = chat.screen.session.conversation
        conversation.sees = True  # as another pair took it, which is not loaded any more
        await chat.until(lambda: chat.toasts("This chat is called “A cat”."))
        assert seen(chat) == [[], []]

    see(ask_of_cat, tmp_path)
    for play in (scenario, elsewhere):
        see(play, tmp_path, SeeingEngine(Answer(words("A cat"))), FakeSettings())
