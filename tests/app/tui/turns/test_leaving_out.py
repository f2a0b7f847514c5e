"""One turn is left out of what is sent, and taken in again; it stays in sight, and is kept so."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.tui.actions.leaving_out import COVERED
from app.tui.turns.fullness import measure
from app.tui.widgets.left_out import LeftOut
from tests.app.recorded import opened
from tests.app.tui.branching import check
from tests.app.tui.driving import SIZES, Chat
from tests.app.tui.fakes import Answer, words
from tests.app.tui.small_engine import N_CTX, tokens
from tests.app.tui.turns.test_compacting import LAST, SHORT, summaries
from tests.app.tui.turns.test_compacting import play as play_compacting
from tests.app.tui.turns.test_compacting import talk as talk_compacting
from tests.app.tui.turns.test_full_context import THREE, offered, play, talk


async def do(chat: Chat, name: str, argument: str = "") -> None:
    await chat.screen.action_act(name, argument)
    await chat.pilot.pause()


def asked(chat: Chat) -> list[str]:
    """Return the questions that the engine got last."""
    return [message.content for message in chat.engine.asked[-1] if message.role == "user"]


def lines(chat: Chat) -> list[str]:
    return [str(line.content) for line in chat.transcript.query(LeftOut)]


def dimmed(chat: Chat) -> list[bool]:
    return [view.has_class("-left-out") for view in chat.turns]


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "160x50"])
def test_what_is_left_out_is_not_sent_and_is_sent_again_when_taken_in(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a", "b")
        await do(chat, "leave-out", "1")
        await chat.until(lambda: dimmed(chat) == [True, False])
        assert chat.toasts("“a” is left out of what is sent, with its answer.")
        (line,) = lines(chat)
        assert "Left out: not sent to the model; /leave-out 1 brings it back" in line
        assert chat.shows("Left out: not sent to the model")
        assert len(chat.turns) == 2 and chat.turns[0].text == "one two three"
        await chat.ask("c")
        await chat.answered(3)
        assert asked(chat) == ["b", "c"]
        await do(chat, "leave-out", "1")
        await chat.until(lambda: dimmed(chat) == [False] * 3 and lines(chat) == [])
        await chat.ask("d")
        await chat.answered(4)
        assert asked(chat) == ["a", "b", "c", "d"]
        check(chat)

    play(tmp_path, scenario, size=size)


def test_the_key_leaves_out_the_turn_that_is_chosen(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a", "b", "c")
        await chat.pilot.press("alt+up", "alt+up", "alt+l")
        await chat.until(lambda: dimmed(chat) == [False, True, False])
        await chat.pilot.press("escape")
        await chat.ask("d")
        await chat.answered(4)
        assert asked(chat) == ["a", "c", "d"]
        chat.transcript.select(chat.turns[1])
        await chat.pilot.press("alt+l")
        await chat.until(lambda: dimmed(chat) == [False] * 4)

    play(tmp_path, scenario, Answer(words("one")))


def test_it_is_kept_with_the_answer_and_another_answer_is_sent(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a", "b")
        await do(chat, "leave-out")
        recorder = chat.screen.asking.recorder
        assert recorder is not None and recorder.chat is not None
        await chat.screen.asking.show_turns(opened(recorder, recorder.chat))
        chat.screen.show_state()
        await chat.until(lambda: dimmed(chat) == [False, True] and len(lines(chat)) == 1)
        await chat.pilot.press("ctrl+r")
        await chat.until(lambda: len(chat.engine.asked) == 3 and chat.state == "ready")
        await chat.until(lambda: dimmed(chat) == [False, False] and lines(chat) == [])
        await chat.pilot.press("alt+left")
        await chat.until(lambda: dimmed(chat) == [False, True] and len(lines(chat)) == 1)

    play(tmp_path, scenario)


def test_the_meter_shows_what_is_in_use_without_it(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a b", "c")
        assert chat.screen.figures.context_used == 9
        await do(chat, "leave-out", "1")
        left = chat.screen.session.conversation.messages()
        assert chat.screen.figures.context_used == tokens(left) == 4
        await do(chat, "leave-out", "2")
        assert chat.screen.figures.context_used == 0
        await do(chat, "leave-out", "1")
        await do(chat, "leave-out", "2")
        assert chat.screen.figures.context_used == 9

    play(tmp_path, scenario)


def test_a_full_context_has_room_again_when_a_turn_is_left_out(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE, "j k l m")
        full = await offered(chat)
        assert (full.used, full.more) == (22, 2)
        await do(chat, "leave-out", "1")
        await chat.until(lambda: chat.screen.full is not None and chat.screen.full.fits)
        assert chat.shows(f"There is room for this now: 16 of {N_CTX} tokens.")

    play(tmp_path, scenario)


def test_the_oldest_turns_are_counted_without_those_that_are_left_out(tmp_path: Path) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, *THREE)
        await do(chat, "leave-out", "1")
        await chat.ask("j k l m n o p q")
        full = await offered(chat)
        assert (full.left_out, full.more) == (2, 1)
        conversation = chat.screen.session.conversation
        again = await measure(conversation, N_CTX, chat.screen.gauge.tokens)
        assert again == full and chat.shows("Leave out the oldest turn and ask again")

    play(tmp_path, scenario)


def test_a_summary_is_not_told_of_it_and_what_that_covers_is_not_left_out_twice(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk_compacting(chat)
        await do(chat, "leave-out", "1")
        await do(chat, "compact")
        await chat.until(lambda: summaries(chat) == [(2, "They like tea.")])
        told = chat.engine.asked[-1][0].content
        assert "b b b" in told and "a a a" not in told and "x x x" not in told
        await do(chat, "leave-out", "2")
        assert chat.toasts(COVERED)
        assert [turn.skipped for turn in chat.screen.session.conversation.turns] == [
            True,
            False,
            False,
        ]

    play_compacting(tmp_path, scenario, SHORT, LAST)


def test_a_number_that_there_is_none_of_and_a_question_without_answer_are_refused(
    tmp_path: Path,
) -> None:
    async def scenario(chat: Chat) -> None:
        await talk(chat, "a")
        await do(chat, "leave-out", "2")
        assert chat.toasts("There is no question 2; this chat has 1.")
        await chat.ask(" ".join("a" * 30))
        await offered(chat)
        await do(chat, "leave-out", "2")
        assert chat.toasts("This question has no answer, so it is not sent anyway.")
        assert not any(turn.skipped for turn in chat.screen.session.conversation.turns)

    play(tmp_path, scenario)
