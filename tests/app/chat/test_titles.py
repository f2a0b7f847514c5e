"""A title by the model is one harmless line that says something, or none."""

from __future__ import annotations

import asyncio

import pytest

from app.chat.conversation import Conversation, Turn
from app.chat.titles import MOST_WORDS, PLEASE, Titling, cleaned, is_over
from engine import Delta, EngineError, PromptTooLong
from tests.app.terminal.test_sanitise import HOSTILE
from tests.app.tui.fakes import Answer, FakeEngine, words
from tests.app.tui.test_screen import CONTROL

QUESTION = "What does os.path.join do?"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Joining paths in Python", "Joining paths in Python"),
        ('"Joining paths"\n', "Joining paths"),
        ("**Joining paths**", "Joining paths"),
        ("# Joining `paths`.", "Joining paths"),
        ("Title: “Joining paths”", "Joining paths"),
        ("**Titel:** Pfade verbinden", "Pfade verbinden"),
        ("标题\uff1a路径拼接。", "路径拼接"),
        ("<think>\nThey ask about paths.\n</think>\n\nJoining paths", "Joining paths"),
        ("Joining paths\n\nThis chat is about how paths are joined.", "Joining paths"),
        ("Why join paths?", "Why join paths?"),
        ("os.path.join", "os.path.join"),
    ],
)
def test_a_title_is_taken_without_what_is_around_it(text: str, title: str) -> None:
    assert cleaned(text, QUESTION) == title


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "…",
        '""',
        "<think>\nWhat could",
        QUESTION,
        QUESTION.upper(),
        PLEASE,
        "a title for this chat",
        "It joins one or more path segments, and it does so with one separator between them.",
        " ".join("word" for _ in range(MOST_WORDS + 1)),
        "x" * 300,
    ],
)
def test_what_is_no_title_is_none(text: str) -> None:
    assert cleaned(text, QUESTION) == ""


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_title_does_anything_to_the_terminal(text: str) -> None:
    title = cleaned(text, QUESTION)
    assert not CONTROL.search(title) and "\n" not in title and len(title) <= 60


def test_a_title_is_over_with_its_line_and_a_thought_is_not() -> None:
    assert is_over("Joining paths\n") and is_over("x" * 200)
    assert not is_over("Joining paths") and not is_over("\n\n")
    assert not is_over("<think>\nThey ask.\nThey ask.\n" * 9)


def made(
    answer: Answer, turns: list[Turn], is_cancelled: bool = False
) -> tuple[Titling, FakeEngine]:
    """Have a title made; cancelled: the engine is wanted for something else after a word."""

    async def run() -> tuple[Titling, FakeEngine]:
        engine = FakeEngine(answer)
        engine.alive = True
        talk = Conversation(engine, "Be kind.", predict=5)
        talk.turns = turns
        titling = Titling(talk, "before")
        async for event in titling.do():
            if is_cancelled and isinstance(event, Delta):
                await engine.cancel()
        return titling, engine

    return asyncio.run(run())


def talked() -> list[Turn]:
    return [Turn(QUESTION, answer="It joins paths.", reason="stop")]


def test_it_is_asked_behind_the_chat_as_that_is_sent_and_is_no_turn_of_it() -> None:
    turns = talked()
    titling, engine = made(Answer(words("Joining paths")), turns)
    assert titling.title == "Joining paths" and not titling.was_stopped
    (asked,) = engine.asked
    told = [(message.role, message.content) for message in asked]
    assert told == [
        ("system", "Be kind."),
        ("user", QUESTION),
        ("assistant", "It joins paths."),
        ("user", PLEASE),
    ]
    assert (engine.samplings[0].temperature, engine.thinks) == (0.0, [False])
    assert titling.conversation.turns == turns == talked()


def test_what_was_stopped_for_something_else_is_no_title() -> None:
    titling, _ = made(Answer(words("Joining some paths")), talked(), is_cancelled=True)
    assert (titling.title, titling.was_stopped) == ("", True)


def test_a_model_that_does_not_stop_is_stopped() -> None:
    endless = Answer(words("Joining paths\n and more and"), die_after=5)
    titling, _ = made(endless, talked())
    assert (titling.title, titling.was_stopped) == ("Joining paths", False)


def test_a_refusal_is_told_to_whoever_asked() -> None:
    error: EngineError = PromptTooLong("The prompt has 9 tokens and the context 8.")
    with pytest.raises(PromptTooLong):
        made(Answer([], fail_after=0, error=error), talked())
