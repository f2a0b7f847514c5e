"""What the tests of versions share: a chat that is kept, and what is shown of it."""

from __future__ import annotations

from pathlib import Path

from app.history import History
from tests.app.tui.driving import NARROW, Chat, Scenario, drive
from tests.app.tui.fakes import Answer, FakeEngine, words

NUMBERS = [Answer(words(f"Answer number {n}.")) for n in range(8)]


def play(
    tmp_path: Path, scenario: Scenario, *answers: Answer, size: tuple[int, int] = NARROW
) -> None:
    """Play the scenario with a history in this folder."""
    history = History.open(tmp_path / "history.db")
    drive(scenario, FakeEngine(*(answers or NUMBERS)), size, history=history)


async def talk(chat: Chat, *questions: str) -> None:
    await chat.ready()
    for count, question in enumerate(questions, 1):
        await chat.ask(question)
        await chat.answered(count)


async def act(chat: Chat, name: str) -> None:
    """Do what a slash command does."""
    await chat.screen.action_act(name)
    await chat.pilot.pause()


async def walked(chat: Chat, key: str, *shown: str) -> None:
    """Press a key and wait until these answers are shown."""
    await chat.pilot.press(key)
    await chat.until(lambda: answers(chat) == list(shown))
    await chat.pilot.pause()
    check(chat)


def answers(chat: Chat) -> list[str]:
    """Return the numbers of the answers that are shown."""
    return [view.text.rstrip(".").split(" ")[-1] for view in chat.turns]


def check(chat: Chat) -> None:
    """What is shown is what the next prompt holds."""
    turns = chat.screen.session.conversation.turns
    views = [view for view in chat.transcript.turns if view.asked]
    assert [(view.question, view.text) for view in views] == [
        (turn.question, turn.answer) for turn in turns
    ]
    assert chat.transcript.turns == chat.turns
